// The search language for decisions, such as `agent:deploy-bot verdict:deny -tool:read_file "customer list"`. Runs in the service and in browsers.
import { ACTIONS, RISK_LEVELS, VERDICTS } from '../../kernel/vocabulary.ts';

/** The fields of a search, in the order of suggestions. */
export const QUERY_FIELDS = [
  'agent',
  'verdict',
  'reason',
  'tool',
  'server',
  'intent',
  'resource',
  'action',
  'risk',
  'policy',
  'request',
  'key',
  'id',
] as const;
export type QueryField = (typeof QUERY_FIELDS)[number];

/** What is searched: a field, or `text` for words anywhere in the record. */
export interface QueryTerm {
  readonly field: QueryField | 'text';
  readonly value: string;
  /** Only decisions that do not match. */
  readonly negated: boolean;
}

export type ParsedQuery =
  | { readonly ok: true; readonly terms: readonly QueryTerm[] }
  /** `start` and `end` are the part of the text that is wrong. */
  | { readonly ok: false; readonly message: string; readonly start: number; readonly end: number };

export const MAX_TERMS = 20;
/** Of the whole text. */
export const MAX_QUERY_LENGTH = 2_000;

interface FieldRule {
  readonly description: string;
  /** All values, when they are known; compared without case. */
  readonly values?: readonly string[];
  /** A pattern that the value must match, and its description. */
  readonly pattern?: readonly [RegExp, string];
  readonly upperCase?: true;
}

export const FIELD_RULES: Readonly<Record<QueryField, FieldRule>> = {
  agent: { description: 'the whole id of the agent' },
  verdict: { description: 'what was decided', values: VERDICTS },
  reason: {
    description: 'a reason code of a decision that was not ALLOW',
    pattern: [/^[A-Z][A-Z0-9_]{0,63}$/, 'a reason code such as TRUST_TOO_LOW'],
    upperCase: true,
  },
  tool: { description: 'a tool, with or without its server: write_file, filesystem/write_file' },
  server: { description: 'the server of the tool' },
  intent: { description: 'the beginning of the intent as it was read: db.delete' },
  resource: { description: 'the beginning of the resource: db/production' },
  action: { description: 'the class of the action', values: ACTIONS },
  risk: { description: 'the level of risk', values: RISK_LEVELS },
  policy: { description: 'a policy among the reasons' },
  request: {
    description: 'the X-Request-Id',
    pattern: [/^[A-Za-z0-9._:-]{1,128}$/, 'a request id: letters, digits and . _ : -'],
  },
  key: { description: 'the API key that asked' },
  id: {
    description: 'one decision',
    pattern: [/^dec_[0-9a-z]{26}$/, 'a decision id: dec_ with 26 lower-case letters and digits'],
  },
};

const isField = (name: string): name is QueryField => (QUERY_FIELDS as readonly string[]).includes(name);

/** `-`, a field, and a value in quotes or up to the next space. */
const TOKEN = /\s*(-?)(?:([A-Za-z_]+):)?(?:"((?:[^"\\]|\\["\\])*)"(?=\s|$)|([^\s"]\S*)?)/gy;

/** The value as it is searched, or why it is wrong. */
function valueOf(field: QueryField, given: string): { readonly value: string } | { readonly wrong: string } {
  const { values, pattern, upperCase } = FIELD_RULES[field];
  if (given === '') return { wrong: `${field}: needs a value: ${FIELD_RULES[field].description}.` };
  if (values !== undefined) {
    const value = values.find((each) => each.toLowerCase() === given.toLowerCase());
    return value === undefined ? { wrong: `${field}: is one of ${values.join(', ').toLowerCase()}.` } : { value };
  }
  const value = upperCase === true ? given.toUpperCase() : given;
  if (pattern !== undefined && !pattern[0].test(value)) return { wrong: `${field}: needs ${pattern[1]}.` };
  return { value };
}

function termOf(field: string | undefined, value: string, negated: boolean): QueryTerm | { readonly wrong: string } {
  if (field === undefined) return { field: 'text', value, negated };
  const name = field.toLowerCase();
  if (!isField(name))
    return {
      wrong: `There is no field ${field}. Fields: ${QUERY_FIELDS.join(', ')}. Put words with a colon in quotes.`,
    };
  const read = valueOf(name, value);
  return 'wrong' in read ? read : { field: name, value: read.value, negated };
}

/**
 * Reads a search. Values of one field are alternatives; different fields, words and negated terms must all hold. A quoted value
 * may contain spaces, \" and \\.
 */
export function parseQuery(text: string): ParsedQuery {
  const terms: QueryTerm[] = [];
  const wrong = (message: string, start: number, end: number): ParsedQuery => ({ ok: false, message, start, end });
  const end = text.trimEnd().length;
  if (end > MAX_QUERY_LENGTH) return wrong(`The search is longer than ${MAX_QUERY_LENGTH} characters.`, 0, end);
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    const start = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
    const stop = match === null ? end : match.index + match[0].length;
    if (match === null || stop <= start)
      return wrong('A quote is not closed, or is followed by other text.', start, end);
    const [, minus, field, quoted, plain] = match;
    if (field !== undefined && quoted === undefined && text[stop] === '"')
      return wrong('A quote is not closed, or is followed by other text.', start, end);
    const value = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
    if (field === undefined && value === '') return wrong('A search word is empty.', start, stop);
    const term = termOf(field, value, minus === '-');
    if ('wrong' in term) return wrong(term.wrong, start, stop);
    if (!terms.some((each) => isSameTerm(each, term))) terms.push(term);
  }
  if (terms.length > MAX_TERMS) return wrong(`A search has at most ${MAX_TERMS} terms.`, 0, end);
  return { ok: true, terms };
}

export function isSameTerm(a: QueryTerm, b: QueryTerm): boolean {
  return a.field === b.field && a.value === b.value && a.negated === b.negated;
}

/** One term as text that `parseQuery` reads as the same term. */
export function formatTerm({ field, value, negated }: QueryTerm): string {
  const shown = field === 'verdict' ? value.toLowerCase() : value;
  const isPlain = /^[^\s"]+$/u.test(shown) && (field !== 'text' || !/^-|^[A-Za-z_]+:/.test(shown));
  const written = isPlain ? shown : `"${shown.replace(/["\\]/g, '\\$&')}"`;
  return `${negated ? '-' : ''}${field === 'text' ? '' : `${field}:`}${written}`;
}

export const formatQuery = (terms: readonly QueryTerm[]): string => terms.map(formatTerm).join(' ');

/** The term that ends at the cursor, for suggestions. */
export interface TermAtCursor {
  readonly start: number;
  readonly negated: boolean;
  /** Undefined while the field itself is typed. */
  readonly field: QueryField | undefined;
  /** The text so far, without an opening quote. */
  readonly typed: string;
}

export function termAtCursor(text: string, cursor: number): TermAtCursor {
  const before = text.slice(0, cursor);
  const start = (/(?:^|\s)(-?(?:[A-Za-z_]+:)?(?:"[^"]*|[^\s"]*))$/.exec(before)?.[1] ?? '').length;
  const [, minus, name, typed = ''] = /^(-?)(?:([A-Za-z_]+):)?(.*)$/s.exec(before.slice(before.length - start)) ?? [];
  const field = name?.toLowerCase();
  return {
    start: cursor - start,
    negated: minus === '-',
    field: field !== undefined && isField(field) ? field : undefined,
    typed: typed.replace(/^"/, ''),
  };
}
