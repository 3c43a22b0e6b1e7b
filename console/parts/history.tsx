/** The revisions of a question, newest first, each with what it changed. */
import { api } from '../state/api.ts';
import { formatAge, toWords } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import { listChanges, type Question } from '../state/question.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

interface Revision {
  revision: number;
  action: string;
  at: string;
  by: { client: string } | null;
  question: Question | null;
}

export function History({ id }: { id: string }) {
  const history = useResource<{ data: Revision[] }>(`/questions/${id}/revisions`, { limit: 50 });
  const revisions = history.data?.data ?? [];
  if (revisions.length === 0) return null;
  return (
    <details class="history">
      <summary>History ({revisions.length})</summary>
      <ol reversed>
        {revisions.map((revision, i) => (
          <li key={revision.revision}>
            {toWords(revision.action)} {formatAge(revision.at)}
            {revision.by && ` by ${revision.by.client}`}
            <ul>
              {listChanges(revision.question, revisions[i + 1]?.question ?? null).map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
            {i > 0 && revision.question && may('questions:write', 'answers:read') && (
              <button type="button" class="button plain" onClick={() => restore(id, revision.revision)}>
                Restore this revision
              </button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

async function restore(id: string, revision: number): Promise<void> {
  try {
    await api.post(`/questions/${id}/restore`, { revision });
    reloadAll();
    announce(`Revision ${revision} is restored.`);
  } catch (error) {
    announceFailure(error);
  }
}
