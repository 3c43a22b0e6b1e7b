/** The questions of the bank: facets, search, and a list of any length. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { FacetList, type Facets } from '../parts/facet-list.tsx';
import { LongList } from '../parts/long-list.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { navigate, query, setQuery } from '../state/address.ts';
import { useCommands } from '../state/commands.ts';
import { DIFFICULTIES, formatCount, plural } from '../state/format.ts';
import { formatAnswer, nameValue, type Question, readFilter, toRunFilter } from '../state/question.ts';
import { generation, useResource } from '../state/resource.ts';
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
  const isReloaded = generation.value;
  const rows = useMemo(
    () => new RowPages<Question>('/questions', { sort: '-created_at', ...filter }),
    [key, isReloaded],
  );
  /** The rows in view; those of the previous filter until the first new ones are there. */
  const shown = useRef(rows);
  const range = useRef<[first: number, last: number]>([0, 0]);
  const current = useSignal(0);
  const selection = useSignal<ReadonlySet<string> | 'all'>(new Set());
  useEffect(() => {
    current.value = 0;
    selection.value = new Set();
    range.current = [0, 0];
  }, [key]);
  useEffect(() => {
    rows.show(...range.current);
    return () => rows.close();
  }, [rows]);
  // Read, so that the list is rendered again when rows arrive.
  void rows.version.value;
  if (rows.total.value !== undefined) shown.current = rows;
  const facets = useResource<FacetResult>('/questions/facets', { ...filter, limit: 12 });
  const search = useRef<HTMLInputElement>(null);
  const total = shown.current.total.value;
  const mayWrite = may('questions:write', 'answers:read');
  const move = (by: number) => {
    current.value = Math.max(0, Math.min((total ?? 1) - 1, current.value + by));
  };
  const toggle = (question: Question | undefined) => {
    if (!question || !mayWrite) return;
    const next = new Set(selection.value === 'all' ? [] : selection.value);
    if (!next.delete(question.id)) next.add(question.id);
    selection.value = next;
  };
  const open = () => {
    const question = shown.current.get(current.value);
    if (question) navigate(`/console/questions/${question.id}`);
  };
  useCommands([
    { key: 'j', words: 'Next question', run: () => move(1) },
    { key: 'k', words: 'Previous question', run: () => move(-1) },
    { key: 'Enter', words: 'Open the question', run: open },
    { key: '/', words: 'Search the questions', run: () => search.current?.focus() },
    ...(mayWrite
      ? [
          { key: 'x', words: 'Select the question', run: () => toggle(shown.current.get(current.value)) },
          { key: 'n', words: 'New question', run: () => navigate('/console/questions/new') },
        ]
      : []),
  ]);
  const isSelected = (id: string) => selection.value === 'all' || selection.value.has(id);
  return (
    <div class="work">
      <FacetList facets={facets.data?.facets ?? {}} />
      <div class="results">
        <h1 class="visually-hidden">Questions</h1>
        <div class="bar">
          <SearchField input={search} />
          {mayWrite && (
            <a class="button primary" href="/console/questions/new">
              New <kbd>n</kbd>
            </a>
          )}
        </div>
        <Chips filter={filter} />
        <p class="summary quiet">
          <span role="status">{total === undefined ? 'Loading…' : plural(total, 'question')}</span>
          {may('analysis:run') && key !== '{}' && (
            <a href={`/console/analyses${window.location.search}`}>Analyse these</a>
          )}
        </p>
        {rows.error.value !== undefined && (
          <Failed error={rows.error.value} onRetry={() => rows.show(...range.current)} />
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
            isStale={shown.current !== rows}
            onShow={(first, last) => {
              range.current = [first, last];
              rows.show(first, last);
            }}
            renderRow={(index) => (
              <Row
                question={shown.current.get(index)}
                isSelected={isSelected}
                onToggle={mayWrite ? toggle : undefined}
              />
            )}
          />
        )}
        {total !== undefined && (selection.value === 'all' || selection.value.size > 0) && (
          <BulkBar
            selection={{
              ids: selection.value === 'all' ? undefined : [...selection.value],
              filter: toRunFilter(filter),
              total,
            }}
            onSelectAll={() => {
              selection.value = 'all';
            }}
            onClear={() => {
              selection.value = new Set();
            }}
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

interface RowProps {
  question: Question | undefined;
  isSelected(id: string): boolean;
  /** Absent if questions cannot be changed. */
  onToggle: ((question: Question) => void) | undefined;
}

function Row({ question, isSelected, onToggle }: RowProps) {
  if (!question) return <span class="quiet">…</span>;
  return (
    <>
      {onToggle ? (
        <input
          type="checkbox"
          aria-label={`Select ${question.question_text}`}
          checked={isSelected(question.id)}
          onChange={() => onToggle(question)}
        />
      ) : (
        <span />
      )}
      <a class="text" href={`/console/questions/${question.id}`}>
        {question.question_text}
      </a>
      <span class="answer">{formatAnswer(question)}</span>
      <span class="category quiet">{question.category}</span>
      <span class="level quiet">{DIFFICULTIES[question.difficulty]}</span>
    </>
  );
}
