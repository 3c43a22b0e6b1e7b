/** The categories of the bank: added, renamed, merged, and removed when they are empty. */
import { useSignal } from '@preact/signals';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FailedPage, Loading } from '../parts/states.tsx';
import { api } from '../state/api.ts';
import { attempt } from '../state/attempt.ts';
import { mergeCategories } from '../state/changes.ts';
import { plural } from '../state/format.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

interface Category {
  id: string;
  name: string;
  description: string | null;
  /** Neither renamed nor removed. */
  fixed: boolean;
  question_count: number;
}

export function Categories() {
  const categories = useResource<{ data: Category[] }>('/categories');
  if (!categories.data)
    return categories.error ? (
      <FailedPage error={categories.error} onRetry={categories.reload} />
    ) : (
      <Loading what="the categories" />
    );
  const { data } = categories.data;
  return (
    <>
      <h1>Categories</h1>
      <p class="lead">Every question is in one of them.</p>
      <form
        class="bar form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const name = String(new FormData(form).get('name')).trim();
          void attempt(`The category ${name} is added.`, () => api.post('/categories', { name })).then(() =>
            form.reset(),
          );
        }}
      >
        <input
          class="search"
          name="name"
          aria-label="Name of a new category"
          placeholder="Name of a new category"
          required
          maxLength={200}
        />
        <button type="submit" class="button primary">
          Add
        </button>
      </form>
      <ul class="card list">
        {data.map((category) => (
          <CategoryRow
            key={category.id}
            category={category}
            others={data.filter(({ id }) => id !== category.id)}
          />
        ))}
      </ul>
    </>
  );
}

function CategoryRow({ category, others }: { category: Category; others: Category[] }) {
  const { id, name, description, fixed, question_count } = category;
  const newName = useSignal<string | undefined>(undefined);
  return (
    <li>
      <span>
        {newName.value === undefined ? (
          <a href={`/console/questions?${new URLSearchParams({ category: name })}`}>{name}</a>
        ) : (
          <form
            class="bar"
            onSubmit={(event) => {
              event.preventDefault();
              const next = newName.value!.trim();
              newName.value = undefined;
              void attempt(`${name} is now ${next}.`, () =>
                api.request('PATCH', `/categories/${id}`, { body: { name: next } }),
              );
            }}
          >
            <input
              class="search"
              aria-label={`New name of ${name}`}
              value={newName.value}
              required
              maxLength={200}
              onInput={({ currentTarget }) => {
                newName.value = currentTarget.value;
              }}
            />
            <button type="submit" class="button">
              Save
            </button>
          </form>
        )}
        <small class="quiet">
          {plural(question_count, 'question')}
          {description && ` · ${description}`}
        </small>
      </span>
      {!fixed && (
        <span class="actions">
          <button
            type="button"
            class="button plain"
            aria-label={`Rename ${name}`}
            onClick={() => {
              newName.value = name;
            }}
          >
            Rename
          </button>
          {may('questions:write', 'answers:read') && (
            <select
              aria-label={`Merge ${name} into`}
              value=""
              onChange={({ currentTarget }) => void mergeCategories(currentTarget.value, [id])}
            >
              <option value="">Merge into…</option>
              {others.map((other) => (
                <option key={other.id} value={other.id}>
                  {other.name}
                </option>
              ))}
            </select>
          )}
          {question_count === 0 && (
            <ConfirmButton
              label="Remove"
              question={`Remove ${name}?`}
              onConfirm={() =>
                attempt(`${name} is removed.`, () => api.request('DELETE', `/categories/${id}`))
              }
            />
          )}
        </span>
      )}
    </li>
  );
}
