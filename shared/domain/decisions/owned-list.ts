// Lists rows of an organisation, newest first, with a separate statement for each combination of filters.
import type { Statement } from '../../platform/db/database.ts';
import type { Owner } from '../../kernel/owner.ts';

export interface OwnedFilter extends Owner {
  /** Only rows of this key. */
  readonly keyId?: string | undefined;
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
}

/** Values, and the SQL text for their placeholders. */
export type ListCondition = readonly [values: readonly unknown[], text: (...at: string[]) => string];

/**
 * Contains only conditions that apply, so that each statement is a range scan of one index. A statement with "or the parameter is null"
 * may read every row for a rare result. Each of several agents is a range of its own.
 */
export function ownedList(list: OwnedList): [statement: Statement, values: unknown[]] {
  const { table, columns, id, keyId, agentIds, before } = list;
  const values: unknown[] = [list.organisationId, list.environment, list.limit];
  const texts = ['organisation_id = $1', 'environment = $2'];
  const add = (...[given, text]: ListCondition): void => {
    texts.push(text(...given.map((value) => `$${values.push(value)}`)));
  };
  if (keyId !== undefined) add([keyId], (at) => `key_id = ${at}`);
  for (const condition of list.more) add(...condition);
  if (before !== undefined) add([before], (at) => `${id} < ${at}`);
  const [agentId] = agentIds ?? [];
  const isOne = agentIds?.length === 1;
  if (isOne) add([agentId], (at) => `agent_id = ${at}`);
  const ofSeveral = agentIds !== undefined && !isOne;
  if (ofSeveral) add([], () => 'agent_id = one.agent');
  const page = `SELECT ${columns} FROM ${table} WHERE ${texts.join(' AND ')} ORDER BY ${id} DESC LIMIT $3`;
  const text = ofSeveral
    ? `SELECT part.* FROM unnest($${values.push([...new Set(agentIds)])}::text[]) AS one (agent) CROSS JOIN LATERAL (${page}) AS part ORDER BY ${id} DESC LIMIT $3`
    : page;
  return [text, values];
}
