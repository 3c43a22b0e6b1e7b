/** Parses the filters and the order of the rows of a result. */
import { type Definition, FINDING_SEVERITIES } from '../../analyses/define.ts';
import { findAnalysis } from '../../analyses/index.ts';
import { errors, type Fault } from '../../errors.ts';
import type { AnalysisRowsQuery } from '../../schemas/analysis.ts';
import { toNameKey } from '../../schemas/names.ts';
import { listRowValues, type RowQuery, SORT_BY_CREATION } from '../../store/analyses/row-index.ts';
import type { Db } from '../../store/db.ts';
import type { View } from '../../store/view.ts';

type RowSelection = Pick<RowQuery, 'filters' | 'sort'>;

const FILTERS = ['flag', 'rule', 'severity', 'verdict', 'category'] as const;

/** Whether a query selects or sorts rows. */
export const selectsRows = (query: AnalysisRowsQuery) =>
  query.sort !== undefined || FILTERS.some((name) => query[name] !== undefined);

/** The values that a parameter can have: those of the type or, of categories, those of the result. */
async function listValues(
  db: Db,
  run: { id: string; view: View },
  definition: Definition,
  name: (typeof FILTERS)[number] | 'sort',
): Promise<readonly string[]> {
  const { properties } = definition.result.item;
  if (name === 'severity') return FINDING_SEVERITIES;
  if (name === 'flag') return listEnum(properties.flags);
  if (name === 'rule') return definition.flagsAreRules ? listEnum(properties.flags) : [];
  if (name === 'verdict') return listEnum(properties.verdict ?? properties.class);
  if (name === 'category') return listRowValues(db, { ...run, kind: 'category' });
  const keys = [SORT_BY_CREATION, ...Object.keys(definition.sortKeys ?? {})];
  return keys.flatMap((key) => [key, `-${key}`]);
}

/** The values of an enumeration, of an array of it, or of one that may be null. */
function listEnum(schema: unknown): string[] {
  const {
    enum: values,
    items,
    anyOf,
  } = (schema ?? {}) as {
    enum?: string[];
    items?: unknown;
    anyOf?: unknown[];
  };
  return values ?? (items ? listEnum(items) : (anyOf ?? []).flatMap(listEnum));
}

const MAX_NAMED_VALUES = 100;

function describeFault(name: string, type: string, values: readonly string[]): Omit<Fault, 'pointer'> {
  if (values.length === 0)
    return {
      code: 'not_applicable',
      detail: `does not apply: the rows of this ${type} result have no ${name}`,
    };
  const named = values.slice(0, MAX_NAMED_VALUES).join(', ');
  const others = values.length - MAX_NAMED_VALUES;
  return {
    code: 'not_allowed',
    detail: `must be one of ${named}${others > 0 ? ` and ${others} others` : ''}, of this ${type} result`,
  };
}

/** Refuses values that rows of the result cannot have. */
export async function parseRowSelection(
  db: Db,
  run: { id: string; view: View; type: string },
  query: AnalysisRowsQuery,
): Promise<RowSelection> {
  const definition = findAnalysis(run.type) as unknown as Definition;
  const faults: Fault[] = [];
  const parse = async (name: (typeof FILTERS)[number] | 'sort', given: string[]) => {
    const values = await listValues(db, run, definition, name);
    const byKey = new Map(values.map((value) => [name === 'category' ? toNameKey(value) : value, value]));
    return given.flatMap((text) => {
      const value = byKey.get(name === 'category' ? toNameKey(text) : text);
      if (value !== undefined) return [value];
      faults.push({ pointer: `?${name}`, ...describeFault(name, run.type, values) });
      return [];
    });
  };
  const filters: RowSelection['filters'] = [];
  for (const name of FILTERS)
    if (query[name])
      filters.push({ kind: name === 'rule' ? 'flag' : name, values: await parse(name, query[name]) });
  const [sort] = query.sort === undefined ? [] : await parse('sort', [query.sort]);
  if (faults.length > 0) throw errors.invalidQuery(faults.slice(0, 1));
  const descending = sort?.startsWith('-') ?? false;
  return {
    filters,
    sort: sort === undefined ? undefined : { key: sort.slice(descending ? 1 : 0), descending },
  };
}
