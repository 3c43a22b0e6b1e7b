/** The facets of the current list: each value with its count under the other filters. */
import { useSignal } from '@preact/signals';
import { query, setQuery } from '../state/address.ts';
import { formatCount } from '../state/format.ts';
import { type Filter, nameValue } from '../state/question.ts';

interface Value {
  value: string | number;
  count: number;
}
export type Facets = Partial<Record<Filter, Value[]>>;

const TITLES: [Filter, string][] = [
  ['category', 'Category'],
  ['difficulty', 'Difficulty'],
  ['kind', 'Kind'],
  ['status', 'Status'],
  ['finding', 'Findings'],
  ['missing', 'Without'],
  ['topic_focus', 'Topic'],
  ['tag', 'Tag'],
  ['source', 'Source'],
];
const MAX_SHOWN = 12;

/** On narrow screens the filters open below a button. */
export function FacetList({ facets }: { facets: Facets }) {
  const isOpen = useSignal(false);
  return (
    <nav class="facets" aria-label="Filters">
      <button
        type="button"
        class="button"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        Filters
      </button>
      <div class={isOpen.value ? 'open' : ''}>
        {TITLES.map(([filter, title]) => {
          const values = facets[filter] ?? [];
          return values.length > 0 && <Facet key={filter} filter={filter} title={title} values={values} />;
        })}
      </div>
    </nav>
  );
}

function Facet({ filter, title, values }: { filter: Filter; title: string; values: Value[] }) {
  const chosen = query.value.getAll(filter);
  const shown = values.filter(({ value }, i) => i < MAX_SHOWN || chosen.includes(String(value)));
  return (
    <fieldset>
      <legend>{title}</legend>
      {shown.map(({ value, count }) => (
        <label key={value} class={count === 0 ? 'zero' : ''}>
          <input
            type="checkbox"
            checked={chosen.includes(String(value))}
            onChange={(event) => toggle(filter, String(value), event.currentTarget.checked)}
          />
          <span>{nameValue(filter, value)}</span>
          <small>{formatCount(count)}</small>
        </label>
      ))}
    </fieldset>
  );
}

function toggle(filter: Filter, value: string, isChosen: boolean): void {
  const others = query.value.getAll(filter).filter((each) => each !== value);
  setQuery({ [filter]: isChosen ? [...others, value] : others });
}
