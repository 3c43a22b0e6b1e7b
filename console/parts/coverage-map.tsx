/** The number of questions by category and difficulty. Each cell leads to its questions. */
import { DIFFICULTIES, formatCount } from '../state/format.ts';
import { useResource } from '../state/resource.ts';
import { Failed, Loading } from './states.tsx';

interface Facets {
  facets: { category: { value: string; count: number }[] };
}

const SHADES = 5;

export function CoverageMap() {
  const levels = [0, 1, 2].map((difficulty) =>
    useResource<Facets>('/questions/facets', { difficulty, limit: 1 }),
  );
  const failed = levels.find(({ error }) => error !== undefined);
  if (failed) return <Failed error={failed.error} onRetry={failed.reload} />;
  if (levels.some(({ data }) => !data)) return <Loading what="the coverage" />;
  const counts = levels.map(
    ({ data }) => new Map(data!.facets.category.map(({ value, count }) => [value, count])),
  );
  const categories = [...new Set(counts.flatMap((each) => [...each.keys()]))];
  const max = Math.max(1, ...counts.flatMap((each) => [...each.values()]));
  return (
    <table class="card coverage">
      <caption>Questions by category and difficulty</caption>
      <thead>
        <tr>
          <th scope="col">Category</th>
          {DIFFICULTIES.map((name) => (
            <th key={name} scope="col">
              <abbr title={name}>{name.length > 8 ? `${name.slice(0, 6)}.` : name}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {categories.map((category) => (
          <tr key={category}>
            <th scope="row">{category}</th>
            {counts.map((each, difficulty) => {
              const count = each.get(category) ?? 0;
              const shade = count === 0 ? 'none' : Math.ceil((SHADES * Math.sqrt(count)) / Math.sqrt(max));
              const query = new URLSearchParams({ category, difficulty: String(difficulty) });
              return (
                <td key={DIFFICULTIES[difficulty]}>
                  <a class={`cell shade-${shade}`} href={`/console/questions?${query}`}>
                    {formatCount(count)}
                  </a>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
