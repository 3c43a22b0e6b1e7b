/** Each entry is one step, run in a transaction of its own. The list only grows at its end; its length is the version. */
import { FIRST_SLOT, INSERT_FIXED_CATEGORIES } from '../fixed-categories.ts';
import { accessTables, analysisTables, splitAnswers } from '../steps.ts';

export const migrations: string[] = [
  `
  CREATE TABLE ledger (
    only_row integer PRIMARY KEY CHECK (only_row = 1),
    epoch    bigint NOT NULL
  );
  INSERT INTO ledger VALUES (1, 0);

  CREATE SEQUENCE slots START ${FIRST_SLOT};
  CREATE SEQUENCE moments MINVALUE 0 START 0;

  -- Slots and moments have to be given out in the same order, whichever connection asks. The lock that sees to it must
  -- not last until the caller commits, or all writers would wait on each other: the exception ends a subtransaction,
  -- and the lock with it, while sequences and variables keep what they were given.
  CREATE FUNCTION ticket(n bigint, OUT first bigint, OUT at bigint) LANGUAGE plpgsql AS $$
  BEGIN
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('quaestor ticket'));
      first := nextval('slots');
      IF n > 1 THEN PERFORM setval('slots', first + n - 1); END IF;
      at := greatest(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, (SELECT last_value FROM moments));
      PERFORM setval('moments', at);
      RAISE EXCEPTION USING ERRCODE = 'QT001';
    EXCEPTION WHEN SQLSTATE 'QT001' THEN NULL;
    END;
  END $$;

  CREATE TABLE categories (
    id          bigint PRIMARY KEY,
    uid         uuid NOT NULL UNIQUE,
    name        text NOT NULL,
    name_key    text NOT NULL UNIQUE,
    name_json   text NOT NULL,
    description text,
    fixed       integer NOT NULL,
    version     integer NOT NULL,
    name_version integer NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL
  );
  ${INSERT_FIXED_CATEGORIES}

  CREATE TABLE questions (
    seq         bigint PRIMARY KEY,
    touch       bigint NOT NULL UNIQUE,
    id          uuid NOT NULL UNIQUE,
    category_id bigint NOT NULL REFERENCES categories,
    external_id text UNIQUE,
    revision    integer NOT NULL,
    action      text NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    rest        text NOT NULL
  );
  CREATE INDEX questions_by_update ON questions (updated_at, touch);

  CREATE TABLE revisions (
    question_id uuid NOT NULL,
    revision    integer NOT NULL,
    action      text NOT NULL,
    at          bigint NOT NULL,
    seq         bigint NOT NULL,
    created_at  bigint NOT NULL,
    category_id bigint NOT NULL,
    category    text NOT NULL,
    rest        text,
    PRIMARY KEY (question_id, revision)
  );

  CREATE TABLE postings (
    facet   text COLLATE "C" NOT NULL,
    block   bigint NOT NULL,
    epoch   bigint NOT NULL,
    n       integer NOT NULL,
    members bytea NOT NULL,
    PRIMARY KEY (facet, block)
  );

  CREATE TABLE postings_log (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    facet   text COLLATE "C" NOT NULL,
    block   bigint NOT NULL,
    added   bytea NOT NULL,
    removed bytea NOT NULL
  );

  CREATE TABLE idempotency (
    scope       text NOT NULL,
    key         text NOT NULL,
    fingerprint text NOT NULL,
    at          bigint NOT NULL,
    result      text NOT NULL,
    PRIMARY KEY (scope, key)
  );
  CREATE INDEX idempotency_by_age ON idempotency (at);

  -- Apart from the questions, so that counting matches reads small rows.
  CREATE TABLE search (
    slot  bigint PRIMARY KEY,
    terms tsvector NOT NULL
  );
  CREATE INDEX search_terms ON search USING gin (terms);
  `,
  splitAnswers((name) => `((('{' || face)::json -> '${name}')::text)`),
  accessTables({
    id: 'uuid',
    integer: 'bigint',
    strict: '',
    random: "replace(gen_random_uuid()::text, '-', '')",
  }),
  analysisTables({
    id: 'uuid',
    integer: 'bigint',
    bytes: 'bytea',
    strict: '',
    eventId: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    // Ids are given out before the commit; the transaction tells when everything before it is there. See store/events.ts.
    transaction: 'bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint',
  }),
];
