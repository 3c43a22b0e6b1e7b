/** The revisions of a question, newest first, each with what it changed. */
import { api } from '../state/api.ts';
import { formatAge, toWords } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import { formatAnswer, type Question } from '../state/question.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

interface Revision {
  revision: number;
  action: string;
  at: string;
  by: { client: string } | null;
  question: Question | null;
}

const SHOWN = ['question_text', 'category', 'difficulty', 'topic_focus', 'explanation', 'source'] as const;

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

function listChanges(after: Question | null, before: Question | null): string[] {
  if (!after || !before) return [];
  const changes: string[] = SHOWN.filter((field) => after[field] !== before[field]).map(
    (field) => `${toWords(field)}: ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`,
  );
  if (formatAnswer(after) !== formatAnswer(before))
    changes.push(`correct answer: ${formatAnswer(before)} → ${formatAnswer(after)}`);
  for (const field of ['incorrect_answers', 'tags'] as const) {
    const [old, now] = [(before[field] ?? []).join(', '), (after[field] ?? []).join(', ')];
    if (old !== now) changes.push(`${toWords(field)}: ${old || 'none'} → ${now || 'none'}`);
  }
  return changes;
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
