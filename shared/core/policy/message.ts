// Messages of rules with placeholders such as {agent.id}: found when a policy is checked, filled with the facts of each decision.
import { MASK, maskedAt } from '../tools/mask.ts';
import { PARTLY, plainValue } from './any-of.ts';
import type { FactReference } from './fact-values.ts';
import type { PathReader } from './path-reader.ts';
import type { Policy } from './schema.ts';
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

/** Whether a message of these policies has a placeholder. */
export const havePlaceholders = (policies: readonly Policy[]): boolean =>
  policies.some(({ rules }) => rules.some(({ event }) => placeholdersIn(event.params.message).length > 0));

/**
 * Characters that are invisible, reorder the text around them or end a line. A fixed list: what Unicode calls a format character changes
 * with its versions, and a recorded message must be the same on every machine.
 */
const UNSAFE: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
/** Texts that can't be mistaken for the words of a message; all others are quoted. */
const PLAIN = /^[A-Za-z0-9_.:/@+-]+$/;

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  return UNSAFE.some(([from, to]) => code >= from && code <= to) ? `\\u{${code.toString(16)}}` : character;
}

function textOf(text: string): string {
  if (text === MASK) return text;
  const characters = [...text.slice(0, 2 * MAX_CHARACTERS)];
  const isCut = characters.length > MAX_CHARACTERS || text.length > 2 * MAX_CHARACTERS;
  const kept = isCut ? `${characters.slice(0, MAX_CHARACTERS).join('')}...` : text;
  return PLAIN.test(kept) && !isCut ? kept : `"${Array.from(kept, escaped).join('')}"`;
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
