import type { FastifyInstance } from 'fastify';
import { readIfMatch, sendWithEtag } from '../http/preconditions.ts';
import { getBasePath } from '../http/url.ts';
import {
  Category,
  CategoryChange,
  CategoryInput,
  CategoryList,
  DifficultyList,
} from '../schemas/category.ts';
import { DIFFICULTIES } from '../schemas/difficulties.ts';
import { Type } from '../schemas/type.ts';
import type { Engine } from '../store/db.ts';
import {
  createCategory,
  deleteCategory,
  getCategory,
  updateCategory,
} from '../store/questions/categories.ts';
import { listCategories } from '../store/questions/category-list.ts';
import { addChangeRoutes } from './change-routes.ts';
import { getVisibility, getWriteOptions, writeIdempotently } from './requests.ts';

const READ = ['questions:read'] as const;
const WRITE = ['categories:write'] as const;

const IdPath = Type.Object({ id: Type.String({ description: "The category's id." }) });
type ById = { Params: { id: string } };

export function categoryRoutes(app: FastifyInstance, engine: Engine): void {
  app.get(
    '/categories',
    {
      config: { scopes: READ },
      schema: {
        summary: 'List categories',
        description: 'Each with the number of its questions by difficulty.',
        response: { 200: CategoryList },
      },
    },
    (request) => listCategories(engine.db, getVisibility(request)),
  );

  app.post<{ Body: CategoryInput }>(
    '/categories',
    {
      config: { scopes: WRITE },
      schema: { summary: 'Create a category', body: CategoryInput, response: { 201: Category } },
    },
    async (request, reply) => {
      const { etag, category } = await writeIdempotently(engine, request, createCategory, request.body);
      return reply
        .code(201)
        .headers({ location: `${getBasePath(request)}/categories/${category.id}`, etag })
        .send(category);
    },
  );

  app.get<ById>(
    '/categories/:id',
    {
      config: { scopes: READ },
      schema: { summary: 'Get a category', params: IdPath, response: { 200: Category } },
    },
    async (request, reply) => {
      const { etag, category } = await getCategory(engine.db, request.params.id);
      return sendWithEtag(request, reply, etag, JSON.stringify(category));
    },
  );

  addChangeRoutes<ById & { Body: CategoryChange }>(app, {
    url: '/categories/:id',
    config: { scopes: WRITE },
    schema: {
      summary: 'Update a category',
      description: 'Its questions show the new name. The six built-in categories cannot be renamed.',
      params: IdPath,
      body: CategoryChange,
      response: { 200: Category },
    },
    handler: async (request, reply) => {
      const update = { id: request.params.id, change: request.body, ifMatch: readIfMatch(request) };
      const { etag, category } = await engine.write(updateCategory, update, getWriteOptions(request));
      return reply.header('etag', etag).send(category);
    },
  });

  app.delete<ById>(
    '/categories/:id',
    {
      config: { scopes: WRITE },
      schema: {
        summary: 'Delete a category',
        description: 'It must have no questions. The six built-in categories cannot be deleted.',
        params: IdPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await engine.write(
        deleteCategory,
        { id: request.params.id, ifMatch: readIfMatch(request) },
        getWriteOptions(request),
      );
      return reply.code(204).send();
    },
  );

  app.get(
    '/difficulties',
    {
      config: { scopes: READ },
      schema: { summary: 'List difficulties', response: { 200: DifficultyList } },
    },
    async () => ({ data: DIFFICULTIES }),
  );
}
