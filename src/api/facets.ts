import type { FastifyInstance } from 'fastify';
import { DEFAULT_FACET_VALUES, FacetQuery, QuestionFacets } from '../schemas/question-facets.ts';
import { findSortFaults } from '../schemas/question-rules.ts';
import type { Engine } from '../store/db.ts';
import { countFacets } from '../store/questions/facet-counts.ts';
import { checkFilter, FINDING_SCOPES, refuseQuery, requireDeletedScopes } from './paging.ts';
import { getCaller, getCallOptions, getView, getVisibility } from './requests.ts';

export function facetRoutes(app: FastifyInstance, engine: Engine): void {
  app.get<{ Querystring: FacetQuery }>(
    '/questions/facets',
    {
      config: { scopes: ['questions:read'], views: true },
      schema: {
        summary: 'Count questions by facet',
        description:
          'Counts the questions that match the filters of GET /questions, by category, difficulty, kind, status, topic, tag, source, missing ' +
          'field and, with `analysis:read` and `answers:read`, finding of the latest runs. The counts of a facet ignore the filters by the facet itself (`category` and `not_category` for categories), so that ' +
          'they show what another choice would find. Counts are exact.',
        querystring: FacetQuery,
        response: { 200: QuestionFacets },
      },
    },
    (request) => {
      const { limit = DEFAULT_FACET_VALUES, deleted = false, ...filter } = request.query;
      const view = getView(request);
      const { scopes } = getCaller(request);
      if (deleted) requireDeletedScopes(scopes);
      refuseQuery(findSortFaults({ ...filter, deleted }));
      refuseQuery(checkFilter(filter, scopes));
      const findings = !deleted && FINDING_SCOPES.every((scope) => scopes.has(scope));
      const visible = { ...filter, visibility: getVisibility(request) };
      const args = { view, filter: visible, deleted, findings, limit };
      return engine.search(countFacets, args, getCallOptions(request));
    },
  );
}
