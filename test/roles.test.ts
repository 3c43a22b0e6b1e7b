/** What each role may do: in the documents, in the program's help, and by calling every operation. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { analyses } from '../src/analyses/index.ts';
import { isOffered } from '../src/api/docs/openapi.ts';
import { renderRoles } from '../src/cli/roles.ts';
import { ROLE_PURPOSES, ROLES, type Role, SCOPES, type Scope } from '../src/schemas/scopes.ts';
import { onEveryEngine, type Service, sample } from './support/engines.ts';

const roles = Object.keys(ROLES) as Role[];

/** A new operation gets a row: the roles that may call it. Public operations are left out. */
const OPERATIONS = `
DELETE /analysis/:id                           analyst editor teacher admin
DELETE /auth/clients/:id                       admin
DELETE /auth/tokens/:id                        all
DELETE /categories/:id                         editor teacher admin
DELETE /comments/:id                           author editor reviewer teacher admin
DELETE /draws/:id/tokens                       teacher quiz admin
DELETE /questions/:id                          author editor teacher admin
DELETE /questions/:id/findings/dismissals      author editor teacher admin
DELETE /questions/:id/pending                  author editor teacher admin
DELETE /responses                              analyst teacher quiz admin
DELETE /session                                all
GET    /analysis                               reader author analyst editor reviewer teacher admin
GET    /analysis/:id                           reader author analyst editor reviewer teacher admin
GET    /analysis/:id/plot.json                 reader author analyst editor reviewer teacher admin
GET    /analysis/:id/plot.svg                  reader author analyst editor reviewer teacher admin
GET    /analysis/:id/respondents               analyst teacher admin
GET    /analysis/types                         reader author analyst editor reviewer teacher admin
GET    /attention                              author analyst editor reviewer teacher admin
GET    /auth/clients                           admin
GET    /auth/clients/:id                       admin
GET    /auth/me                                all
GET    /auth/tokens                            all
GET    /categories                             all
GET    /categories/:id                         all
GET    /changes                                author editor teacher admin
GET    /changes/:id                            author editor teacher admin
GET    /difficulties                           all
GET    /dismissals                             author analyst editor reviewer teacher admin
GET    /draws                                  all
GET    /draws/:id                              all
GET    /events                                 all
GET    /imports                                author editor teacher admin
GET    /imports/:id                            author editor teacher admin
GET    /imports/:id/rejects                    author editor teacher admin
GET    /metrics                                admin
GET    /pending                                author editor reviewer teacher admin
GET    /questions                              all
GET    /questions/:id                          all
GET    /questions/:id/comments                 author editor reviewer teacher admin
GET    /questions/:id/findings                 reader author analyst editor reviewer teacher admin
GET    /questions/:id/pending                  author editor reviewer teacher admin
GET    /questions/:id/reports                  author editor teacher admin
GET    /questions/:id/reviews                  author editor reviewer teacher admin
GET    /questions/:id/revisions                author analyst editor reviewer teacher admin
GET    /questions/export                       author analyst editor reviewer teacher admin
GET    /questions/facets                       all
GET    /reports                                author editor teacher admin
GET    /responses                              analyst teacher admin
GET    /responses/imports                      analyst teacher admin
GET    /responses/imports/:id                  analyst teacher admin
PATCH  /auth/clients/:id                       admin
PATCH  /categories/:id                         editor teacher admin
PATCH  /comments/:id                           author analyst editor reviewer teacher admin
PATCH  /questions/:id                          author editor teacher admin
POST   /analysis/run                           analyst editor teacher admin
POST   /auth/clients                           admin
POST   /auth/clients/:id/link                  admin
POST   /auth/clients/:id/secret                admin
POST   /auth/tokens                            all
POST   /categories                             editor teacher admin
POST   /categories/:id/merge                   editor teacher admin
POST   /changes/:id/cancel                     author editor teacher admin
POST   /changes/:id/undo                       author editor teacher admin
POST   /draws                                  editor reviewer teacher player quiz admin
POST   /draws/:id/responses                    teacher quiz admin
POST   /draws/:id/tokens                       teacher quiz admin
POST   /imports                                author editor teacher admin
POST   /questions                              author editor teacher admin
POST   /questions/:id/check                    editor reviewer teacher player quiz admin
POST   /questions/:id/comments                 author analyst editor reviewer teacher admin
POST   /questions/:id/findings/dismissals      author editor teacher admin
POST   /questions/:id/merge                    author editor teacher admin
POST   /questions/:id/pending                  author editor teacher admin
POST   /questions/:id/reports                  player quiz admin
POST   /questions/:id/restore                  author editor teacher admin
POST   /questions/:id/reviews                  reviewer admin
POST   /questions/:id/status                   author analyst editor reviewer teacher admin
POST   /questions/bulk                         author editor teacher admin
POST   /reports/:id/resolve                    author editor teacher admin
POST   /responses                              analyst teacher quiz admin
POST   /responses/import                       analyst teacher admin
PUT    /auth/clients/:id                       admin
PUT    /categories/:id                         editor teacher admin
PUT    /questions/:id                          author editor teacher admin
`;

