/** What people answered: responses by respondent, session and group, and the deletion of a respondent. */
import { useSignal } from '@preact/signals';
import { Pager } from '../parts/pager.tsx';
import { Empty, FailedPage, Loading } from '../parts/states.tsx';
import { query, setQuery } from '../state/address.ts';
import { api } from '../state/api.ts';
import { formatAge, formatCount, plural, toWords } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import { useQuestionText } from '../state/question-texts.ts';
import { reloadAll, useResource } from '../state/resource.ts';

const PAGE_ROWS = 50;
const FILTERS = ['respondent', 'session', 'group', 'question_id'] as const;
type Filter = (typeof FILTERS)[number];

interface Response {
  question_id: string;
  respondent: string;
  session: string | null;
  group: string | null;
  answer: string | string[] | null;
  missing: 'omitted' | 'not_reached' | null;
  answered_at: string;
  correct: boolean | null;
}

interface ResponseList {
  data: Response[];
  pagination: { total: number; has_more: boolean };
}

const readFilters = (): Partial<Record<Filter, string>> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => (query.value.has(name) ? [[name, query.value.get(name)!]] : [])),
  );

export function Responses() {
  const filters = readFilters();
  const offset = Number(query.value.get('offset') ?? 0) || 0;
  const list = useResource<ResponseList>('/responses', { ...filters, limit: PAGE_ROWS, offset });
  if (!list.data)
    return list.error ? (
      <FailedPage error={list.error} onRetry={list.reload} />
    ) : (
      <Loading what="the responses" />
    );
  const { data, pagination } = list.data;
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <h1>Responses</h1>
      <p class="lead">
        {plural(pagination.total, 'response')}
        {isFiltered ? ' with these filters. ' : ' in the bank. '}
        Scored by the current keys; a corrected key scores them again.
      </p>
      <Search key={filters.respondent ?? ''} respondent={filters.respondent ?? ''} />
      <p class="chips">
        {Object.entries(filters).map(([name, value]) => (
          <button
            key={name}
            type="button"
            class="button plain"
            onClick={() => setQuery({ [name]: undefined, offset: undefined })}
          >
            {name === 'question_id' ? 'one question' : `${name} ${value}`} ×
          </button>
        ))}
      </p>
      {data.length === 0 ? (
        <Empty title={isFiltered ? 'No response has these filters' : 'There are no responses yet'}>
          <p>
            A quiz records them with <code>POST /responses</code>.
          </p>
        </Empty>
      ) : (
        <Table rows={data} />
      )}
      <Pager shown={data.length} size={PAGE_ROWS} pagination={pagination} offset={offset} />
      {filters.respondent !== undefined && (
        <Deletion key={filters.respondent} respondent={filters.respondent} total={pagination.total} />
      )}
    </>
  );
}

function Search({ respondent }: { respondent: string }) {
  return (
    <form
      class="bar form"
      onSubmit={(event) => {
        event.preventDefault();
        const given = String(new FormData(event.currentTarget).get('respondent')).trim();
        setQuery({ respondent: given, offset: undefined });
      }}
    >
      <input
        class="search"
        name="respondent"
        aria-label="Respondent"
        placeholder="Respondent, exactly as recorded"
        defaultValue={respondent}
        maxLength={200}
      />
      <button type="submit" class="button">
        Show
      </button>
    </form>
  );
}

function Table({ rows }: { rows: Response[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section class="card scroll" aria-label="Responses" tabIndex={0}>
      <table class="rows-table">
        <thead>
          <tr>
            {['Respondent', 'Question', 'Answer', 'Result', 'When'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.question_id} ${row.respondent} ${row.session}`}>
              <td>
                <FilterLink name="respondent" value={row.respondent} />
                <small class="quiet">
                  <FilterLink name="session" value={row.session} />{' '}
                  <FilterLink name="group" value={row.group} />
                </small>
              </td>
              <td>
                <QuestionLink id={row.question_id} />
              </td>
              <td>{row.answer === null ? '–' : [row.answer].flat().join('; ')}</td>
              <td>
                <Outcome {...row} />
              </td>
              <td class="quiet">{formatAge(row.answered_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FilterLink({ name, value }: { name: Filter; value: string | null }) {
  if (value === null) return null;
  return <a href={`/console/responses?${new URLSearchParams({ [name]: value })}`}>{value}</a>;
}

function QuestionLink({ id }: { id: string }) {
  return <a href={`/console/questions/${id}`}>{useQuestionText(id, undefined)}</a>;
}

function Outcome({ correct, missing }: Response) {
  if (missing !== null) return <span class="flag">{toWords(missing)}</span>;
  if (correct === null) return <span class="flag">not scored</span>;
  return <span class={`flag ${correct ? 'good' : 'minor'}`}>{correct ? 'right' : 'wrong'}</span>;
}

/** Deletes all that is known of a person, after their name has been typed. */
function Deletion({ respondent, total }: { respondent: string; total: number }) {
  const typed = useSignal('');
  async function deleteRespondent() {
    try {
      const { body } = await api.request<{ deleted: number }>('DELETE', '/responses', {
        query: { respondent },
      });
      announce(`${plural(body.deleted, 'response')} of ${respondent} deleted, with reports and draws.`);
      setQuery({ respondent: undefined, offset: undefined });
      reloadAll();
    } catch (error) {
      announceFailure(error);
    }
  }
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">Delete this respondent</h2>
      <p>
        Deletes all responses, reports and draws of {respondent} for good
        {total > 0 && `, ${formatCount(total)} shown here among them`}. Results of analyses keep their
        statistics and no longer name the respondent.
      </p>
      <form
        class="bar form"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.value === respondent) void deleteRespondent();
        }}
      >
        <input
          class="search"
          aria-label={`Type ${respondent} to confirm`}
          placeholder={`Type ${respondent} to confirm`}
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
        <button type="submit" class="button danger" disabled={typed.value !== respondent}>
          Delete for good
        </button>
      </form>
    </section>
  );
}
