/** Checks what the clients of a history have seen against one order of its writes. */
import type { Json } from '../../test/support/requests.ts';
import type { History } from './history.ts';
import { type Listing, omitCategory, type QuestionLog, type Write } from './observations.ts';
import { type Access, assignVersions, findAnomalies, VersionBounds } from './register.ts';

/** The changes of one question in their order, as the event feed must report them. */
export interface ExpectedEvents {
  kinds: string[];
  writes: Access[];
}

export interface Verdict {
  violations: string[];
  events: Map<string, ExpectedEvents>;
}

/** Reads the final state, when all clients are done, and checks the history. */
export async function checkHistory(history: History): Promise<Verdict> {
  const { observations, session } = history;
  const client = session.clients[0]!;
  const violations = observations.violations;
  const revisionsById = new Map<string, Json[]>();
  for (const log of observations.questions.values()) {
    const { status, body, text } = await history.call(
      client,
      'GET',
      `/questions/${log.id}/revisions?limit=1000`,
    );
    if (status !== 200) throw new Error(`${status} to the revisions of question ${log.id}: ${text}`);
    const revisions: Json[] = body.data.toReversed();
    revisionsById.set(log.id, revisions);
    history.versions.set(log.id, [undefined, ...revisions.map(({ question }) => question)]);
  }
  for (const log of observations.questions.values())
    for (const violation of checkQuestion(history, log, revisionsById.get(log.id)!))
      violations.push(`question ${log.id}: ${violation}`);
  for (const listing of observations.listings) violations.push(...checkListing(history, listing));
  violations.push(...checkCategory(history));
  violations.push(...(await checkEnd(history)));
  const events = new Map<string, ExpectedEvents>();
  for (const { id, writes } of observations.questions.values())
    events.set(id, {
      kinds: listEventKinds(revisionsById.get(id)!),
      writes: writes.toSorted((a, b) => (a.version ?? 0) - (b.version ?? 0)),
    });
  return { violations, events };
}

function checkQuestion(history: History, log: QuestionLog, revisions: Json[]): string[] {
  const violations: string[] = [];
  const last = revisions.length;
  if (revisions.some(({ revision }, i) => revision !== i + 1))
    violations.push(`its revisions are ${revisions.map(({ revision }) => revision)}`);
  const named = log.writes.filter(({ version }) => version !== undefined);
  const deletions = log.writes.filter(({ action }) => action === 'deleted');
  const deleted = revisions.filter(({ action }) => action === 'deleted').map(({ revision }) => revision);
  if (!assignVersions(deletions, deleted, [...named, ...log.reads], last))
    violations.push(
      `${deletions.length} deletions were acknowledged, and revisions ${deleted} are deletions`,
    );
  violations.push(...findAnomalies([...log.writes, ...log.reads], last));
  const byVersion = new Map<number, Write>();
  for (const write of log.writes) {
    const other = byVersion.get(write.version!);
    if (other) violations.push(`${write.label} and ${other.label} are both revision ${write.version}`);
    byVersion.set(write.version!, write);
  }
  for (const revision of revisions) {
    const write = byVersion.get(revision.revision);
    if (write) violations.push(...checkRevision(revision, write, revisions));
    else violations.push(`revision ${revision.revision} (${revision.action}) was acknowledged to no client`);
  }
  for (const { revision, content, label } of log.seen)
    if (content !== omitCategory(JSON.stringify(revisions[revision - 1]?.question ?? null)))
      violations.push(`${label} returned revision ${revision} as ${content}`);
  violations.push(...checkRefusals(history, log, last));
  return violations;
}

const WRITTEN_FIELDS = [
  'question_text',
  'correct_answer',
  'incorrect_answers',
  'difficulty',
  'source',
  'tags',
];
const pickWritten = (question: Json) => WRITTEN_FIELDS.map((name) => [name, question?.[name]]);

/** A revision is the one before it with the fields that its writer sent. */
function checkRevision({ revision, action, question }: Json, write: Write, revisions: Json[]): string[] {
  const found: string[] = [];
  if (action !== write.action) found.push(`${write.label} is stored as ${action}`);
  if (write.matched !== undefined && write.matched !== revision - 1)
    found.push(`${write.label} with the ETag of revision ${write.matched} became revision ${revision}`);
  if (action === 'deleted') return found;
  if (omitCategory(JSON.stringify(question)) !== write.content)
    found.push(`${write.label} was answered with ${write.content} and stored as ${JSON.stringify(question)}`);
  const base = revisions[(write.from ?? revision - 1) - 1]?.question;
  const expected = JSON.stringify(pickWritten({ ...base, ...write.change }));
  if (JSON.stringify(pickWritten(question)) !== expected)
    found.push(`${write.label} is stored as ${JSON.stringify(question)} instead of ${expected}`);
  return found;
}

