/**
 * A table is declared once, beside the noun it stores. The type of its rows, inserts and the
 * copying of banks between engines (migrate/) are derived from the declaration, and a test compares
 * it with the catalogues of both databases.
 */
export type Value = string | number | null | Uint8Array;

/** As PostgreSQL names them. SQLite stores integers, text and blobs. */
type ColumnType = 'bigint' | 'integer' | 'text' | 'uuid' | 'bytea';

export interface Column<V extends Value = Value> {
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** The database supplies the value where an insert leaves it out. */
  readonly generated: boolean;
  /** Carries the type of the values; no column has the property. */
  readonly values?: V;
}

const column = <V extends Value>(type: ColumnType): Column<V> => ({
  type,
  nullable: false,
  generated: false,
});

export const bigint: Column<number> = column('bigint');
export const integer: Column<number> = column('integer');
export const uuid: Column<string> = column('uuid');
export const bytea: Column<Uint8Array> = column('bytea');
export const text = <V extends string = string>(): Column<V> => column('text');

export const nullable = <V extends Value>(of: Column<V>): Column<V | null> => ({ ...of, nullable: true });

export interface GeneratedColumn<V extends Value> extends Column<V> {
  readonly generated: true;
}
export const generated = <V extends Value>(of: Column<V>): GeneratedColumn<V> => ({ ...of, generated: true });

type Columns = Readonly<Record<string, Column>>;

export interface Table<C extends Columns = Columns> {
  readonly name: string;
  readonly columns: C;
  readonly primaryKey: readonly string[];
}

export const defineTable = <const C extends Columns>(
  name: string,
  columns: C,
  ...primaryKey: (keyof C & string)[]
): Table<C> => ({ name, columns, primaryKey });

export type RowOf<T extends Table> = {
  [K in keyof T['columns']]: T['columns'][K] extends Column<infer V> ? V : never;
};

type Omissible<C extends Columns> = {
  [K in keyof C]: C[K] extends GeneratedColumn<Value> ? K : null extends C[K]['values'] ? K : never;
}[keyof C];

/** A row to insert: generated and nullable columns may be left out. */
export type NewRow<T extends Table> = Omit<RowOf<T>, Omissible<T['columns']>> & Partial<RowOf<T>>;

export const columnNames = (table: Table): string[] => Object.keys(table.columns);

/** The columns for a SELECT, of the table itself or of an alias of it. */
export const columnList = (table: Table, alias?: string): string =>
  columnNames(table)
    .map((name) => (alias === undefined ? name : `${alias}.${name}`))
    .join(', ');

/**
 * The columns that an insert of these rows fills: all but the generated ones that the rows leave
 * out. Every row of an insert has the same generated columns.
 */
export const insertedColumns = (table: Table, rows: readonly object[]): string[] =>
  columnNames(table).filter((name) => !table.columns[name]!.generated || name in rows[0]!);
