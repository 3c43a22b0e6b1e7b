/** What can be done with the selected questions, or with all that match. */
import { useSignal } from '@preact/signals';
import { changeQuestions } from '../state/changes.ts';
import { DIFFICULTIES, plural } from '../state/format.ts';
import { useResource } from '../state/resource.ts';

interface Selection {
  /** Undefined for all that match. */
  ids: readonly string[] | undefined;
  filter: Record<string, unknown> | undefined;
  total: number;
}

interface BulkBarProps {
  selection: Selection;
  onSelectAll(): void;
  onClear(): void;
}

const ACTIONS = {
  category: 'Move to category',
  difficulty: 'Set the difficulty',
  add_tags: 'Add the tag',
  remove_tags: 'Remove the tag',
  topic_focus: 'Set the topic',
  delete: 'Delete',
} as const;
type Action = keyof typeof ACTIONS;

export function BulkBar({ selection, onSelectAll, onClear }: BulkBarProps) {
  const action = useSignal<Action>('category');
  const value = useSignal('');
  const isBusy = useSignal(false);
  const { ids, filter, total } = selection;
  const count = ids?.length ?? total;
  const isComplete = action.value === 'delete' || value.value.trim() !== '';

  async function apply(event: SubmitEvent) {
    event.preventDefault();
    isBusy.value = true;
    await changeQuestions({
      ...(ids ? { question_ids: [...ids] } : { filter: filter ?? {}, expected: total }),
      ...(action.value === 'delete'
        ? { delete: true }
        : { change: toChange(action.value, value.value.trim()) }),
    });
    isBusy.value = false;
    onClear();
  }

  return (
    <form class="bulk card" aria-label="Change the selected questions" onSubmit={apply}>
      <p role="status">
        <strong>{ids ? `${plural(count, 'question')} selected` : `All ${plural(count, 'question')}`}</strong>
        {ids && ids.length < total && (
          <button type="button" class="link" onClick={onSelectAll}>
            Select all {plural(total, 'question')} that match
          </button>
        )}
        <button type="button" class="link" onClick={onClear}>
          Clear
        </button>
      </p>
      <select
        aria-label="Change"
        value={action.value}
        onChange={({ currentTarget }) => {
          action.value = currentTarget.value as Action;
          value.value = '';
        }}
      >
        {Object.entries(ACTIONS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <ValueField
        action={action.value}
        value={value.value}
        onChange={(next) => {
          value.value = next;
        }}
      />
      <button type="submit" class="button primary" disabled={isBusy.value || !isComplete}>
        {isBusy.value ? 'Working…' : `Apply to ${count}`}
      </button>
    </form>
  );
}

interface ValueFieldProps {
  action: Action;
  value: string;
  onChange(value: string): void;
}

function ValueField({ action, value, onChange }: ValueFieldProps) {
  const categories = useResource<{ data: { name: string }[] }>('/categories');
  if (action === 'delete') return null;
  if (action !== 'category' && action !== 'difficulty')
    return (
      <input
        aria-label={ACTIONS[action]}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  const options =
    action === 'difficulty'
      ? DIFFICULTIES.map((name, level) => [String(level), name] as const)
      : (categories.data?.data ?? []).map(({ name }) => [name, name] as const);
  return (
    <select
      aria-label={ACTIONS[action]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    >
      <option value="">Choose…</option>
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  );
}

function toChange(action: Exclude<Action, 'delete'>, value: string): Record<string, unknown> {
  if (action === 'difficulty') return { difficulty: Number(value) };
  return { [action]: action === 'add_tags' || action === 'remove_tags' ? [value] : value };
}