describe('the tables of roles', () => {
  const readTable = (lines: string[], separator: RegExp) =>
    lines.map((line) => line.split(separator).map((cell) => cell.replaceAll('`', '').trim()));
  const expected = Object.keys(SCOPES).map((scope) => [
    scope,
    ...roles.map((role) => ((ROLES[role] as readonly string[]).includes(scope) ? 'x' : '')),
  ]);

  it('are true in the documents', () => {
    const text = readFileSync(`${import.meta.dirname}/../docs/security.md`, 'utf8');
    const rows = (heading: string) => {
      const [, table = ''] = text.split(`\n| ${heading} | `);
      const lines = `| ${heading} | ${table}`.split('\n\n')[0]!.split('\n');
      return readTable(lines, /\|/).map((cells) => cells.slice(1, -1));
    };
    const [head, , ...scopes] = rows('scope');
    assert.deepEqual(head, ['scope', ...roles]);
    assert.deepEqual(scopes, expected);
    assert.deepEqual(rows('role').slice(2), Object.entries(ROLE_PURPOSES));
  });

  it('are true in the help', () => {
    const [purposes, scopes] = renderRoles()
      .trimEnd()
      .split('\n\n')
      .map((part) => part.split('\n')) as [string[], string[]];
    assert.deepEqual(readTable(purposes.slice(1), / {2,}/), Object.entries(ROLE_PURPOSES));
    const columns = ['SCOPE', ...roles].map((name) => scopes[0]!.search(new RegExp(`\\b${name}\\b`)));
    const cells = scopes
      .slice(1)
      .map((line) => columns.map((start, i) => line.slice(start, columns[i + 1]).trim()));
    assert.deepEqual(cells, expected);
  });
});

onEveryEngine('roles', (service) => {
  const call: Service['call'] = (...args) => service().call(...args);

  it('may call these operations', async () => {
    const keys = await Promise.all(roles.map((role) => service().keyFor(...ROLES[role])));
    const names = service()
      .app.routes.filter(isOffered)
      .filter(({ config }) => config?.scopes && !config.clientCredentials)
      .map(({ method, url }) => ({ method: String(method), url }));
    const rows: string[] = [];
    for (const { method, url } of names) {
      const allowed: string[] = [];
      for (const [i, role] of roles.entries()) {
        // No such resource, no such body: a caller that may do it gets another error.
        const options = { token: keys[i]!, ...(/POST|PUT|PATCH/.test(method) && { body: '{"x"' }) };
        const { status } = await call(method, url.replace(/:\w+/, 'none'), options);
        if (status !== 403) allowed.push(role);
      }
      rows.push(
        `${method.padEnd(7)}${url.padEnd(40)}${allowed.length === roles.length ? 'all' : allowed.join(' ')}`,
      );
    }
    assert.deepEqual(rows.sort(), OPERATIONS.trim().split('\n'));
  });

  it('without answers:read are reader, player and quiz', () => {
    const without = roles.filter((role) => !(ROLES[role] as readonly Scope[]).includes('answers:read'));
    assert.deepEqual(without, ['reader', 'player', 'quiz']);
  });

  it('a quiz can neither run nor read analyses of its responses', async () => {
    const types = analyses.filter(({ readsResponses }) => readsResponses);
    const quiz = await service().keyFor(...ROLES.quiz);
    // As if the role had been given both scopes.
    const curious = await service().keyFor(...ROLES.quiz, 'analysis:read', 'analysis:run');
    const { body: question } = await call('POST', '/questions', { body: sample() });
    const responses = ['north', 'south'].map((group) => ({
      question_id: question.id,
      respondent: group,
      group,
      answer: 'Mars',
    }));
    assert.equal((await call('POST', '/responses', { token: quiz, body: responses })).status, 201);
    for (const { type: analysis_type } of types) {
      const body = { analysis_type };
      const created = await call('POST', '/analysis/run', { body, headers: { prefer: 'wait=30' } });
      assert.equal(created.status, 201, created.text);
      const run = created.body;
      for (const token of [quiz, curious]) {
        assert.equal((await call('POST', '/analysis/run', { token, body })).status, 403, analysis_type);
        for (const path of ['', '/plot.svg', '/respondents'])
          assert.equal(
            (await call('GET', `/analysis/${run.id}${path}`, { token })).status,
            403,
            `${analysis_type}${path}`,
          );
      }
    }
    const list = await call('GET', '/analysis?limit=100', { token: curious });
    assert.deepEqual([list.status, list.body.data], [200, []]);
    assert.equal((await call('GET', '/analysis', { token: quiz })).status, 403);
  });
});
