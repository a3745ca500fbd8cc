// Lists rows of an organisation, newest first, with a separate statement for each combination of filters.
import type { Statement } from '../../platform/db/database.ts';
import type { Owner } from '../../kernel/owner.ts';

export interface OwnedFilter extends Owner {
  /** Only rows of these keys. */
  readonly keyIds?: readonly string[] | undefined;
  /** Only these agents. */
  readonly agentIds?: readonly string[] | undefined;
  /** Only ids before this one. */
  readonly before?: string | undefined;
}

export interface OwnedList extends OwnedFilter {
  readonly table: 'decision' | 'intent';
  readonly columns: string;
  /** The column of ids, which sort by time. */
  readonly id: string;
  readonly limit: number;
  /** Further conditions. */
  readonly more: readonly ListCondition[];
  /** Values of a column of which each is a range of its own. Absent: the agents. */
  readonly each?: { readonly column: string; readonly values: readonly string[] } | undefined;
}

/** Values, and the SQL text for their placeholders. */
export type ListCondition = readonly [values: readonly unknown[], text: (...at: string[]) => string];

/**
 * Contains only conditions that apply, so that each statement is a range scan of one index. A statement with "or the parameter is null"
 * may read every row for a rare result. Each of several agents, or other values, is a range of its own, and each key of an intent is, too: a
 * part with its own parameter, which the planner knows, because one key may have made nearly all rows and another none.
 */
export function ownedList(list: OwnedList): [statement: Statement, values: unknown[]] {
  const { table, columns, id, keyIds, agentIds, before } = list;
  const values: unknown[] = [list.organisationId, list.environment, list.limit];
  const texts = ['organisation_id = $1', 'environment = $2'];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const add = (...[given, text]: ListCondition): void => {
    texts.push(text(...given.map(place)));
  };
  // Only intents have an index by key (migration 0063).
  const parts = table === 'intent' && keyIds !== undefined && keyIds.length > 0 ? keyIds : undefined;
  if (parts === undefined && keyIds !== undefined) add([keyIds], (at) => `key_id = ANY (${at}::text[])`);
  for (const condition of list.more) add(...condition);
  if (before !== undefined) add([before], (at) => `${id} < ${at}`);
  const each = list.each ?? (agentIds === undefined ? undefined : { column: 'agent_id', values: agentIds });
  if (list.each !== undefined && agentIds !== undefined) add([agentIds], (at) => `agent_id = ANY (${at})`);
  const [value] = each?.values ?? [];
  const isOne = each?.values.length === 1;
  if (each !== undefined) add(isOne ? [value] : [], (at = 'one.value') => `${each.column} = ${at}`);
  const ranges = each === undefined || isOne ? undefined : place([...new Set(each.values)]);
  const page = (more: readonly string[]): string => {
    const rows = `SELECT ${columns} FROM ${table} WHERE ${[...texts, ...more].join(' AND ')} ORDER BY ${id} DESC LIMIT $3`;
    return ranges === undefined
      ? rows
      : `SELECT part.* FROM unnest(${ranges}::text[]) AS one (value) CROSS JOIN LATERAL (${rows}) AS part ORDER BY ${id} DESC LIMIT $3`;
  };
  if (parts === undefined) return [page([]), values];
  const pages = parts.map((keyId) => page([`key_id = ${place(keyId)}`]));
  const [only = '', second] = pages;
  const all = pages.map((one) => `(${one})`).join(' UNION ALL ');
  return [second === undefined ? only : `SELECT * FROM (${all}) AS parts ORDER BY ${id} DESC LIMIT $3`, values];
}
