/** What the latest run of each analysis found in a question. */
import { navigate } from '../state/address.ts';
import { mergeQuestions } from '../state/changes.ts';
import { formatAge, toWords } from '../state/format.ts';
import { dismiss } from '../state/mending.ts';
import { useQuestionText } from '../state/question-texts.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';
import { Failed } from './states.tsx';

interface TypeFindings {
  analysis_type: string;
  analysis_id: string;
  finished_at: string;
  stale: boolean | null;
  findings: { name: string; severity: 'info' | 'minor' | 'major' }[];
  items: {
    message?: string;
    findings?: { rule: string; message: string }[];
    /** Of duplicates: the oldest of the group. */
    first_question_id?: string;
  }[];
}

export function Findings({ id }: { id: string }) {
  const found = useResource<{ data: TypeFindings[] }>(`/questions/${id}/findings`);
  if (found.error !== undefined) return <Failed error={found.error} onRetry={found.reload} />;
  if (!found.data) return null;
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">What is known</h2>
      {found.data.data.length === 0 && <p class="quiet">No analysis has examined this question yet.</p>}
      {found.data.data.toSorted(byUrgency).map((type) => (
        <article key={type.analysis_type} class="known">
          <p>
            <strong>{toWords(type.analysis_type)}</strong>{' '}
            {type.findings.length === 0 && <span class="flag good">nothing found</span>}
            {type.findings.map(({ name, severity }) => (
              <span key={name} class={`flag ${severity}`}>
                {toWords(name)}
              </span>
            ))}
          </p>
          {listMessages(type).map((message) => (
            <p key={message}>{message}</p>
          ))}
          <SameQuestion id={id} type={type} />
          <small class="quiet">
            {formatAge(type.finished_at)}
            {type.stale && ' · the question has changed since'}
          </small>
          {may('questions:write', 'answers:read') &&
            type.findings.map(({ name }) => (
              <button
                key={name}
                type="button"
                class="button plain"
                onClick={() => void dismiss(id, type.analysis_type, [name]).then(found.reload)}
              >
                {toWords(name)} is not a fault
              </button>
            ))}
        </article>
      ))}
    </section>
  );
}

const SEVERITIES = ['major', 'minor', 'info'];

/** Types with the most severe findings first, those without findings last. */
const byUrgency = (a: TypeFindings, b: TypeFindings): number => rank(a) - rank(b);
const rank = ({ findings }: TypeFindings): number =>
  Math.min(SEVERITIES.length, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)));

/** The question that asks the same, and the way to make one of both. */
function SameQuestion({ id, type }: { id: string; type: TypeFindings }) {
  const first = type.items.find(({ first_question_id }) => first_question_id)?.first_question_id;
  const text = useQuestionText(first, undefined);
  if (!first || first === id) return null;
  return (
    <p class="same">
      The other one: <a href={`/console/questions/${first}`}>{text}</a>
      {may('questions:write', 'answers:read') && (
        <button
          type="button"
          class="button"
          onClick={() => void mergeQuestions(first, [id]).then(() => navigate(`/console/questions/${first}`))}
        >
          Merge into it
        </button>
      )}
    </p>
  );
}

const listMessages = ({ items }: TypeFindings): string[] =>
  items.flatMap(({ message, findings = [] }) => [
    ...(message === undefined ? [] : [message]),
    ...findings.map((finding) => finding.message),
  ]);
