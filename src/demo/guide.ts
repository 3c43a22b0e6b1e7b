/** The text that a demo prints: how to reach it, and which faults to look for. */
import { EMPTY_CELL, FAULTS, MISSPELLED } from './faults.ts';
import type { Filled } from './fill.ts';
import { RESPONDENTS } from './simulation.ts';

interface Guide {
  url: string;
  key: string;
  link: string;
  folder: string;
  counts: Filled;
  isNew: boolean;
}

const LEVEL_NAMES = ['Basic', 'Intermediate', 'Advanced'];

export function renderGuide({ url, key, link, folder, counts, isNew }: Guide): string {
  const format = (n: number) => n.toLocaleString('en');
  const lines = [
    'The demo bank is ready.',
    '',
    `Console        ${url}/#link=${link}`,
    '               The link signs in once, within 30 minutes.',
    `Documentation  ${url}/docs`,
    `Data           ${folder}`,
    '               The next start uses it again. Delete the folder to begin anew.',
    '',
    `The bank has ${format(counts.questions)} questions and ${format(counts.responses)} responses of ` +
      `${format(RESPONDENTS)} simulated respondents.`,
    `Some questions have planted faults. ${isNew ? 'The analyses that find them are running' : 'These analyses find them'}:`,
    '',
    ...listFindings().flatMap(({ analysis, found }) =>
      found.map((text, i) => `${(i === 0 ? analysis : '').padEnd(18)}${text}`),
    ),
    '',
    'In the console, see the pages Health, Attention and Analyses. For requests, in another terminal:',
    '',
    `export QUAESTOR_URL=${url} QUAESTOR_KEY=${key}`,
    'curl -s -H "Authorization: Bearer $QUAESTOR_KEY" -H \'Content-Type: application/json\' \\',
    `  -d '{"analysis_type": "duplicates"}' $QUAESTOR_URL/analysis/run`,
    '',
    'Stop the demo with Ctrl-C.',
  ];
  return `\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n\n`;
}

function listFindings(): { analysis: string; found: string[] }[] {
  const found = Map.groupBy(FAULTS, ({ analysis }) => analysis);
  const rows = [...found].map(([analysis, faults]) => ({
    analysis: analysis as string,
    found: faults.map(({ description }) => description),
  }));
  rows
    .find(({ analysis }) => analysis === 'item_statistics')!
    .found.push(`a misspelled answer that may be accepted: “${MISSPELLED.answer}”`);
  const { category, difficulty } = EMPTY_CELL;
  const hole = `no question in ${category} is ${LEVEL_NAMES[difficulty]}`;
  return [...rows, { analysis: 'coverage', found: [hole] }];
}
