/** Renders the findings of `quaestor lint`: text, JSON, SARIF 2.1.0, or annotations of GitHub. */
import { createHash } from 'node:crypto';
import type { Finding, Report } from './lint.ts';

export function renderFindings(findings: readonly Finding[], report: Report): string {
  if (report === 'json') return `${JSON.stringify(findings, null, 2)}\n`;
  if (report === 'sarif') return `${JSON.stringify(buildSarif(findings), null, 2)}\n`;
  if (report === 'github') return findings.map((each) => `${toAnnotation(each)}\n`).join('');
  const lines = findings.map((each) => `${formatPlace(each)}: ${each.level} ${each.rule}: ${each.message}\n`);
  return lines.join('') + (findings.length > 0 ? `${findings.length} findings.\n` : '');
}

/** As compilers write it. */
const formatPlace = ({ file, path, line, column }: Finding) =>
  [path === undefined ? file : `${file}(${path})`, line, column]
    .filter((part) => part !== undefined)
    .join(':');

const LEVELS = { error: 'error', warning: 'warning', note: 'notice' };
const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

function toAnnotation({ file, line, column, level, rule, message }: Finding): string {
  const properties = [
    `file=${escapeProperty(file)}`,
    `line=${line}`,
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${escapeProperty(rule)}`,
  ];
  return `::${LEVELS[level]} ${properties.join(',')}::${escapeData(message)}`;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** The same finding has the same fingerprint in every run, so that alerts do not double. */
const buildSarif = (findings: readonly Finding[]) => ({
  $schema: SCHEMA,
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'quaestor',
          rules: [...new Set(findings.map(({ rule }) => rule))].sort().map((id) => ({ id })),
        },
      },
      results: findings.map(({ file, line, column, level, rule, message }) => ({
        ruleId: rule,
        level,
        message: { text: message },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
              region: { startLine: Math.max(1, line), ...(column !== undefined && { startColumn: column }) },
            },
          },
        ],
        partialFingerprints: {
          'finding/v1': createHash('sha256')
            .update(`${file}\n${rule}\n${message}`)
            .digest('hex')
            .slice(0, 32),
        },
      })),
    },
  ],
});
