import type { FastifyInstance } from 'fastify';
import { DEFAULT_FACET_VALUES, FacetQuery, QuestionFacets } from '../schemas/question-facets.ts';
import type { Engine } from '../store/db.ts';
import { countFacets } from '../store/questions/facet-counts.ts';
import { checkFilter, refuseQuery, requireDeletedScopes } from './paging.ts';
import { getCaller, getCallOptions, getView } from './requests.ts';

export function facetRoutes(app: FastifyInstance, engine: Engine): void {
  app.get<{ Querystring: FacetQuery }>(
    '/questions/facets',
    {
      config: { scopes: ['questions:read'], views: true },
      schema: {
        summary: 'Count questions by facet',
        description:
          'Counts the questions that match the filters of GET /questions, by category, difficulty, kind, topic, tag, source and missing ' +
          'field. The counts of a facet ignore the filters by the facet itself (`category` and `not_category` for categories), so that ' +
          'they show what another choice would find. Counts are exact.',
        querystring: FacetQuery,
        response: { 200: QuestionFacets },
      },
    },
    (request) => {
      const { limit = DEFAULT_FACET_VALUES, deleted = false, ...filter } = request.query;
      const view = getView(request);
      if (deleted) requireDeletedScopes(getCaller(request).scopes);
      refuseQuery(checkFilter(filter, view));
      return engine.search(countFacets, { view, filter, deleted, limit }, getCallOptions(request));
    },
  );
}
