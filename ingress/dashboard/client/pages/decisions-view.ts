// What the list of decisions shows, as its address says it: the search, the time range, and the open decision. Pure.
import { formatTerm, isSameTerm, parseQuery, type QueryTerm } from '../query.ts';

export const RANGES = [
  { name: '15m', text: '15 min', ms: 900_000 },
  { name: '1h', text: '1 h', ms: 3_600_000 },
  { name: '24h', text: '24 h', ms: 86_400_000 },
  { name: '7d', text: '7 d', ms: 7 * 86_400_000 },
  { name: '30d', text: '30 d', ms: 30 * 86_400_000 },
] as const;
export type RangeName = (typeof RANGES)[number]['name'];

export interface DecisionView {
  /** As it is in the address; it may be wrong. */
  readonly q: string;
  /** A range that ends now. */
  readonly range: RangeName | undefined;
  /** RFC 3339, inclusive. Only without `range`. */
  readonly from: string | undefined;
  /** RFC 3339, exclusive. Only without `range`. */
  readonly to: string | undefined;
  /** Whether new decisions are shown as they come. */
  readonly live: boolean;
  /** The id of the decision in the drawer. */
  readonly open: string | undefined;
}

const SINGLE: readonly (readonly [parameter: string, field: QueryTerm['field']])[] = [
  ['agentId', 'agent'],
  ['verdict', 'verdict'],
  ['reason', 'reason'],
  ['tool', 'tool'],
  ['requestId', 'request'],
];

const isInstant = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text));

/** Other pages link to decisions with one parameter for each field, as the API has them; these become terms of the search. */
export function viewOf(query: URLSearchParams): DecisionView {
  const terms = SINGLE.flatMap(([parameter, field]) => {
    const value = query.get(parameter);
    return value === null || value === '' ? [] : [formatTerm({ field, value, negated: false })];
  });
  const range = RANGES.find(({ name }) => name === query.get('range'))?.name;
  const [from, to] = [query.get('from'), query.get('to')];
  return {
    q: [query.get('q') ?? '', ...terms].filter((text) => text !== '').join(' '),
    range,
    from: range === undefined && isInstant(from) ? from : undefined,
    to: range === undefined && isInstant(to) ? to : undefined,
    live: query.get('live') === '1',
    open: query.get('open') ?? undefined,
  };
}

/** The parameters of its address. */
export function parametersOf({ q, range, from, to, live, open }: DecisionView): Record<string, string | undefined> {
  return { q: q === '' ? undefined : q, range, from, to, live: live ? '1' : undefined, open };
}

/** The terms of a search that is correct, else none. */
export function termsOf(q: string): readonly QueryTerm[] {
  const parsed = parseQuery(q);
  return parsed.ok ? parsed.terms : [];
}

/** The search with one more term. The opposite of the term is removed. */
export function withTerm(terms: readonly QueryTerm[], term: QueryTerm): QueryTerm[] {
  const opposite = { ...term, negated: !term.negated };
  const others = terms.filter((each) => !isSameTerm(each, term) && !isSameTerm(each, opposite));
  return [...others, term];
}

/** The time span that is searched, RFC 3339. */
export function spanOf({ range, from, to }: DecisionView, now: Date): { readonly from?: string; readonly to?: string } {
  const ms = RANGES.find(({ name }) => name === range)?.ms;
  if (ms !== undefined) return { from: new Date(now.getTime() - ms).toISOString() };
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** The neighbour of an item in a list; undefined at its end. */
export function neighbour<T>(items: readonly T[], is: (item: T) => boolean, step: 1 | -1): T | undefined {
  const at = items.findIndex(is);
  return at < 0 ? undefined : items[at + step];
}
