/** One run: its progress, then what it found, as a sentence, a picture and rows that lead to questions. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem } from '../../src/client/request.ts';
import { Comparison } from '../parts/comparison.tsx';
import { Pager } from '../parts/pager.tsx';
import { ResultRows } from '../parts/result-rows.tsx';
import { Empty, FailedPage, Loading } from '../parts/states.tsx';
import { navigate, query, setQuery } from '../state/address.ts';
import {
  type AnalysisType,
  describeResult,
  isUnfinished,
  listRowFilters,
  type RunWithResult,
} from '../state/analysis.ts';
import { api } from '../state/api.ts';
import { downloadRows } from '../state/download.ts';
import { formatAge, formatDuration, plural, toWords } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

const PAGE_ROWS = 25;
const POLL_MS = 700;

export function Analysis({ id }: { id: string }) {
  const path = `/analysis/${encodeURIComponent(id)}`;
  const offset = Number(query.value.get('offset') ?? 0) || 0;
  const [flag, verdict, sort] = ['flag', 'verdict', 'sort'].map((name) => query.value.get(name) ?? undefined);
  const run = useResource<RunWithResult>(path, { limit: PAGE_ROWS, offset, flag, verdict, sort });
  const types = useResource<{ data: AnalysisType[] }>('/analysis/types');
  useEffect(() => {
    if (!run.data || !isUnfinished(run.data)) return;
    const timer = setTimeout(run.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [run.data]);
  if (!run.data || !types.data) {
    const error = run.error ?? types.error;
    if (error instanceof Problem && error.status === 404) return <h1>There is no such run</h1>;
    return error ? <FailedPage error={error} onRetry={run.reload} /> : <Loading what="the run" />;
  }
  const type = types.data.data.find(({ analysis_type }) => analysis_type === run.data!.analysis_type)!;
  const title = type.title;
  if (isUnfinished(run.data)) return <Progress run={run.data} title={title} />;
  if (!run.data.result) return <Ended run={run.data} title={title} />;
  return <ResultPage run={run.data} type={type} />;
}

function Progress({ run, title }: { run: RunWithResult; title: string }) {
  const percent = Math.round(run.progress * 100);
  return (
    <>
      <h1>{title}</h1>
      <p class="lead" role="status">
        {run.status === 'queued' ? 'Waiting to start.' : `Running, ${percent} % done.`} You can leave this
        page; the run continues.
      </p>
      <progress aria-label={`Progress of ${title}`} max={1} value={run.progress} />
      <p class="actions">
        {may('analysis:run') && (
          <button type="button" class="button" onClick={() => end(run, 'The run is cancelled.')}>
            Cancel the run
          </button>
        )}
      </p>
    </>
  );
}

function Ended({ run, title }: { run: RunWithResult; title: string }) {
  const { error } = run;
  const reason = typeof error === 'string' ? error : (error?.message ?? error?.detail);
  return (
    <>
      <h1>{title}</h1>
      <p class="notice bad">
        The run has {run.status === 'cancelled' ? 'been cancelled' : 'failed'}. {reason}
      </p>
      <a class="button" href="/console/analyses">
        Back to the analyses
      </a>
    </>
  );
}

function ResultPage({ run, type }: { run: RunWithResult; type: AnalysisType }) {
  const result = run.result!;
  const { pagination } = result;
  const filters = listRowFilters(type);
  const chosen = filters.findIndex(({ parameter, value }) => query.value.get(parameter) === value);
  const isDownloading = useSignal(false);

  async function download() {
    isDownloading.value = true;
    try {
      await downloadRows(run);
    } catch (error) {
      announceFailure(error);
    } finally {
      isDownloading.value = false;
    }
  }

  return (
    <>
      <p class="facts quiet">
        <span>{type.title}</span>
        <span>{plural(run.question_count ?? 0, 'question')}</span>
        {result.responses && <span>{plural(result.responses.cases, 'respondent')}</span>}
        <span>
          run {formatAge(run.finished_at!)}, {formatDuration(run.started_at!, run.finished_at!)}
        </span>
        <span class="downloads">
          <button type="button" class="link" disabled={isDownloading.value} onClick={download}>
            CSV
          </button>
          {' · '}
          <a href={`/analysis/${run.id}`} download={`${run.analysis_type}.json`}>
            JSON
          </a>
          {' · '}
          <a href={`/analysis/${run.id}/plot.svg`} download={`${run.analysis_type}.svg`}>
            SVG
          </a>
        </span>
      </p>
      <h1 class="verdict">{describeResult(type.analysis_type, result)}</h1>
      {result.warnings.map((warning) => (
        <p key={warning} class="notice">
          {warning}
        </p>
      ))}
      <div class="columns result">
        <Pictures run={run} type={type} />
        <section aria-label="Rows of the result">
          <div class="bar">
            <select
              aria-label="Finding"
              value={String(chosen)}
              onChange={({ currentTarget }) => {
                const filter = filters[Number(currentTarget.value)];
                const none = { flag: undefined, verdict: undefined, offset: undefined };
                setQuery({ ...none, ...(filter && { [filter.parameter]: filter.value }) });
              }}
            >
              <option value="-1">All rows</option>
              {filters.map(({ value }, i) => (
                <option key={value} value={String(i)}>
                  {toWords(value)}
                </option>
              ))}
            </select>
            <select
              aria-label="Order"
              value={query.value.get('sort') ?? ''}
              onChange={({ currentTarget }) => setQuery({ sort: currentTarget.value, offset: undefined })}
            >
              <option value="">Most urgent first</option>
              {type.sort_keys.flatMap((key) => [
                <option key={key} value={key}>
                  {toWords(key)}, lowest first
                </option>,
                <option key={`-${key}`} value={`-${key}`}>
                  {toWords(key)}, highest first
                </option>,
              ])}
            </select>
          </div>
          {pagination.total === 0 ? (
            <div class="card">
              <Empty title={chosen < 0 ? 'No question stands out' : 'No row has this finding'} />
            </div>
          ) : (
            <ResultRows rows={result.items} type={type} runId={run.id} />
          )}
          <Pager
            shown={result.items.length}
            size={PAGE_ROWS}
            pagination={pagination}
            offset={pagination.offset}
          />
        </section>
      </div>
      <Comparison run={run} type={type} />
      {may('analysis:run') && (
        <p class="actions">
          <button type="button" class="button plain" onClick={() => end(run, 'The result is deleted.')}>
            Delete this result
          </button>
        </p>
      )}
    </>
  );
}

/** The main figure, then the others of the type. */
function Pictures({ run, type }: { run: RunWithResult; type: AnalysisType }) {
  return (
    <div class="pictures">
      {[undefined, ...type.figures].map((figure) => (
        <Picture
          key={figure ?? ''}
          src={`/analysis/${run.id}/plot.svg${figure ? `?figure=${figure}` : ''}`}
          alt={`${figure ? toWords(figure) : type.title}: the rows of the result as a chart`}
        />
      ))}
    </div>
  );
}

/** A result without data for a figure has none. */
function Picture({ src, alt }: { src: string; alt: string }) {
  const isMissing = useSignal(false);
  if (isMissing.value) return null;
  return (
    <div class="card picture">
      <img
        src={src}
        alt={alt}
        onError={() => {
          isMissing.value = true;
        }}
      />
    </div>
  );
}

async function end({ id }: RunWithResult, words: string): Promise<void> {
  try {
    await api.request('DELETE', `/analysis/${id}`);
    navigate('/console/analyses');
    announce(words);
  } catch (error) {
    announceFailure(error);
  }
}
