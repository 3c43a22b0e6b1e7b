/** The start page: what needs attention, how the bank is covered, and what to do next. */

import { CoverageMap } from '../parts/coverage-map.tsx';
import { Lately } from '../parts/lately.tsx';
import { Empty, Failed, FailedPage, Loading } from '../parts/states.tsx';
import { formatCount, plural } from '../state/format.ts';
import { useResource } from '../state/resource.ts';
import { may } from '../state/session.ts';

interface Facets {
  total: number;
}

interface AttentionList {
  counts: Record<string, number>;
  pagination: { total: number };
}

/** In the order of weight of the service. */
const REASONS: {
  reason: string;
  tone: 'bad' | 'warn' | 'plain';
  words: string;
  hint: string;
  action: string;
}[] = [
  {
    reason: 'reported',
    tone: 'bad',
    words: 'reported by players',
    hint: 'Read what they say, and correct the question.',
    action: 'Read',
  },
  {
    reason: 'wrong_key',
    tone: 'bad',
    words: 'may have the wrong key',
    hint: 'The responses suggest another answer.',
    action: 'Look',
  },
  {
    reason: 'conflict',
    tone: 'bad',
    words: 'in the bank twice, with different answers',
    hint: 'Compare the two, then correct or delete one.',
    action: 'Compare',
  },
  {
    reason: 'major_flaw',
    tone: 'warn',
    words: 'with a major flaw of writing',
    hint: 'Some can be mended in one step.',
    action: 'Mend',
  },
  {
    reason: 'mislabelled',
    tone: 'warn',
    words: 'probably filed wrongly',
    hint: 'The category or the difficulty does not fit.',
    action: 'Relabel',
  },
  {
    reason: 'empty_cell',
    tone: 'plain',
    words: 'cells without questions',
    hint: 'Categories that have no question at a difficulty.',
    action: 'Write',
  },
];

export function Health() {
  const facets = useResource<Facets>('/questions/facets', { limit: 1 });
  const mayJudge = may('answers:read', 'analysis:read');
  const attention = useResource<AttentionList>(mayJudge ? '/attention' : undefined, { limit: 1 });
  if (!facets.data)
    return facets.error ? (
      <FailedPage error={facets.error} onRetry={facets.reload} />
    ) : (
      <Loading what="the bank" />
    );
  const { total } = facets.data;
  if (total === 0) return <EmptyBank />;
  const counts = attention.data?.counts ?? {};
  // An empty cell is not a question.
  const questions = (attention.data?.pagination.total ?? 0) - (counts.empty_cell ?? 0);
  return (
    <>
      <h1>
        {plural(total, 'question')}
        {attention.data &&
          (questions > 0 ? `, ${formatCount(questions)} need a look.` : ', none needs a look.')}
      </h1>
      <p class="lead">From the latest analyses of the questions and their responses.</p>
      <div class="columns">
        <section aria-label="What needs attention">
          {attention.error !== undefined && <Failed error={attention.error} onRetry={attention.reload} />}
          {mayJudge && attention.data && <Reasons counts={counts} />}
        </section>
        <div>
          <CoverageMap />
          <Lately />
        </div>
      </div>
    </>
  );
}

function Reasons({ counts }: { counts: Record<string, number> }) {
  const shown = REASONS.filter(({ reason }) => (counts[reason] ?? 0) > 0);
  if (shown.length === 0)
    return (
      <div class="card">
        <Empty title="Nothing needs attention">
          <p>Only analyses that have been run are counted.</p>
        </Empty>
      </div>
    );
  return (
    <ul class="card reasons">
      {shown.map(({ reason, tone, words, hint, action }) => (
        <li key={reason} class={tone}>
          <strong>{formatCount(counts[reason]!)}</strong>
          <span>
            {words}
            <small>{hint}</small>
          </span>
          <a class="button" href={`/console/attention?reason=${reason}`}>
            {action}
          </a>
        </li>
      ))}
    </ul>
  );
}

function EmptyBank() {
  return (
    <>
      <h1>This bank has no questions yet.</h1>
      <p class="lead">Write the first one, import a file, or send questions to the API.</p>
      {may('questions:write', 'answers:read') && (
        <a class="button primary" href="/console/questions/new">
          Write the first question
        </a>
      )}{' '}
      {may('questions:write', 'answers:read') && (
        <a class="button" href="/console/import">
          Import a file
        </a>
      )}{' '}
      <a class="button" href="/docs">
        Read about the API
      </a>
    </>
  );
}
