// The SQL of a search among decisions: one range of an index where it begins, and the conditions that its rows must also meet.
import type { QueryField, QueryTerm } from '../../core/decision/query.ts';
import { hasCode, type KnownTool } from './known-values.ts';
import { hasInRecord } from './stored-text.ts';

/** Collects the parameters of a statement. */
export interface Parameters {
  /** Adds a value. @returns its placeholder */
  readonly add: (value: unknown) => string;
  readonly values: readonly unknown[];
}

export function createParameters(...first: readonly unknown[]): Parameters {
  const values = [...first];
  return { values, add: (value) => `$${values.push(value)}` };
}

/** Values of one field that are alternatives, or one that must not occur. */
export interface TermGroup {
  readonly field: QueryTerm['field'];
  readonly values: readonly string[];
  readonly negated: boolean;
}

/** Positive terms of one field become one group. Words and negated terms stay apart, because each of them must hold. */
export function groupTerms(terms: readonly QueryTerm[]): TermGroup[] {
  const groups: TermGroup[] = [];
  for (const { field, value, negated } of terms) {
    const at = groups.findIndex((group) => field !== 'text' && !negated && !group.negated && group.field === field);
    const group = groups[at];
    if (group === undefined) groups.push({ field, values: [value], negated });
    else groups[at] = { ...group, values: [...group.values, value] };
  }
  return groups;
}

/**
 * The ranges of an index in which a search begins: one for each row of `columns`. Each is sorted by decision_id, so a page of a few
 * ranges is merged from their newest rows.
 */
export interface Ranges {
  /** The values of each range, by column. None: one range without values. */
  readonly columns: readonly (readonly string[])[];
  readonly condition: (...values: readonly string[]) => string;
}

/** What is known about the owner's decisions. */
export interface Known {
  readonly reasonTexts: readonly string[];
  readonly tools: readonly KnownTool[];
}

const isTool = ({ server, name }: KnownTool, value: string): boolean => value === name || value === `${server}/${name}`;

type RangesOf = (values: readonly string[], known: Known) => Ranges[];
const equal =
  (column: string): RangesOf =>
  (values) => [{ columns: [values], condition: (value) => `${column} = ${value}` }];
const toolRanges =
  (matches: (tool: KnownTool, value: string) => boolean): RangesOf =>
  (values, { tools }) => {
    const found = tools.filter((tool) => values.some((value) => matches(tool, value)));
    return [
      {
        columns: [found.map(({ server }) => server), found.map(({ name }) => name)],
        condition: (server, name) => `tool_server = ${server} AND tool_name = ${name}`,
      },
    ];
  };

/** As in decision-store.ts: most decisions are in the second of their request, and only the others are in the index of requests. */
function requestRanges(values: readonly string[]): Ranges[] {
  const own = values.filter((value) => value.startsWith('req_'));
  const firsts = own.map((value) => `dec_${value.slice(4, 12)}`);
  return [
    {
      columns: [values],
      condition: (id) => `request_id = ${id} AND left(request_id, 12) <> 'req_' || substr(decision_id, 5, 8)`,
    },
    {
      columns: [own, firsts, firsts.map((first) => `${first}${'z'.repeat(18)}`)],
      condition: (id, from, to) =>
        `request_id = ${id} AND decision_id >= ${from} AND decision_id <= ${to} AND left(request_id, 12) = 'req_' || substr(decision_id, 5, 8)`,
    },
  ];
}

/** The fields with an index, the most selective first. */
const INDEXED: readonly (readonly [QueryField, RangesOf])[] = [
  ['id', equal('decision_id')],
  ['request', requestRanges],
  [
    'reason',
    (values, { reasonTexts }) => [
      {
        columns: [reasonTexts.filter((text) => values.some((code) => hasCode(text, code)))],
        condition: (text) => `reasons = ${text}`,
      },
    ],
  ],
  ['agent', equal('agent_id')],
  ['tool', toolRanges(isTool)],
  ['server', toolRanges((tool, value) => tool.server === value)],
  // The second condition is that of the partial index.
  ['verdict', (values) => [{ columns: [values], condition: (value) => `verdict = ${value} AND verdict <> 'ALLOW'` }]],
];

/** ALLOW is not indexed: neither by verdict nor by reason. */
export const includesAllow = (groups: readonly TermGroup[]): boolean =>
  groups.some(({ field, negated, values }) => field === 'verdict' && !negated && values.includes('ALLOW'));

export interface Chosen {
  readonly ranges: readonly Ranges[];
  /** The groups that the ranges do not cover. */
  readonly rest: readonly TermGroup[];
}

const WHOLE: Ranges = { columns: [], condition: () => 'true' };

export function chooseRanges(groups: readonly TermGroup[], known: Known): Chosen {
  const allowsAllow = includesAllow(groups);
  for (const [field, rangesOf] of INDEXED) {
    if (allowsAllow && (field === 'reason' || field === 'verdict')) continue;
    const group = groups.find((each) => each.field === field && !each.negated);
    if (group === undefined) continue;
    const ranges = rangesOf(group.values, known).filter(({ columns }) => columns[0]?.length !== 0);
    return { ranges, rest: groups.filter((each) => each !== group) };
  }
  return { ranges: [WHOLE], rest: groups };
}

/** A text as it stands in JSON, without its quotes. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The condition of one value. The record is canonical JSON, so a member with its value has exactly one spelling. */
const CONDITIONS: Readonly<Record<TermGroup['field'], (value: string, add: Parameters['add']) => string>> = {
  id: (value, add) => `decision_id = ${add(value)}`,
  agent: (value, add) => `agent_id = ${add(value)}`,
  verdict: (value) =>
    `verdict = '${value === 'ALLOW' || value === 'DENY' || value === 'ESCALATE' ? value : 'DEGRADE'}'`,
  request: (value, add) => `request_id = ${add(value)}`,
  key: (value, add) => `key_id = ${add(value)}`,
  server: (value, add) => `coalesce(tool_server = ${add(value)}, false)`,
  tool: (value, add) => {
    const at = add(value);
    return `coalesce(tool_name = ${at} OR tool_server || '/' || tool_name = ${at}, false)`;
  },
  // An ALLOW has no reasons in their column.
  reason: (value, add) =>
    `CASE WHEN verdict = 'ALLOW' THEN ${hasInRecord(add, `"code":"${escaped(value)}"`, escaped(value))} ELSE coalesce(${add(value)} = ANY (string_to_array(reasons, ' ')), false) END`,
  policy: (value, add) => hasInRecord(add, `"policy":"${escaped(value)}"`, escaped(value)),
  intent: (value, add) => hasInRecord(add, `"normalized":"${escaped(value)}`, escaped(value)),
  resource: (value, add) => hasInRecord(add, `"resource":"${escaped(value)}`, escaped(value)),
  action: (value, add) => hasInRecord(add, `"intent":{"action":"${escaped(value)}"`, escaped(value)),
  risk: (value, add) => hasInRecord(add, `"level":"${escaped(value)}"`, escaped(value)),
  text: (value, add) => hasInRecord(add, escaped(value), escaped(value)),
};

/** The conditions of groups, of which all must hold. */
export function conditionsOf(groups: readonly TermGroup[], add: Parameters['add']): string[] {
  const conditions = groups.map(({ field, values, negated }) => {
    const any = values.map((value) => CONDITIONS[field](value, add)).join(' OR ');
    return negated ? `NOT (${any})` : `(${any})`;
  });
  const byReason = groups.some(({ field, negated }) => field === 'reason' && !negated);
  return byReason && !includesAllow(groups) ? [...conditions, "verdict <> 'ALLOW'"] : conditions;
}
