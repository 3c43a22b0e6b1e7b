/** What is documented of a problem code. */
export interface ProblemKind {
  status: number;
  meaning: string;
  /**
   * The routes: `any`; a trait (`write`, `scoped`, `limited`, `condition`, `keyed` for
   * Idempotency-Key, `matched` for If-Match, `body`); a method; a path; or a method with a path.
   * Empty if the problem can occur before a route is found.
   */
  on: readonly string[];
}
