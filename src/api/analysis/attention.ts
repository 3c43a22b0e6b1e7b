/** What needs attention: the sources of the list, their order, and what to do about each. */
import type { FastifyInstance } from 'fastify';
import { type Definition, FINDING_SEVERITIES } from '../../analyses/define.ts';
import { analyses, findAnalysis } from '../../analyses/index.ts';
import { sendJson } from '../../http/preconditions.ts';
import { AttentionList, AttentionQuery } from '../../schemas/attention.ts';
import {
  type AttentionItem,
  type AttentionSource,
  EMPTY_CELL,
  listAttention,
} from '../../store/analyses/attention.ts';
import { buildLinkHeader, buildPagination, type ListDeps } from '../paging.ts';
import { getCaller, getCallOptions, getVisibility } from '../requests.ts';

const SCOPES = ['questions:read', 'answers:read', 'analysis:read'] as const;

interface Source extends AttentionSource {
  message: string;
  next_step: NextStep;
}

interface NextStep {
  description: string;
  method: string;
  /** With `{id}` for the question. */
  path: string;
}

const findingsOf = (type: string, names: readonly string[]) => names.map((name) => ({ type, name }));

const majorOf = (type: string) => {
  const { findings } = findAnalysis(type) as unknown as Definition;
  return Object.keys(findings).filter((name) => findings[name] === FINDING_SEVERITIES.at(-1));
};

/** In order of weight. A weight is a power of two, so that a reason outranks all lighter ones. */
const SOURCES: readonly Source[] = [
  {
    reason: 'wrong_key',
    weight: 64,
    findings: [
      ...findingsOf('item_statistics', ['check_key', 'likely_wrong_key']),
      ...findingsOf('irt', ['negative_discrimination']),
    ],
    message: 'The responses suggest that the key is wrong.',
    next_step: {
      description: 'Compare the options, and correct the key.',
      method: 'PUT',
      path: '/questions/{id}',
    },
  },
  {
    reason: 'reported',
    weight: 32,
    findings: [],
    reports: true,
    message: 'Respondents report a fault.',
    next_step: {
      description: 'Read the reports, correct the question, and resolve them.',
      method: 'GET',
      path: '/questions/{id}/reports',
    },
  },
  {
    reason: 'conflict',
    weight: 16,
    findings: findingsOf('duplicates', ['conflict']),
    message: 'The same question is in the bank with another answer.',
    next_step: {
      description: 'Compare the two, then correct or delete one.',
      method: 'GET',
      path: '/questions/{id}/findings',
    },
  },
  {
    reason: 'major_flaw',
    weight: 8,
    findings: findingsOf('quality', majorOf('quality')),
    message: 'The question has a major flaw of writing.',
    next_step: {
      description: 'Apply the remedy of the finding.',
      method: 'GET',
      path: '/questions/{id}/findings',
    },
  },
  {
    reason: 'mislabelled',
    weight: 4,
    findings: [
      ...findingsOf('labels', ['category_suspect', 'difficulty_suspect']),
      ...findingsOf('difficulty_audit', ['misrated_harder', 'misrated_easier']),
    ],
    message: 'The category or the difficulty is probably wrong.',
    next_step: {
      description: 'Set the suggested category or difficulty.',
      method: 'PUT',
      path: '/questions/{id}',
    },
  },
];

const REASONS = [...SOURCES.map(({ reason }) => reason), EMPTY_CELL];

const EMPTY_CELL_STEP = { description: 'Write questions for the cell.', method: 'POST', path: '/questions' };

export function attentionRoutes(app: FastifyInstance, { engine }: ListDeps): void {
  app.get<{ Querystring: AttentionQuery }>(
    '/attention',
    {
      config: { scopes: SCOPES },
      schema: {
        summary: 'List what needs attention',
        description:
          'One ranked list from the latest runs, each with reasons and the next step. Reasons in descending weight: `wrong_key` (`item_statistics` ' +
          'or `irt` doubts the key), `reported` (open reports of respondents; only with `questions:write`), `conflict` (`duplicates` found the same question with another answer), `major_flaw` (`quality`), ' +
          '`mislabelled` (`labels` or `difficulty_audit`), `empty_cell` (no question of a category at a difficulty, by the latest `coverage` ' +
          'of the whole bank). A question appears once with all of its reasons; it ranks by the heaviest, then by the next, then by creation. ' +
          'Dismissed findings do not count. Only reasons whose analysis has been run are listed.',
        querystring: AttentionQuery(REASONS),
        response: { 200: AttentionList(REASONS, analyses) },
      },
    },
    async (request, reply) => {
      const { limit = 20, offset = 0, reason } = request.query;
      const maySeeReports = getCaller(request).scopes.has('questions:write');
      const sources = SOURCES.filter(
        (source) => (!reason || reason.includes(source.reason)) && (!source.reports || maySeeReports),
      ).map(({ reason, weight, findings, reports }) => ({ reason, weight, findings, reports }));
      const cells = !reason || reason.includes(EMPTY_CELL);
      const query = { sources, cells, visibility: getVisibility(request), limit, offset };
      const { items, total, counts } = await engine.search(listAttention, query, getCallOptions(request));
      const data = items.map(renderItem);
      const pagination = buildPagination({ limit, offset, n: data.length, total });
      reply.header('link', buildLinkHeader(request, pagination, data.length));
      return sendJson(reply, JSON.stringify({ data, counts, pagination }));
    },
  );
}

function renderItem({ question, cell, reasons }: AttentionItem) {
  const { id = null, question_text = null, category, difficulty } = question ? JSON.parse(question) : cell!;
  return {
    question_id: id,
    question_text,
    category: category ?? cell?.category,
    difficulty,
    reasons: reasons.map(({ reason, findings, reports }) => {
      const source = SOURCES.find((each) => each.reason === reason);
      const { description, method, path } = source?.next_step ?? EMPTY_CELL_STEP;
      return {
        reason,
        message: source?.message ?? 'There is no question of this category at this difficulty.',
        findings: findings.map(({ type, name }) => ({
          analysis_type: type,
          name,
          severity: (findAnalysis(type) as unknown as Definition).findings[name],
        })),
        reports,
        next_step: { description, method, href: path.replace('{id}', id ?? '') },
      };
    }),
  };
}
