/** The facets of the current list: each value with its count under the other filters. */
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

export function FacetList({ facets }: { facets: Facets }) {
  return (
    <nav class="facets" aria-label="Filters">
      {TITLES.map(([filter, title]) => {
        const values = facets[filter] ?? [];
        return values.length > 0 && <Facet key={filter} filter={filter} title={title} values={values} />;
      })}
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
