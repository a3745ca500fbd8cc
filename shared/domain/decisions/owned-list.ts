// Lists of an organisation's rows, newest first, of any length: a statement of its own for each kind of question.
import type { Statement } from '../../platform/db/database.ts';
import type { Environment } from '../../kernel/vocabulary.ts';

export interface OwnedList {
  readonly table: 'decision' | 'intent';
  readonly columns: string;
  /** The column of ids, which sort by time. */
  readonly id: string;
  readonly organisationId: string;
  readonly environment: Environment;
  /** Only what this key asked. */
  readonly keyId: string | undefined;
  /** Only these agents. */
  readonly agentIds: readonly string[] | undefined;
  /** Only ids before this one. */
  readonly before: string | undefined;
  readonly limit: number;
  /** More conditions: a name for the kind of each, its values, and its text with their places. */
  readonly more: readonly ListCondition[];
}

export type ListCondition = readonly [kind: string, values: readonly unknown[], text: (...at: string[]) => string];

/**
 * Holds only conditions that bind, so that each statement is a range of one index from where the page begins: one with
 * "or the parameter is null" in it may read every row for a rare answer. Several agents are a range each.
 */
export function ownedList(list: OwnedList): [statement: Statement, values: unknown[]] {
  const { table, columns, id, keyId, agentIds, before } = list;
  const values: unknown[] = [list.organisationId, list.environment, list.limit];
  const texts = ['organisation_id = $1', 'environment = $2'];
  const kinds: string[] = [];
  const add = (...[kind, given, text]: ListCondition): void => {
    kinds.push(kind);
    texts.push(text(...given.map((value) => `$${values.push(value)}`)));
  };
  if (keyId !== undefined) add('key', [keyId], (at) => `key_id = ${at}`);
  for (const condition of list.more) add(...condition);
  if (before !== undefined) add('before', [before], (at) => `${id} < ${at}`);
  const [agentId] = agentIds ?? [];
  const isOne = agentIds?.length === 1;
  if (isOne) add('agent', [agentId], (at) => `agent_id = ${at}`);
  const ofSeveral = agentIds !== undefined && !isOne;
  if (ofSeveral) add('agents', [], () => 'agent_id = one.agent');
  const page = `SELECT ${columns} FROM ${table} WHERE ${texts.join(' AND ')} ORDER BY ${id} DESC LIMIT $3`;
  const text = ofSeveral
    ? `SELECT part.* FROM unnest($${values.push([...new Set(agentIds)])}::text[]) AS one (agent) CROSS JOIN LATERAL (${page}) AS part ORDER BY ${id} DESC LIMIT $3`
    : page;
  return [{ name: [`${table}-list`, ...kinds].join('-'), text }, values];
}
