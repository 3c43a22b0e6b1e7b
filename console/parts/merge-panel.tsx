/** Fields that were changed here and meanwhile by others: one of the two values is chosen for each. */
import type { Draft, Field } from '../state/draft.ts';
import { DIFFICULTIES, toWords } from '../state/format.ts';

interface MergePanelProps {
  conflicts: readonly Field[];
  mine: Draft;
  theirs: Draft;
  onChoose(field: Field, value: string): void;
}

const show = (field: Field, value: string) =>
  field === 'difficulty' ? DIFFICULTIES[Number(value)] : value || 'nothing';

export function MergePanel({ conflicts, mine, theirs, onChoose }: MergePanelProps) {
  return (
    <section class="notice merge" role="alert" aria-labelledby="merge">
      <h2 id="merge">The question was changed meanwhile</h2>
      <p>
        Fields that only one side has changed are merged. Choose the value of the others; what is chosen can
        still be edited below.
      </p>
      {conflicts.map((field) => (
        <div key={field} class="versions">
          <strong>{toWords(field)}</strong>
          {(
            [
              ['Theirs', theirs],
              ['Yours', mine],
            ] as const
          ).map(([label, version]) => (
            <div key={label} class="card">
              <pre>{show(field, version[field])}</pre>
              <button
                type="button"
                class="button"
                aria-label={`Take ${label.toLowerCase()} of ${toWords(field)}`}
                onClick={() => onChoose(field, version[field])}
              >
                Take {label.toLowerCase()}
              </button>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
