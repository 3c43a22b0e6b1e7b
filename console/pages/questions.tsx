/** The questions of the bank: facets, search, and a list of any length. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { FacetList, type Facets } from '../parts/facet-list.tsx';
import { LongList } from '../parts/long-list.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { navigate, query, setQuery } from '../state/address.ts';
import { useCommands } from '../state/commands.ts';
import { DIFFICULTIES, formatCount, plural } from '../state/format.ts';
import { formatAnswer, nameValue, type Question, readFilter } from '../state/question.ts';
import { useResource } from '../state/resource.ts';
import { RowPages } from '../state/row-pages.ts';
import { may } from '../state/session.ts';

const ROW_PX = 56;
const SEARCH_DELAY_MS = 150;

interface FacetResult {
  total: number;
  facets: Facets;
}

export function Questions() {
  const filter = readFilter(query.value);
  const key = JSON.stringify(filter);
  const rows = useMemo(() => new RowPages<Question>('/questions', { sort: '-created_at', ...filter }), [key]);
  const current = useSignal(0);
  useEffect(() => {
    current.value = 0;
    rows.show(0, 0);
    return () => rows.close();
  }, [rows]);
  const facets = useResource<FacetResult>('/questions/facets', { ...filter, limit: 12 });
  const search = useRef<HTMLInputElement>(null);
  const total = rows.total.value;
  const move = (by: number) => {
    current.value = Math.max(0, Math.min((total ?? 1) - 1, current.value + by));
  };
  useCommands([
    { key: 'j', words: 'Next question', run: () => move(1) },
    { key: 'k', words: 'Previous question', run: () => move(-1) },
    { key: '/', words: 'Search', run: () => search.current?.focus() },
    {
      key: 'Enter',
      words: 'Open the question',
      run: () => {
        const question = rows.get(current.value);
        if (question) navigate(`/console/questions/${question.id}`);
      },
    },
  ]);
  // Read, so that the list is rendered again when rows arrive.
  void rows.version.value;
  return (
    <div class="work">
      <FacetList facets={facets.data?.facets ?? {}} />
      <div class="results">
        <h1 class="visually-hidden">Questions</h1>
        <div class="bar">
          <SearchField input={search} />
          {may('questions:write', 'answers:read') && (
            <a class="button primary" href="/console/questions/new">
              New
            </a>
          )}
        </div>
        <Chips filter={filter} />
        <p class="quiet" role="status">
          {total === undefined ? 'Loading…' : plural(total, 'question')}
        </p>
        {rows.error.value !== undefined && (
          <Failed error={rows.error.value} onRetry={() => rows.show(0, 0)} />
        )}
        {total === 0 && (
          <Empty title="No question matches">
            <p>Remove a filter, or search for other words.</p>
          </Empty>
        )}
        {total === undefined && rows.error.value === undefined && <Loading what="the questions" />}
        {total !== undefined && total > 0 && (
          <LongList
            label={`${formatCount(total)} questions`}
            total={total}
            rowPx={ROW_PX}
            current={current.value}
            onShow={(first, last) => rows.show(first, last)}
            renderRow={(index) => <Row question={rows.get(index)} />}
          />
        )}
      </div>
    </div>
  );
}

function SearchField({ input }: { input: { current: HTMLInputElement | null } }) {
  const timer = useRef(0);
  const text = query.value.get('q') ?? '';
  return (
    <input
      ref={input}
      type="search"
      class="search"
      aria-label="Search the questions"
      placeholder="Search the questions"
      value={text}
      onInput={(event) => {
        const { value } = event.currentTarget;
        clearTimeout(timer.current);
        timer.current = window.setTimeout(
          () => setQuery({ q: value.trim() }, { replace: true }),
          SEARCH_DELAY_MS,
        );
      }}
    />
  );
}

function Chips({ filter }: { filter: Record<string, string[]> }) {
  const chips = Object.entries(filter).flatMap(([name, values]) =>
    name === 'q' ? [] : values.map((value) => ({ name, value })),
  );
  if (chips.length === 0) return null;
  return (
    <ul class="chips">
      {chips.map(({ name, value }) => (
        <li key={`${name} ${value}`}>
          {nameValue(name, value)}
          <button
            type="button"
            aria-label={`Remove the filter ${nameValue(name, value)}`}
            onClick={() => setQuery({ [name]: filter[name]!.filter((each) => each !== value) })}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function Row({ question }: { question: Question | undefined }) {
  if (!question) return <span class="quiet">…</span>;
  return (
    <>
      <a class="text" href={`/console/questions/${question.id}`}>
        {question.question_text}
      </a>
      <span class="answer">{formatAnswer(question)}</span>
      <span class="quiet">{question.category}</span>
      <span class="quiet">{DIFFICULTIES[question.difficulty]}</span>
    </>
  );
}
