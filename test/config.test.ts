/** Settings: errors name the setting, and never show a secret value. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../src/config.ts';
import { openEngine } from '../src/engines/index.ts';
import { StartError } from '../src/engines/start-error.ts';
import { tempFolder } from './support/folders.ts';

const INVALID: [env: Record<string, string>, message: RegExp][] = [
  [{ PORT: 'x' }, /The setting PORT must be an integer \(it is "x"\)/],
  [{ PORT: '70000' }, /PORT must be at most 65535/],
  [{ QUAESTOR_LOG_LEVEL: 'loud' }, /QUAESTOR_LOG_LEVEL must be one of fatal/],
  [{ QUAESTOR_DATABASE_URL: 'mysql://secret@x' }, /QUAESTOR_DATABASE_URL must begin with postgres:\/\/\.$/],
  [{ QUAESTOR_DATABSE_URL: 'x' }, /There is no setting QUAESTOR_DATABSE_URL/],
  [{ QUAESTOR_DATABASE_URL_FILE: '/none/such' }, /file of QUAESTOR_DATABASE_URL_FILE cannot be read/],
  [{ QUAESTOR_ADMIN_SECRET: 'hunter2' }, /QUAESTOR_ADMIN_SECRET must have at least 8 characters\.$/],
  [{ QUAESTOR_LIMIT_READ: '-1' }, /QUAESTOR_LIMIT_READ must be an integer/],
  [{ QUAESTOR_MAX_BANK_BYTES: '1GB' }, /QUAESTOR_MAX_BANK_BYTES must be an integer/],
  [{ QUAESTOR_ACCESS_LIFETIME: '15' }, /QUAESTOR_ACCESS_LIFETIME must be a number and s, m, h or d/],
  [{ QUAESTOR_KEY_LIFETIME: '366d' }, /QUAESTOR_KEY_LIFETIME must be at most 365d/],
  [{ QUAESTOR_REFRESH_LIFETIME: '9999d' }, /QUAESTOR_REFRESH_LIFETIME must be at most 3650d/],
  [{ QUAESTOR_REFRESH_IDLE: '91d' }, /must not exceed QUAESTOR_REFRESH_LIFETIME/],
  [
    { QUAESTOR_ADMIN_SECRET: 'a secret', QUAESTOR_ADMIN_SECRET_FILE: '/x' },
    /Both QUAESTOR_ADMIN_SECRET and QUAESTOR_ADMIN_SECRET_FILE are set/,
  ],
  [{ QUAESTOR_REVIEW: 'yes' }, /QUAESTOR_REVIEW must be/],
  [{ QUAESTOR_REQUIRED_REVIEWS: '4' }, /QUAESTOR_REQUIRED_REVIEWS must be .*3/],
  [{ QUAESTOR_MAX_PAGE_BYTES: '99999' }, /QUAESTOR_MAX_PAGE_BYTES must be .*100000/],
  [{ QUAESTOR_MAX_IMPORT_BYTES: '1000' }, /QUAESTOR_MAX_IMPORT_BYTES must be .*1024/],
  [
    { QUAESTOR_TRUSTED_PROXIES: '10.0.0.0/8, x' },
    /QUAESTOR_TRUSTED_PROXIES is wrong: "x" is neither an IP address nor a CIDR block/,
  ],
  [{ QUAESTOR_OPENTDB: 'tags=public' }, /QUAESTOR_OPENTDB is wrong: tags is not a parameter/],
  [{ QUAESTOR_OPENTDB: 'status=draft' }, /QUAESTOR_OPENTDB is wrong: status is not a parameter/],
  [{ QUAESTOR_OPENTDB: 'difficulty=9' }, /QUAESTOR_OPENTDB is wrong: difficulty/],
  [{ QUAESTOR_OPENTDB: '&' }, /QUAESTOR_OPENTDB must name a filter/],
  ...['*', 'null', 'https://quiz.example/', 'HTTPS://quiz.example', 'quiz.example', 'https://x:443'].map(
    (origin): (typeof INVALID)[number] => [
      { QUAESTOR_ORIGINS: `https://ok.example ${origin}` },
      /QUAESTOR_ORIGINS is wrong: ".*" is not an origin/,
    ],
  ),
];

describe('settings', () => {
  for (const [env, message] of INVALID) {
    it(`rejects ${Object.keys(env).join(' and ')}: ${Object.values(env).join(' and ')}`, () => {
      assert.throws(
        () => readConfig(env),
        (error: Error) => {
          assert.ok(error instanceof StartError);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /secret@|hunter2/);
          return true;
        },
      );
    });
  }

  const FOLDERS: [folder: string, message: RegExp][] = [
    ['/dev/null/x', /data folder \/dev\/null\/x cannot be created/],
    ['/proc', /data folder \/proc cannot be written to/],
    ['/proc/x', /data folder \/proc\/x cannot be created/],
  ];
  for (const [dataDir, message] of FOLDERS) {
    it(`rejects the data folder ${dataDir}`, async () => {
      const opening = openEngine({ dataDir });
      await assert.rejects(opening, (error) => error instanceof StartError && message.test(error.message));
    });
  }

  for (const databaseUrl of [
    'postgres://a,b/bank?target_session_attrs=read-write',
    'postgres://user:a,b@a:5432,b:5433/bank',
    'postgres:///bank?host=a,b',
  ]) {
    it(`rejects several hosts: ${databaseUrl}`, async () => {
      const opening = openEngine({ dataDir: tempFolder(), databaseUrl });
      await assert.rejects(
        opening,
        (error) => error instanceof StartError && /names several hosts/.test(error.message),
      );
    });
  }

  it('rejects a PostgreSQL that does not answer in time', async () => {
    const lines: string[] = [];
    const wait = { ms: 100, report: (line: string) => lines.push(line) };
    const databaseUrl = 'postgres://127.0.0.1:1/x';
    const opening = openEngine({ dataDir: tempFolder(), databaseUrl, postgres: { wait } });
    await assert.rejects(
      opening,
      (error) => error instanceof StartError && /^PostgreSQL cannot be used: /.test(error.message),
    );
    assert.match(lines.join('\n'), /^PostgreSQL is unavailable \(.+\)\. Retrying for 0\.1 s\.$/);
  });
});