/** A refusal because of If-Match needs another revision or another name of the category. */
function checkRefusals(history: History, log: QuestionLog, last: number): string[] {
  const { category } = history.session;
  const bounds = new VersionBounds([...log.writes, ...log.reads], last);
  const names = new VersionBounds(category.accesses, category.last);
  return log.refused
    .filter((refused) => {
      const { low, high } = bounds.find(refused);
      const possible = names.find(refused);
      const version = category.versionOf(refused.name);
      const renamed = possible.low !== version || possible.high !== version;
      return !renamed && low === refused.revision && high === refused.revision;
    })
    .map(({ label, revision }) => `${label}, although revision ${revision} was the current one`);
}

function checkListing(history: History, listing: Listing): string[] {
  const { url, found, pages, total, matches } = listing;
  const violations: string[] = [];
  const ids = found.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) violations.push(`${url} returned a question twice: ${ids}`);
  if (pages === 1 && total !== ids.length)
    violations.push(`${url} returned ${ids.length} of ${total} questions`);
  for (const question of found)
    if (!matches(question)) violations.push(`${url} returned ${JSON.stringify(question)}`);
  for (const log of history.observations.questions.values()) {
    const { id } = log;
    const isListed = (version: number) => {
      const content = history.content(id, version);
      return !!content && matches(content);
    };
    const returned = found.find((question) => question.id === id);
    const accesses = [...log.writes, ...log.reads];
    const last = history.versions.get(id)!.length - 1;
    const label = `${url} with ${returned ? `revision ${returned.revision}` : 'nothing'}`;
    const { start, end } = listing;
    // The pages of a walk were recorded one by one.
    const read: Access =
      returned && pages === 1
        ? { start, end, writes: false, version: returned.revision, label }
        : { start, end, writes: false, accepts: (version) => isListed(version) === !!returned, label };
    const anomalies = findAnomalies([...accesses, read], last).filter((text) => text.startsWith(label));
    violations.push(...anomalies.map((text) => `question ${id}: ${text}`));
  }
  return violations;
}

function checkCategory({ session: { category }, observations }: History): string[] {
  const unknown = category.resolve(observations.categories);
  return [...unknown, ...findAnomalies(category.accesses, category.last)].map((text) => `category: ${text}`);
}

/** Without concurrent writes, reads return the last versions, and repeated requests the first answer. */
async function checkEnd(history: History): Promise<string[]> {
  const { observations, session, tag, versions } = history;
  const violations: string[] = [];
  const client = session.clients[1]!;
  const alive = [...versions].filter(([, all]) => all.at(-1)).map(([id]) => id);
  const { body } = await history.call(client, 'GET', `/questions?tag=${tag}&limit=100`);
  const found = body.data.map(({ id }: Json) => id);
  if (body.pagination.total !== alive.length || found.toSorted().join() !== alive.toSorted().join())
    violations.push(`${body.pagination.total} questions are listed at the end: ${found}, not ${alive}`);
  for (const question of body.data)
    if (JSON.stringify(question) !== JSON.stringify(versions.get(question.id)?.at(-1)))
      violations.push(`the list at the end has ${JSON.stringify(question)}`);
  const { body: responses } = await history.call(client, 'GET', `/responses?session=${tag}&limit=1000`);
  const recorded = responses.data.map(({ respondent, question_id }: Json) => `${respondent} ${question_id}`);
  const expected = [...observations.responses].map(([respondent, id]) => `${respondent} ${id}`);
  if (
    recorded.toSorted().join() !== expected.toSorted().join() ||
    responses.pagination.total !== expected.length
  )
    violations.push(`the responses are ${recorded}, not ${expected}`);
  for (const { path, options, answer } of history.repeatables) {
    const repeated = await history.call(client, 'POST', path, options);
    const same = repeated.status === answer.status && repeated.text === answer.text;
    if (!same || repeated.headers.etag !== answer.headers.etag)
      violations.push(
        `the repetition of ${path} was answered with ${repeated.text}, first with ${answer.text}`,
      );
  }
  return violations;
}

function listEventKinds(revisions: Json[]): string[] {
  return revisions.map(({ action }, i) => {
    const revived = action === 'restored' && revisions[i - 1].question === null;
    return `question.${action === 'restored' ? (revived ? 'created' : 'updated') : action}`;
  });
}
