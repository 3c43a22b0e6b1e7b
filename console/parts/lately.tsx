/** What happened lately: changes of many questions, with their undo, and runs of analyses. */
import type { Run } from '../state/analysis.ts';
import { type Change, undoChange } from '../state/changes.ts';
import { formatAge, plural, toWords } from '../state/format.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

const MAX_ROWS = 6;

const CHANGE_WORDS: Record<string, string> = {
  update: 'changed',
  delete: 'deleted',
  apply_remedy: 'mended',
  merge_questions: 'merged',
  merge_categories: 'moved to another category',
  import: 'imported',
  undo: 'set back',
};

export function Lately() {
  const mayChange = may('questions:write', 'answers:read');
  const query = { limit: MAX_ROWS };
  const changes = useResource<{ data: Change[] }>(mayChange ? '/changes' : undefined, query);
  const runs = useResource<{ data: Run[] }>(may('analysis:read') ? '/analysis' : undefined, query);
  const undone = new Set(changes.data?.data.map(({ request }) => request.undo_of));
  const rows = [
    ...(changes.data?.data ?? []).map((change) => ({
      id: change.id,
      at: change.created_at,
      words: `${plural(change.changed, 'question')} ${CHANGE_WORDS[change.kind] ?? toWords(change.kind)}`,
      href: undefined,
      canUndo: change.kind !== 'undo' && change.status === 'succeeded' && !undone.has(change.id),
    })),
    ...(runs.data?.data ?? []).map((run) => ({
      id: run.id,
      at: run.created_at,
      words: `Analysis ${toWords(run.analysis_type)} ${run.status}`,
      href: `/console/analyses/${run.id}`,
      canUndo: false,
    })),
  ]
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, MAX_ROWS);
  if (rows.length === 0) return null;
  return (
    <section class="lately" aria-labelledby="lately">
      <h2 id="lately">Lately</h2>
      <ul class="card">
        {rows.map(({ id, at, words, href, canUndo }) => (
          <li key={id}>
            {href ? <a href={href}>{words}</a> : <span>{words}</span>}
            <span class="quiet">
              {formatAge(at)}
              {canUndo && (
                <>
                  {' · '}
                  <button
                    type="button"
                    class="link"
                    aria-label={`Undo: ${words}`}
                    onClick={() => void undoChange(id)}
                  >
                    Undo
                  </button>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
