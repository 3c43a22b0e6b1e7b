/** One question: its content, what the latest analyses found, and its history. */
import { useSignal } from '@preact/signals';
import { Problem } from '../../src/client/request.ts';
import { Comments } from '../parts/comments.tsx';
import { Editor } from '../parts/editor.tsx';
import { Findings } from '../parts/findings.tsx';
import { History } from '../parts/history.tsx';
import { FailedPage, Loading } from '../parts/states.tsx';
import { navigate } from '../state/address.ts';
import { api } from '../state/api.ts';
import { useCommands } from '../state/commands.ts';
import { DIFFICULTIES, formatAge, toWords } from '../state/format.ts';
import { announce, announceFailure } from '../state/messages.ts';
import type { Question as QuestionData } from '../state/question.ts';
import { reloadAll, useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

/**
 * Pending changes that are read to find the one of a question: the oldest ones. The path of one
 * pending change returns 404 if there is no change, which browsers report as an error.
 */
const MAX_PENDING = 200;

export function Question({ id }: { id: string }) {
  return id === 'new' ? <NewQuestion /> : <StoredQuestion id={id} />;
}

function NewQuestion() {
  return (
    <>
      <h1>New question</h1>
      <Editor
        onSaved={({ id }) => navigate(`/console/questions/${id}`, { replace: true })}
        onCancel={() => navigate('/console/questions')}
      />
    </>
  );
}

function StoredQuestion({ id }: { id: string }) {
  const path = `/questions/${encodeURIComponent(id)}`;
  const question = useResource<QuestionData>(path);
  const isEditing = useSignal(false);
  const mayWrite = may('questions:write', 'answers:read');
  /** A change that waits for approval: further changes are made to it. */
  const pending = useResource<{ data: QuestionData[] }>(mayWrite ? '/pending' : undefined, {
    limit: MAX_PENDING,
  });
  const edit = () => {
    isEditing.value = mayWrite;
  };
  useCommands([{ key: 'e', words: 'Edit the question', run: edit }]);
  if (!question.data) {
    const { error } = question;
    if (error instanceof Problem && error.status === 404) return <h1>There is no such question</h1>;
    return error ? <FailedPage error={error} onRetry={question.reload} /> : <Loading what="the question" />;
  }
  const { data } = question;
  const change = pending.data?.data.find((each) => each.id === id);
  if (isEditing.value && !pending.isLoading)
    return (
      <>
        <h1>Edit the question</h1>
        <Editor
          question={change ?? data}
          onCancel={() => {
            isEditing.value = false;
          }}
          onSaved={(saved) => {
            isEditing.value = false;
            reloadAll();
            if (saved.pending) announce('The change waits for approval.');
          }}
        />
      </>
    );
  return (
    <>
      <p class="quiet">
        {data.category} · {DIFFICULTIES[data.difficulty]}
        {data.kind && ` · ${toWords(data.kind)}`}
        {data.status && data.status !== 'approved' && ` · ${toWords(data.status)}`}
        {data.updated_at && ` · changed ${formatAge(data.updated_at)}`}
      </p>
      {change && (
        <p class="notice">
          A change of this question waits for approval. <a href="/console/review">Go to the review</a>
        </p>
      )}
      <h1 class="question-text">{data.question_text}</h1>
      <Options question={data} />
      {data.explanation && <p>{data.explanation}</p>}
      <p class="quiet">{[data.topic_focus, ...data.tags, data.source].filter(Boolean).join(' · ')}</p>
      {mayWrite && (
        <p class="actions">
          <button type="button" class="button primary" onClick={edit}>
            Edit <kbd>e</kbd>
          </button>{' '}
          <button type="button" class="button" onClick={() => remove(id)}>
            Delete
          </button>
        </p>
      )}
      {may('analysis:read') && <Findings id={id} />}
      {may('answers:read') && <Comments id={id} />}
      {may('answers:read') && <History id={id} />}
    </>
  );
}

function Options({ question }: { question: QuestionData }) {
  const correct = new Set([question.correct_answer ?? []].flat());
  const options = question.choices ?? [...correct];
  return (
    <ul class="options">
      {options.map((option) => (
        <li key={option} class={correct.has(option) ? 'correct' : ''}>
          {option}
          {correct.has(option) && <small> correct</small>}
        </li>
      ))}
    </ul>
  );
}

/** A deletion is undone by restoring the last revision. */
async function remove(id: string): Promise<void> {
  try {
    const { revision } = await api.get<QuestionData>(`/questions/${id}`);
    await api.request('DELETE', `/questions/${id}`);
    navigate('/console/questions');
    announce('The question is deleted.', {
      label: 'Undo',
      run: () =>
        void api.post(`/questions/${id}/restore`, { revision }).then(() => {
          navigate(`/console/questions/${id}`);
          announce('The question is restored.');
        }, announceFailure),
    });
  } catch (error) {
    announceFailure(error);
  }
}
