/** The part of OpenAPI 3.1 that the document uses. */
export interface Ref {
  $ref: string;
  description?: string;
}

export interface Schema extends Partial<Ref> {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  additionalProperties?: boolean;
}

export interface Header {
  description?: string;
  required?: boolean;
  schema: Schema;
}

export interface Parameter extends Header {
  name: string;
  in: 'path' | 'query' | 'header';
  style?: 'form';
  explode?: boolean;
}

export type Content = Record<string, { schema: Schema; example?: unknown }>;

export interface Response {
  description: string;
  headers?: Record<string, Ref>;
  content?: Content;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, readonly string[]>[];
  parameters: (Parameter | Ref)[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Response | Ref>;
}

export interface OpenApi {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Header>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, object>;
  };
}
