/** Imports of files. Each sequence waits for the end of its import. */
import type { Random } from '../../support/random.ts';
import { randomQuery } from './bank.ts';
import type { Request, WeightedGenerators } from './side.ts';

const IMPORT: Request = { method: 'GET', url: '/imports/{import:-1}', untilEnded: true };

const ROWS = [
  ...['Which planet is red?,Mars,Venus,Astronomy,1,imp-1', 'Which planet is red?,Mars,Venus,Astronomy,1,'],
  ...['Which planet is red?,Jupiter,Venus,Astronomy,1,', 'Which planet has the shortest day?,Jupiter,,,1,'],
  ...['Imported?,yes,no,science,2,imp-2', 'Imported?,yes,no,science,0,imp-3', 'Imported?,,,science,1,'],
  ...[
    '"Open,quote?,a,b',
    'Elsewhere?,yes,no,Atlantis,1,imp-4',
    'Later?,yes,no,Art,,e1',
    ',,,,,',
    'a,b,c,d,e,f,g,h',
  ],
];

function importFile(random: Random): Request[] {
  const rows = Array.from({ length: random.below(8) }, () => random.pick(ROWS));
  const table = ['question,answer,wrong 1,category,difficulty,id', ...rows].join('\n');
  const query = randomQuery(
    random,
    ['format', 0.7, ['csv', 'csv', 'csv', 'jsonl', 'docx']],
    ['dry_run', 0.3, [true, false]],
    ['mode', 0.4, ['skip_bad', 'all_or_nothing', 'some']],
    ['on_match', 0.7, ['skip', 'update', 'update', 'error']],
    ['create_categories', 0.2, [true]],
    ['category', 0.4, ['Science', 'Nowhere']],
    ['difficulty', 0.4, [0, 2, 3]],
    ['category_map', 0.2, ['["a"]']],
  );
  const undo: Request = { method: 'POST', url: '/changes/{import:-1}/undo' };
  return [
    {
      method: 'POST',
      url: `/imports${query}`,
      body: random.pick([table, table, table, `${table}\n`, '', 'no table at all']),
      as: random.pick(['admin', 'admin', 'author', 'writer', 'reader']),
    },
    IMPORT,
    { method: 'GET', url: '/imports/{import:-1}/rejects' },
    ...(random.maybe(0.5)
      ? [undo, { method: 'GET', url: '/changes/{change:-1}', untilEnded: true } as Request]
      : []),
  ];
}

const RESPONSE_ROWS = [
  ...['r1,imp-1,Mars,s1,north,', 'r1,imp-1,Venus,s1,,2026-03-01', 'r1,e1,yes,,south,', 'r2,imp-2,,s1,,'],
  ...['r2,Imported?,no,,,', 'r2,Which planet is red?,Mars,s2,,', ',imp-1,Mars,,,', 'r3,nowhere,x,,,'],
];

function importResponses(random: Random): Request[] {
  const rows = Array.from({ length: random.below(8) }, () => random.pick(RESPONSE_ROWS));
  const long = ['student,question,answer,session,group,time', ...rows].join('\n');
  const query = randomQuery(
    random,
    ['format', 0.4, ['responses-long', 'responses-wide', 'responses-canvas', 'csv']],
    ['dry_run', 0.3, [true, false]],
    ['mode', 0.4, ['skip_bad', 'all_or_nothing', 'some']],
    ['session', 0.3, ['exam', '']],
    ['questions', 0.3, ['["imp-1","imp-2"]', '{"1":"e1"}', '[1]']],
    ['missing', 0.2, ['{"9":"not_reached"}', '{"9":"x"}']],
  );
  return [
    {
      method: 'POST',
      url: `/responses/import${query}`,
      body: random.pick([
        long,
        long,
        long,
        'student,imp-1,e1\nr4,1,9\nr5,0,1',
        '1 0 1\n0 1 1',
        '',
        'no table',
      ]),
      as: random.pick(['admin', 'admin', 'admin', 'author', 'reader']),
    },
    { method: 'GET', url: '/responses/imports/{recording:-1}', untilEnded: true },
    { method: 'GET', url: '/responses?limit=20' },
    ...(random.maybe(0.2) ? [{ method: 'POST', url: '/changes/{recording:-1}/undo' } as Request] : []),
  ];
}

export const IMPORTS: WeightedGenerators = [
  [1, importFile],
  [0.4, importResponses],
  [0.2, () => ({ method: 'GET', url: '/responses/imports?limit=5' })],
  [0.3, () => ({ method: 'GET', url: '/imports?limit=5' })],
  [0.1, () => ({ method: 'GET', url: '/imports?status=failed&limit=2&offset=1', as: 'reader' })],
];
