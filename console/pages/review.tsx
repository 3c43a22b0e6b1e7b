/** What waits for a decision: questions in review, pending changes, and reports of faults. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Failed, Loading } from '../parts/states.tsx';
import { api } from '../state/api.ts';
import { attempt } from '../state/attempt.ts';
import { formatAge, plural, toWords } from '../state/format.ts';
import { formatAnswer, listChanges, type Question } from '../state/question.ts';
import { useQuestionText } from '../state/question-texts.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

const MAX_ROWS = 50;

interface List<T> {
  data: T[];
  pagination: { total: number };
}

interface Report {
  id: string;
  question_id: string;
  reason: string;
  comment: string | null;
  answer: string | string[] | null;
  created_at: string;
}

const OUTCOMES = ['fixed', 'no_fault', 'duplicate', 'other'] as const;

export function Review() {
  const mayReport = may('questions:write', 'answers:read');
  const waiting = useResource<List<Question>>('/questions', { status: 'in_review', limit: MAX_ROWS });
  const pending = useResource<List<Question>>('/pending', { limit: MAX_ROWS });
  const reports = useResource<List<Report>>(mayReport ? '/reports' : undefined, {
    status: 'open',
    limit: MAX_ROWS,
  });
  return (
    <>
      <h1>Review</h1>
      <p class="lead">What waits for a decision, the same for everyone who may decide.</p>
      <Section title="Questions in review" list={waiting}>
        {(question) => (
          <li key={question.id}>
            <a href={`/console/questions/${question.id}`}>{question.question_text}</a>
            <p>
              <strong>{formatAnswer(question)}</strong>
              {question.incorrect_answers && ` · ${question.incorrect_answers.join(' · ')}`}
            </p>
            <Decision question={question} />
          </li>
        )}
      </Section>
      <Section title="Pending changes" list={pending}>
        {(question) => (
          <li key={question.id}>
            <a href={`/console/questions/${question.id}`}>{question.question_text}</a>
            <Differences question={question} />
            <Decision question={question} />
          </li>
        )}
      </Section>
      {mayReport && (
        <Section title="Reports of faults" list={reports}>
          {(report) => <ReportRow key={report.id} report={report} />}
        </Section>
      )}
    </>
  );
}

interface SectionProps<T> {
  title: string;
  list: { data: List<T> | undefined; error: unknown; reload(): void };
  children(item: T): ComponentChildren;
}

function Section<T>({ title, list, children }: SectionProps<T>) {
  return (
    <section>
      <h2>{title}</h2>
      {list.error !== undefined && <Failed error={list.error} onRetry={list.reload} />}
      {!list.data && list.error === undefined && <Loading what={title.toLowerCase()} />}
      {list.data?.data.length === 0 && <p class="quiet">Nothing waits here.</p>}
      {list.data && list.data.data.length > 0 && (
        <ul class="card queue">{list.data.data.map((item) => children(item))}</ul>
      )}
      {list.data && list.data.pagination.total > list.data.data.length && (
        <p class="quiet">{plural(list.data.pagination.total, 'item')} in all; these come first.</p>
      )}
    </section>
  );
}

function Differences({ question }: { question: Question }) {
  const current = useResource<Question>(`/questions/${question.id}`);
  return (
    <ul class="changes">
      {listChanges(question, current.data ?? null).map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  );
}

function Decision({ question }: { question: Question }) {
  const comment = useSignal('');
  if (!may('questions:review', 'answers:read')) return null;
  const decide = (decision: 'approve' | 'request_changes', words: string) =>
    attempt(words, () =>
      api.post(`/questions/${question.id}/reviews`, {
        revision: question.revision,
        decision,
        ...(comment.value.trim() !== '' && { comment: comment.value.trim() }),
      }),
    );
  return (
    <div class="decision">
      <input
        class="search"
        aria-label={`Comment on ${question.question_text}`}
        placeholder="Comment"
        value={comment.value}
        onInput={({ currentTarget }) => {
          comment.value = currentTarget.value;
        }}
      />
      <button
        type="button"
        class="button primary"
        onClick={() => decide('approve', 'The question is approved by you.')}
      >
        Approve
      </button>
      <button
        type="button"
        class="button"
        disabled={comment.value.trim() === ''}
        title="Write in the comment what should change."
        onClick={() => decide('request_changes', 'Changes are requested.')}
      >
        Request changes
      </button>
    </div>
  );
}

function ReportRow({ report }: { report: Report }) {
  const { id, question_id, reason, comment, answer, created_at } = report;
  const text = useQuestionText(question_id, undefined);
  return (
    <li>
      <a href={`/console/questions/${question_id}`}>{text}</a>
      <p>
        <span class="flag minor">{toWords(reason)}</span>
        {comment} {answer !== null && <span class="quiet">Answered: {[answer].flat().join(', ')}</span>}{' '}
        <small class="quiet">{formatAge(created_at)}</small>
      </p>
      <div class="decision">
        {OUTCOMES.map((outcome) => (
          <button
            key={outcome}
            type="button"
            class="button"
            onClick={() =>
              attempt(`The report is resolved: ${toWords(outcome)}.`, () =>
                api.post(`/reports/${id}/resolve`, { outcome }),
              )
            }
          >
            {toWords(outcome)}
          </button>
        ))}
      </div>
    </li>
  );
}
