/** The client of the API, published as `quaestor/client`. For browsers and Node, without dependencies. */
import type { ProblemCode } from './api-operations.ts';
import { Problem } from './request.ts';

export type { Credentials } from './access-tokens.ts';
export type { Operations, ProblemCode } from './api-operations.ts';
export type * from './api-schemas.ts';
export type { StreamEvent } from './event-stream.ts';
export {
  type CallOptions,
  type Item,
  type ListName,
  type OperationName,
  Quaestor,
  type QuaestorOptions,
  type Result,
} from './quaestor.ts';
export { type Answer, type Fault, Problem, Unreachable } from './request.ts';

/** Whether an error is a problem with one of these codes. */
export const isProblem = (error: unknown, ...codes: ProblemCode[]): error is Problem =>
  error instanceof Problem && (codes.length === 0 || (codes as string[]).includes(error.code));
