// Messages of rules with placeholders such as {agent.id}: found when a policy is checked, filled with the facts of each decision.
import { MASK, maskedAt } from '../tools/mask.ts';
import { PARTLY, plainValue } from './any-of.ts';
import type { FactReference } from './fact-values.ts';
import type { PathReader } from './path-reader.ts';
import { FACT_NAMES, fullPath } from './vocabulary.ts';

/** `{fact.path}`, or `{environment}`. Other braces are ordinary characters. */
const PLACEHOLDER = /\{([A-Za-z_]+)(?:\.([^{}\s]+))?\}/g;

/** Longer values are cut. */
const MAX_CHARACTERS = 100;
const MAX_ITEMS = 5;

/** The facts that a message names; of unknown ones those that look like a fact with a path. */
export function placeholdersIn(message: string): FactReference[] {
  return [...message.matchAll(PLACEHOLDER)].flatMap(([, fact = '', path]) => {
    if (path === undefined) return FACT_NAMES.includes(fact) ? [{ fact }] : [];
    return [{ fact, path }];
  });
}

/**
 * Characters that are invisible, reorder the text around them or end a line. A fixed list: what Unicode calls a format character changes
 * with its versions, and a recorded message must be the same on every machine.
 */
const UNSAFE =
  /["\\\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** Texts that can't be mistaken for the words of a message; all others are quoted. */
const PLAIN = /^[A-Za-z0-9_.:/@+-]+$/;

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

function textOf(text: string): string {
  if (text === MASK) return text;
  const characters = [...text.slice(0, 2 * MAX_CHARACTERS)];
  const isCut = characters.length > MAX_CHARACTERS || text.length > 2 * MAX_CHARACTERS;
  const kept = isCut ? `${characters.slice(0, MAX_CHARACTERS).join('')}...` : text;
  return PLAIN.test(kept) && !isCut ? kept : `"${kept.replaceAll(UNSAFE, escaped)}"`;
}

function printed(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return textOf(value);
    case 'number':
    case 'boolean':
      return String(value);
    default:
      break;
  }
  if (value === undefined || value === null) return '(missing)';
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (items.length === 0) return '(none)';
    const shown = items.slice(0, MAX_ITEMS).map(printed);
    return [...shown, ...(items.length > MAX_ITEMS ? ['...'] : [])].join(', ');
  }
  if (typeof value !== 'object' || !('amount' in value) || !('currency' in value)) return '(object)';
  return typeof value.amount === 'number' && typeof value.currency === 'string'
    ? `${value.amount} ${textOf(value.currency)}`
    : '(object)';
}

/** Lists longer than this are not searched for secrets beyond it. */
const withoutRest = (value: unknown): unknown => (Array.isArray(value) ? value.slice(0, MAX_ITEMS + 1) : value);
/** Searching for secrets takes time in proportion to the text. */
const shortened = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, 10 * MAX_CHARACTERS) : value;

/** The value of a fact as a message shows it: secrets are masked as in tool arguments, long values are cut, texts may not pose as words. */
function shownAt(path: string, value: unknown): string {
  if (value === PARTLY) return '(several)';
  const plain = withoutRest(plainValue(value));
  return printed(maskedAt(path, Array.isArray(plain) ? plain.map(shortened) : shortened(plain)));
}

/** Fills a message with the values of facts. Deterministic, so that a replay gives the recorded message. */
export type MessageFiller = (facts: object) => string;

/** Compiles a checked message; undefined when it has no placeholders. */
export function compileMessage(
  message: string,
  find: (fact: FactReference) => { readonly read: PathReader },
): MessageFiller | undefined {
  const named = placeholdersIn(message);
  if (named.length === 0) return undefined;
  const readers = new Map(named.map((one) => [fullPath(one.fact, one.path), find(one).read]));
  return (facts) =>
    message.replaceAll(PLACEHOLDER, (written, fact: string, path: string | undefined) => {
      const full = fullPath(fact, path);
      const read = readers.get(full);
      return read === undefined ? written : shownAt(full, read(facts));
    });
}
