/**
 * How a process opens a bank:
 * - `serve`: the service. On SQLite it has the folder to itself; migrates the schema.
 * - `admin`: the command line, beside a running service. Allocates no slots, so writes no
 * questions; migrates no schema.
 * - `migrate-target`: `quaestor migrate`. Like `serve`, but also opens an incomplete bank, and
 * statements may take long.
 */
export type Mode = 'serve' | 'admin' | 'migrate-target';
