/**
 * The editor of a question. What is typed is kept as a draft in the browser until it is saved or
 * discarded. The service validates it while it is being typed, and reports nearly identical questions.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Fault, Problem } from '../../src/client/request.ts';
import { api } from '../state/api.ts';
import { useCommands } from '../state/commands.ts';
import { DIFFICULTIES } from '../state/format.ts';
import type { Question } from '../state/question.ts';
import { useResource } from '../state/resource.ts';

interface EditorProps {
  question?: Question;
  onSaved(question: Question): void;
  onCancel?(): void;
}

/** The fields as texts; several values are separated by lines. */
interface Draft {
  question_text: string;
  correct_answer: string;
  incorrect_answers: string;
  category: string;
  difficulty: string;
  topic_focus: string;
  tags: string;
  explanation: string;
  source: string;
}

interface Duplicates {
  matches: { id: string | null; class: string; question_text?: string }[];
}

const VALIDATION_DELAY_MS = 600;
const EMPTY: Draft = {
  question_text: '',
  correct_answer: '',
  incorrect_answers: '',
  category: '',
  difficulty: '0',
  topic_focus: '',
  tags: '',
  explanation: '',
  source: '',
};

const toDraft = (question: Question): Draft => ({
  question_text: question.question_text,
  correct_answer: [question.correct_answer ?? ''].flat().join('\n'),
  incorrect_answers: (question.incorrect_answers ?? []).join('\n'),
  category: question.category,
  difficulty: String(question.difficulty),
  topic_focus: question.topic_focus ?? '',
  tags: question.tags.join('\n'),
  explanation: question.explanation ?? '',
  source: question.source ?? '',
});

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function toInput(draft: Draft): Record<string, unknown> {
  const correct = toLines(draft.correct_answer);
  return {
    question_text: draft.question_text.trim(),
    correct_answer: correct.length > 1 ? correct : (correct[0] ?? ''),
    incorrect_answers: toLines(draft.incorrect_answers),
    category: draft.category,
    difficulty: Number(draft.difficulty),
    topic_focus: draft.topic_focus.trim() || null,
    tags: toLines(draft.tags),
    explanation: draft.explanation.trim() || null,
    source: draft.source.trim() || null,
  };
}

export function Editor({ question, onSaved, onCancel }: EditorProps) {
  const key = `draft ${question?.id ?? 'new'} ${question?.revision ?? 0}`;
  const draft = useSignal<Draft>(readDraft(key) ?? (question ? toDraft(question) : EMPTY));
  const faults = useSignal<readonly Fault[]>([]);
  const failure = useSignal<string | undefined>(undefined);
  const similar = useSignal<Duplicates['matches']>([]);
  const isSaving = useSignal(false);
  const touched = useRef(false);
  const categories = useResource<{ data: { name: string }[] }>('/categories');

  const change = (field: keyof Draft, value: string) => {
    touched.current = true;
    draft.value = { ...draft.value, [field]: value };
    sessionStorage.setItem(key, JSON.stringify(draft.value));
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

  async function save() {
    isSaving.value = true;
    failure.value = undefined;
    try {
      const input = toInput(draft.value);
      const { body } = question
        ? await api.request<Question>('PATCH', `/questions/${question.id}`, {
            body: input,
            ifMatch: await readEtag(question),
          })
        : await api.request<Question>('POST', '/questions', { body: input });
      sessionStorage.removeItem(key);
      onSaved(body);
    } catch (error) {
      faults.value = error instanceof Problem ? error.faults : [];
      failure.value = error instanceof Error ? error.message : 'The question could not be saved.';
    } finally {
      isSaving.value = false;
    }
  }

  useCommands([{ key: 'Mod+s', words: 'Save', run: () => void save() }]);
  const faultOf = (field: string) =>
    faults.value.find(({ pointer }) => pointer.startsWith(`/${field}`))?.detail;
  const text = (field: keyof Draft, label: string, options: { rows?: number; hint?: string } = {}) => (
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
        <button type="submit" class="button primary" disabled={isSaving.value}>
          {isSaving.value ? 'Saving…' : 'Save'}
        </button>{' '}
        {onCancel && (
          <button
            type="button"
            class="button"
            onClick={() => {
              sessionStorage.removeItem(key);
              onCancel();
            }}
          >
            Discard changes
          </button>
        )}
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

/** The ETag of the revision that is edited; another one means that the question has changed since. */
async function readEtag({ id, revision }: Question): Promise<string> {
  const { body, etag } = await api.request<Question>('GET', `/questions/${id}`);
  return body.revision === revision ? etag! : '"changed"';
}

function readDraft(key: string): Draft | undefined {
  const stored = sessionStorage.getItem(key);
  return stored === null ? undefined : (JSON.parse(stored) as Draft);
}
