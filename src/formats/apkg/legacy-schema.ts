/** Version 11 of the schema of a collection, which Anki has read since 2012. */

export const MODEL_ID = 1_600_000_000_001;

export const SCHEMA = `
CREATE TABLE col (id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL,
  ver integer NOT NULL, dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL,
  models text NOT NULL, decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL);
CREATE TABLE notes (id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL,
  usn integer NOT NULL, tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL,
  flags integer NOT NULL, data text NOT NULL);
CREATE TABLE cards (id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL,
  mod integer NOT NULL, usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL, due integer NOT NULL,
  ivl integer NOT NULL, factor integer NOT NULL, reps integer NOT NULL, lapses integer NOT NULL, left integer NOT NULL,
  odue integer NOT NULL, odid integer NOT NULL, flags integer NOT NULL, data text NOT NULL);
CREATE TABLE revlog (id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL,
  ivl integer NOT NULL, lastIvl integer NOT NULL, factor integer NOT NULL, time integer NOT NULL, type integer NOT NULL);
CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL);
CREATE INDEX ix_notes_usn ON notes (usn);
CREATE INDEX ix_cards_usn ON cards (usn);
CREATE INDEX ix_revlog_usn ON revlog (usn);
CREATE INDEX ix_cards_nid ON cards (nid);
CREATE INDEX ix_cards_sched ON cards (did, queue, due);
CREATE INDEX ix_revlog_cid ON revlog (cid);
CREATE INDEX ix_notes_csum ON notes (csum);
`;

const FRONT = '{{question_text}}{{#choices}}<hr>{{choices}}{{/choices}}';
const BACK =
  '{{FrontSide}}<hr id=answer>{{correct_answer}}{{#unit}} {{unit}}{{/unit}}{{#explanation}}<br><br>{{explanation}}{{/explanation}}';
const CSS = '.card { font-family: sans-serif; font-size: 20px; text-align: center; white-space: pre-line; }';

/** The only row of the table `col`. */
export function collectionRow(
  fields: readonly string[],
  decks: ReadonlyMap<string, number>,
  time: number,
): (string | number)[] {
  const seconds = Math.floor(time / 1000);
  const deckList = new Map([['Default', 1], ...decks]);
  const model = {
    id: MODEL_ID,
    name: 'Quaestor',
    type: 0,
    mod: seconds,
    usn: -1,
    sortf: fields.indexOf('question_text'),
    did: 1,
    tmpls: [{ name: 'Card 1', ord: 0, qfmt: FRONT, afmt: BACK, did: null, bqfmt: '', bafmt: '' }],
    flds: fields.map((name, ord) => ({
      name,
      ord,
      sticky: false,
      rtl: false,
      font: 'Arial',
      size: 20,
      media: [],
    })),
    css: CSS,
    latexPre: '',
    latexPost: '',
    req: [[0, 'any', [fields.indexOf('question_text')]]],
    tags: [],
    vers: [],
  };
  const deckObjects = [...deckList].map(([name, id]) => [
    id,
    {
      ...{
        id,
        name,
        mod: seconds,
        usn: -1,
        desc: '',
        dyn: 0,
        conf: 1,
        collapsed: false,
        browserCollapsed: false,
      },
      ...{
        newToday: [0, 0],
        revToday: [0, 0],
        lrnToday: [0, 0],
        timeToday: [0, 0],
        extendNew: 0,
        extendRev: 0,
      },
    },
  ]);
  const options = {
    ...{
      id: 1,
      name: 'Default',
      mod: 0,
      usn: 0,
      maxTaken: 60,
      autoplay: true,
      timer: 0,
      replayq: true,
      dyn: false,
    },
    new: { bury: true, delays: [1, 10], initialFactor: 2500, ints: [1, 4, 7], order: 1, perDay: 20 },
    rev: { bury: true, ease4: 1.3, ivlFct: 1, maxIvl: 36500, perDay: 200, hardFactor: 1.2 },
    lapse: { delays: [10], leechAction: 0, leechFails: 8, minInt: 1, mult: 0 },
  };
  const configuration = { nextPos: 1, curModel: MODEL_ID, curDeck: 1, activeDecks: [1], sortType: 'noteFld' };
  return [
    ...[1, seconds, time, time, 11, 0, 0, 0],
    JSON.stringify(configuration),
    JSON.stringify({ [MODEL_ID]: model }),
    JSON.stringify(Object.fromEntries(deckObjects)),
    JSON.stringify({ 1: options }),
    '{}',
  ];
}
