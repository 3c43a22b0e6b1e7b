/** What needs attention, the most urgent first, each with its reasons and the next step. */
import { Pager } from '../parts/pager.tsx';
import { Empty, FailedPage, Loading } from '../parts/states.tsx';
import { query } from '../state/address.ts';
import { DIFFICULTIES, formatCount, toWords } from '../state/format.ts';
import { useResource } from '../state/resource.ts';

const PAGE_ROWS = 50;

interface AttentionList {
  data: {
    question_id: string | null;
    question_text: string | null;
    category: string;
    difficulty: number;
    reasons: { reason: string; message: string; next_step: { description: string } }[];
  }[];
  counts: Record<string, number>;
  pagination: { total: number; has_more: boolean };
}

export function Attention() {
  const reason = query.value.getAll('reason');
  const offset = Number(query.value.get('offset') ?? 0) || 0;
  const list = useResource<AttentionList>('/attention', { reason, limit: PAGE_ROWS, offset });
  if (!list.data)
    return list.error ? (
      <FailedPage error={list.error} onRetry={list.reload} />
    ) : (
      <Loading what="what needs attention" />
    );
  const { data, pagination } = list.data;
  return (
    <>
      <h1>{reason.length > 0 ? reason.map(toWords).join(', ') : 'What needs attention'}</h1>
      <p class="lead">
        {formatCount(pagination.total)} in all. A finding leaves this list when the question changes or the
        finding is dismissed.
      </p>
      {data.length === 0 && <Empty title="Nothing is left here" />}
      <ol class="card attention" start={offset + 1}>
        {data.map(({ question_id, question_text, category, difficulty, reasons }) => (
          <li key={question_id ?? `${category} ${difficulty}`}>
            <p>
              {question_id ? (
                <a href={`/console/questions/${question_id}`}>{question_text}</a>
              ) : (
                `${category}, ${DIFFICULTIES[difficulty]}`
              )}
            </p>
            {reasons.map((each) => (
              <p key={each.reason} class="quiet">
                {each.message} {each.next_step.description}
              </p>
            ))}
          </li>
        ))}
      </ol>
      <Pager shown={data.length} size={PAGE_ROWS} pagination={pagination} offset={offset} />
    </>
  );
}
