/** All analyses on one page: what each finds, how its latest run came out, and a new run. */
import { useSignal } from '@preact/signals';
import { Problem } from '../../src/client/request.ts';
import { SchemaForm, toParameters, type Values } from '../parts/schema-form.tsx';
import { FailedPage, Loading } from '../parts/states.tsx';
import { navigate, query } from '../state/address.ts';
import { type AnalysisType, getFirstParagraph, isUnfinished, type Run } from '../state/analysis.ts';
import { api } from '../state/api.ts';
import { formatAge, plural } from '../state/format.ts';
import { describeFilter, readFilter, toRunFilter } from '../state/question.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

/** Enough to have the latest run of each type in most banks. */
const MAX_RUNS = 200;

const GROUPS = [
  { title: 'Examine the questions themselves', readsResponses: false },
  { title: 'Examine what people answered', readsResponses: true },
];

export function Analyses() {
  const types = useResource<{ data: AnalysisType[] }>('/analysis/types');
  const runs = useResource<{ data: Run[] }>('/analysis', { limit: MAX_RUNS });
  const filter = readFilter(query.value);
  const failed = types.error ?? runs.error;
  if (!types.data || !runs.data)
    return failed ? (
      <FailedPage error={failed} onRetry={() => (types.error ? types : runs).reload()} />
    ) : (
      <Loading what="the analyses" />
    );
  const latest = new Map(runs.data.data.toReversed().map((run) => [run.analysis_type, run]));
  const shown = types.data.data.filter(({ reads_answers }) => !reads_answers || may('answers:read'));
  const about = describeFilter(filter);
  return (
    <>
      <h1>Analyses</h1>
      <p class="lead">
        {about === '' ? 'Of all questions of the bank.' : `Of the questions with ${about}. `}
        {about !== '' && <a href="/console/analyses">Take all questions</a>}
      </p>
      {GROUPS.map(({ title, readsResponses }) => (
        <section key={title}>
          <h2>{title}</h2>
          <ul class="analyses">
            {shown
              .filter(({ reads_responses }) => reads_responses === readsResponses)
              .map((type) => (
                <TypeCard key={type.analysis_type} type={type} latest={latest.get(type.analysis_type)} />
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function TypeCard({ type, latest }: { type: AnalysisType; latest: Run | undefined }) {
  const values = useSignal<Values>({});
  const faults = useSignal<Record<string, string>>({});
  const failure = useSignal<string | undefined>(undefined);
  const isStarting = useSignal(false);
  const { analysis_type, title, parameters } = type;
  const changed = Object.keys(toParameters(parameters.properties, values.value)).length;

  async function run() {
    isStarting.value = true;
    failure.value = undefined;
    faults.value = {};
    try {
      const { body } = await api.request<Run>('POST', '/analysis/run', {
        body: {
          analysis_type,
          parameters: toParameters(parameters.properties, values.value),
          filter: toRunFilter(readFilter(query.value)),
        },
        prefer: 'respond-async',
      });
      navigate(`/console/analyses/${body.id}`);
    } catch (error) {
      failure.value = error instanceof Error ? error.message : 'The analysis could not be started.';
      if (error instanceof Problem)
        faults.value = Object.fromEntries(
          error.faults.map(({ pointer, detail }) => [pointer.replace('/parameters/', ''), detail]),
        );
    } finally {
      isStarting.value = false;
    }
  }

  return (
    <li class="card">
      <h3>{title}</h3>
      <p>{getFirstParagraph(type.description)}</p>
      <p class="quiet">{latest ? <LatestRun run={latest} /> : 'Not run yet.'}</p>
      {may('analysis:run') && (
        <>
          <details>
            <summary>
              {plural(Object.keys(parameters.properties).length, 'setting')}
              {changed === 0 ? ', all by default' : `, ${changed} changed`}
            </summary>
            <SchemaForm
              prefix={analysis_type}
              schemas={parameters.properties}
              values={values.value}
              faults={faults.value}
              onChange={(next) => {
                values.value = next;
              }}
            />
          </details>
          <div role="alert">{failure.value && <p class="notice bad">{failure.value}</p>}</div>
          <button
            type="button"
            class="button"
            aria-label={`Run ${title}`}
            disabled={isStarting.value}
            onClick={run}
          >
            {isStarting.value ? 'Starting…' : 'Run'}
          </button>
        </>
      )}
    </li>
  );
}

function LatestRun({ run }: { run: Run }) {
  const words = isUnfinished(run) ? `${run.status} since` : run.status === 'succeeded' ? 'run' : run.status;
  return (
    <>
      <a href={`/console/analyses/${run.id}`}>
        {run.status === 'succeeded' ? 'Latest result' : 'Latest run'}
      </a>
      , {words} {formatAge(run.finished_at ?? run.created_at)}
      {run.question_count !== null && `, ${plural(run.question_count, 'question')}`}
    </>
  );
}
