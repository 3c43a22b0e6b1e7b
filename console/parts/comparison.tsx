/** Compares a result with an earlier one of the same type. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { query, setQuery } from '../state/address.ts';
import type { AnalysisType, Run } from '../state/analysis.ts';
import { type Comparison as Compared, type ComparedFinding, compareRuns } from '../state/comparison.ts';
import { formatAge, formatCount, plural, toWords } from '../state/format.ts';
import { useQuestionText } from '../state/question-texts.ts';
import { useResource } from '../state/resource.ts';
import { Failed } from './states.tsx';

const MAX_RUNS = 50;
const MAX_SHOWN = 50;

/** The run to compare with is a parameter of the address. */
export function Comparison({ run, type }: { run: Run; type: AnalysisType }) {
  const { analysis_type } = type;
  const runs = useResource<{ data: Run[] }>('/analysis', {
    analysis_type,
    status: 'succeeded',
    limit: MAX_RUNS,
  });
  const earlier = (runs.data?.data ?? []).filter(({ created_at }) => created_at < run.created_at);
  const chosen = query.value.get('compare') ?? '';
  if (earlier.length === 0) return null;
  return (
    <section aria-labelledby="comparison">
      <h2 id="comparison">Since an earlier run</h2>
      <div class="bar form">
        <select
          aria-label="Compare with"
          value={chosen}
          onChange={({ currentTarget }) => setQuery({ compare: currentTarget.value })}
        >
          <option value="">Compare with…</option>
          {earlier.map(({ id, finished_at, question_count }) => (
            <option key={id} value={id}>
              {formatAge(finished_at!)}, {plural(question_count ?? 0, 'question')}
            </option>
          ))}
        </select>
      </div>
      {chosen !== '' && <Differences key={chosen} earlier={chosen} later={run.id} type={type} />}
    </section>
  );
}

function Differences({ earlier, later, type }: { earlier: string; later: string; type: AnalysisType }) {
  const compared = useSignal<Compared | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  useEffect(() => {
    compareRuns(earlier, later, type).then(
      (result) => {
        compared.value = result;
      },
      (problem) => {
        error.value = problem;
      },
    );
  }, [earlier, later]);
  if (error.value !== undefined) return <Failed error={error.value} />;
  if (!compared.value)
    return (
      <p class="quiet" role="status">
        Comparing…
      </p>
    );
  const { appeared, gone, kept, isPartial } = compared.value;
  return (
    <>
      <p role="status">
        {plural(appeared.length, 'finding')} new, {formatCount(gone.length)} gone, {formatCount(kept)} in
        both.
        {isPartial && ' Of results with many rows, the first are compared.'}
      </p>
      <FindingList title="New" findings={appeared} />
      <FindingList title="Gone" findings={gone} />
    </>
  );
}

function FindingList({ title, findings }: { title: string; findings: ComparedFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="card list">
        {findings.slice(0, MAX_SHOWN).map((finding) => (
          <FindingRow key={`${finding.question_id} ${finding.name}`} {...finding} />
        ))}
        {findings.length > MAX_SHOWN && (
          <li class="quiet">and {formatCount(findings.length - MAX_SHOWN)} more</li>
        )}
      </ul>
    </>
  );
}

function FindingRow({ question_id, question_text, name }: ComparedFinding) {
  const text = useQuestionText(question_id, question_text);
  return (
    <li>
      <a href={`/console/questions/${question_id}`}>{text}</a>
      <span class="flag">{toWords(name)}</span>
    </li>
  );
}
