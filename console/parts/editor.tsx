/**
 * The editor of a question. What is typed is kept as a draft in the browser until it is saved or
 * discarded. The service validates it while it is being typed, and reports nearly identical questions.
 * A revision that is stored meanwhile is merged into the draft.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Fault, Problem } from '../../src/client/request.ts';
import { api } from '../state/api.ts';
import { useCommands } from '../state/commands.ts';
import {
  type Draft,
  EMPTY_DRAFT,
  type Field,
  mergeDrafts,
  toChange,
  toDraft,
  toInput,
} from '../state/draft.ts';
import { DIFFICULTIES } from '../state/format.ts';
import type { Question } from '../state/question.ts';
import { useResource } from '../state/resource.ts';
import { MergePanel } from './merge-panel.tsx';

interface EditorProps {
  question?: Question;
  onSaved(question: Question): void;
  onCancel(): void;
}

interface Duplicates {
  matches: { id: string | null; class: string; question_text?: string }[];
}

const VALIDATION_DELAY_MS = 600;

export function Editor({ question, onSaved, onCancel }: EditorProps) {
  const key = `draft ${question?.id ?? 'new'}`;
  const stored = useRef(readStored(key)).current;
  /** The revision that the draft was made from. */
  const base = useSignal<Question | undefined>(stored?.base ?? question);
  const draft = useSignal<Draft>(stored?.draft ?? (question ? toDraft(question) : EMPTY_DRAFT));
  /** Both versions of the fields that another revision has changed, too. */
  const conflict = useSignal<{ fields: Field[]; theirs: Draft; mine: Draft } | undefined>(undefined);
  const faults = useSignal<readonly Fault[]>([]);
  const failure = useSignal<string | undefined>(undefined);
  const similar = useSignal<Duplicates['matches']>([]);
  const isSaving = useSignal(false);
  const touched = useRef(false);
  const categories = useResource<{ data: { name: string }[] }>('/categories');

  const change = (field: Field, value: string) => {
    touched.current = true;
    draft.value = { ...draft.value, [field]: value };
    store(key, { base: base.value, draft: draft.value });
  };

  useEffect(() => {
    if (!touched.current || draft.value.question_text.trim() === '') return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      api
        .post<{ duplicates?: Duplicates[] }>('/questions', toInput(draft.value), {
          query: { validate_only: true },
          signal: controller.signal,
        })
        .then(
          ({ duplicates = [] }) => {
            faults.value = [];
            similar.value = (duplicates[0]?.matches ?? []).filter(({ id }) => id !== question?.id);
          },
          (error: unknown) => {
            if (error instanceof Problem && error.status === 422) faults.value = error.faults;
          },
        );
    }, VALIDATION_DELAY_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [draft.value]);

  /** Merges the draft with a revision that was stored meanwhile; true if nothing is left to choose. */
  function merge(current: Question): boolean {
    const theirs = toDraft(current);
    const mine = draft.value;
    const { merged, conflicts } = mergeDrafts(toDraft(base.value!), theirs, mine);
    base.value = current;
    draft.value = merged;
    conflict.value = conflicts.length > 0 ? { fields: conflicts, theirs, mine } : undefined;
    store(key, { base: current, draft: merged });
    return conflicts.length === 0;
  }

  async function send(): Promise<Question | undefined> {
    if (!base.value) return api.post<Question>('/questions', toInput(draft.value));
    const path = `/questions/${base.value.id}`;
    const readPath = base.value.pending ? `${path}/pending` : path;
    const { body: current, etag } = await api.request<Question>('GET', readPath);
    if (current.revision !== base.value.revision && !merge(current)) return undefined;
    const body = toChange(draft.value, toDraft(base.value));
    if (Object.keys(body).length === 0) return current;
    return (await api.request<Question>('PATCH', path, { body, ifMatch: etag })).body;
  }

  async function save(isRepeated = false) {
    isSaving.value = true;
    failure.value = undefined;
    try {
      const saved = await send();
      if (!saved) return;
      sessionStorage.removeItem(key);
      onSaved(saved);
    } catch (error) {
      faults.value = error instanceof Problem ? error.faults : [];
      failure.value = error instanceof Error ? error.message : 'The question could not be saved.';
      // Changed between reading and writing it.
      if (error instanceof Problem && error.status === 412 && !isRepeated) return save(true);
    } finally {
      isSaving.value = false;
    }
  }

  const isOpen = conflict.value !== undefined;
  useCommands([{ key: 'Mod+s', words: 'Save', run: () => void (!isOpen && save()) }]);
  const faultOf = (field: string) =>
    faults.value.find(({ pointer }) => pointer.startsWith(`/${field}`))?.detail;
  const text = (field: Field, label: string, options: { rows?: number; hint?: string } = {}) => (
    <TextField
      field={field}
      label={label}
      value={draft.value[field]}
      fault={faultOf(field)}
      onChange={(value) => change(field, value)}
      {...options}
    />
  );
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {stored && !touched.current && (
        <p class="notice">This is a draft from before, which has not been saved.</p>
      )}
      {conflict.value && (
        <MergePanel
          conflicts={conflict.value.fields}
          theirs={conflict.value.theirs}
          mine={conflict.value.mine}
          onChoose={(field, value) => {
            const fields = conflict.value!.fields.filter((each) => each !== field);
            conflict.value = fields.length > 0 ? { ...conflict.value!, fields } : undefined;
            change(field, value);
          }}
        />
      )}
      {text('question_text', 'Question', { rows: 3 })}
      {text('correct_answer', 'Correct answer', { rows: 1, hint: 'Several correct answers: one per line.' })}
      {text('incorrect_answers', 'Incorrect answers', {
        rows: 4,
        hint: 'One per line. None for a short answer.',
      })}
      <div class="pair">
        <div class="field">
          <label for="category">Category</label>
          <select
            id="category"
            value={draft.value.category}
            required
            onChange={(event) => change('category', event.currentTarget.value)}
          >
            <option value="">Choose…</option>
            {(categories.data?.data ?? []).map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="difficulty">Difficulty</label>
          <select
            id="difficulty"
            value={draft.value.difficulty}
            onChange={(event) => change('difficulty', event.currentTarget.value)}
          >
            {DIFFICULTIES.map((name, level) => (
              <option key={name} value={String(level)}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      {text('topic_focus', 'Topic')}
      {text('tags', 'Tags', { rows: 2, hint: 'One per line.' })}
      {text('explanation', 'Explanation', { rows: 3 })}
      {text('source', 'Source')}
      <div role="status">
        {similar.value.length > 0 && (
          <div class="notice">
            <p>Similar questions are in the bank:</p>
            <ul>
              {similar.value.map(({ id, class: found, question_text }) => (
                <li key={id}>
                  <a href={`/console/questions/${id}`} target="_blank" rel="noreferrer">
                    {question_text ?? id}
                  </a>{' '}
                  ({found})
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
      <div role="alert">{failure.value && <p class="notice bad">{failure.value}</p>}</div>
      <p class="actions">
        <button type="submit" class="button primary" disabled={isSaving.value || isOpen}>
          {isSaving.value ? 'Saving…' : 'Save'}
        </button>{' '}
        <button
          type="button"
          class="button"
          onClick={() => {
            sessionStorage.removeItem(key);
            onCancel();
          }}
        >
          Discard
        </button>
      </p>
    </form>
  );
}

interface TextFieldProps {
  field: string;
  label: string;
  value: string;
  rows?: number;
  hint?: string;
  fault: string | undefined;
  onChange(value: string): void;
}

function TextField({ field, label, value, rows, hint, fault, onChange }: TextFieldProps) {
  const describedBy =
    [hint && `${field}-hint`, fault && `${field}-fault`].filter(Boolean).join(' ') || undefined;
  const shared = {
    id: field,
    value,
    'aria-describedby': describedBy,
    'aria-invalid': fault !== undefined,
    onInput: (event: Event) => onChange((event.currentTarget as HTMLInputElement).value),
  };
  return (
    <div class="field">
      <label for={field}>{label}</label>
      {rows === undefined ? <input {...shared} /> : <textarea rows={rows} {...shared} />}
      {hint && (
        <small id={`${field}-hint`} class="quiet">
          {hint}
        </small>
      )}
      {fault && (
        <small id={`${field}-fault`} class="fault">
          This {fault}.
        </small>
      )}
    </div>
  );
}

interface Stored {
  base: Question | undefined;
  draft: Draft;
}

/** Drafts survive a reload and a new sign-in, and end with the tab. */
const store = (key: string, stored: Stored) => sessionStorage.setItem(key, JSON.stringify(stored));

function readStored(key: string): Stored | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as Stored);
}
