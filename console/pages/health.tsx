import { Failed, Loading } from '../parts/states.tsx';
import { useResource } from '../state/resource.ts';

interface CategoryList {
  data: { id: string; name: string; question_count: number }[];
}

const count = new Intl.NumberFormat('en');

export function Health() {
  const categories = useResource<CategoryList>('/categories');
  if (!categories.data)
    return categories.error ? (
      <Failed error={categories.error} onRetry={categories.reload} />
    ) : (
      <Loading what="the bank" />
    );
  const total = categories.data.data.reduce((sum, { question_count }) => sum + question_count, 0);
  return (
    <>
      <h1>{count.format(total)} questions.</h1>
      <p class="lead">In {categories.data.data.length} categories.</p>
    </>
  );
}
