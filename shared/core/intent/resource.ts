// Resources: their canonical spelling, wildcard patterns, and the strings that /enforce and /intents accept.
import { flatText } from '../../kernel/flat-text.ts';
import { ACTIONS } from '../../kernel/vocabulary.ts';
import type { Action } from '../../kernel/vocabulary.ts';

export type Refusal = { readonly ok: false; readonly message: string };

const MAX_LENGTH = 2_048;
const MAX_SEGMENTS = 64;
/** Fast path: most requests have this form, which is canonical already. */
const PLAIN = /^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\/\*)?$/;
/**
 * Invisible characters: controls, line separators, and all that Unicode lets a renderer ignore (zero-width characters, fillers, selectors).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const ONLY_DOTS = /^\.+$/;
const ACTION_WORD = /^[a-z][a-z0-9_-]{0,63}$/;

function refuse(message: string): Refusal {
  return { ok: false, message };
}

/** Folds compatibility forms (NFKC) and lower-cases; the second folding is needed because lower-casing can undo the first (U+0130). */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Undefined when a percent sign does not start a valid UTF-8 escape. */
export function decodeOnce(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * The canonical form of a resource or pattern: percent-decoded once, NFKC, lower case, split at `/ \ : .`, empty
 * segments dropped, joined by `/`. `*` is legal only as the whole last segment. Idempotent.
 * Refused: `.` and `..` between slashes, a `%` that is left, invisible characters, white space around a segment.
 */
export function canonicalResource(text: string): { readonly ok: true; readonly resource: string } | Refusal {
  if (text.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters`);
  if (PLAIN.test(text)) {
    if (text.split('/').length > MAX_SEGMENTS) return refuse(`must have at most ${MAX_SEGMENTS} segments`);
    return { ok: true, resource: text };
  }
  const decoded = decodeOnce(text);
  if (decoded === undefined) return refuse('has a percent sign that does not start a valid UTF-8 escape');
  if (!decoded.isWellFormed()) return refuse('must not contain lone surrogates');
  if (INVISIBLE.test(decoded)) return refuse('must not contain control, zero-width or other invisible characters');
  const folded = fold(decoded);
  // NFKC may turn one character into eighteen, and a canonical resource must be valid input itself.
  if (folded.length > MAX_LENGTH) return refuse(`must have at most ${MAX_LENGTH} characters once it is normalized`);
  if (INVISIBLE.test(folded)) return refuse('must not contain control, zero-width or other invisible characters');
  if (folded.includes('%')) return refuse('must not contain a percent sign once it is decoded');
  const pieces = folded.split(/[/\\:]/);
  if (pieces.some((piece) => ONLY_DOTS.test(piece.trim())))
    return refuse('must not contain "." or ".." between slashes');
  const segments = pieces.flatMap((piece) => piece.split('.')).filter((segment) => segment !== '');
  if (segments.length === 0) return refuse('must name a resource');
  if (segments.length > MAX_SEGMENTS) return refuse(`must have at most ${MAX_SEGMENTS} segments`);
  if (segments.some((segment) => segment !== segment.trim()))
    return refuse('must not have white space around a segment');
  const star = segments.findIndex((segment) => segment.includes('*'));
  if (star !== -1 && (star !== segments.length - 1 || segments[star] !== '*')) {
    return refuse('may have "*" only as its whole last segment');
  }
  return { ok: true, resource: flatText(segments.join('/')) };
}

/** Whether a canonical resource is a pattern: its last segment is `*`, which stands for one or more segments. */
export function isPattern(resource: string): boolean {
  return resource === '*' || resource.endsWith('/*');
}

/** The common prefix of all covered resources: `db/production/*` gives `db/production/`, `*` gives the empty string. */
function stem(pattern: string): string {
  return pattern.slice(0, -1);
}

/** Whether a canonical pattern (or plain resource) matches a canonical resource that is not a pattern. */
export function matchesPattern(pattern: string, resource: string): boolean {
  if (!isPattern(pattern)) return pattern === resource;
  const prefix = stem(pattern);
  return resource.length > prefix.length && resource.startsWith(prefix);
}

/** Whether a pattern matches every resource that a request covers; the request may be a pattern itself. */
export function covers(pattern: string, request: string): boolean {
  if (!isPattern(request)) return matchesPattern(pattern, request);
  return isPattern(pattern) && stem(request).startsWith(stem(pattern));
}

/** Whether some resource matches both. */
export function overlaps(a: string, b: string): boolean {
  if (!isPattern(a)) return covers(b, a);
  if (!isPattern(b)) return covers(a, b);
  return stem(a).startsWith(stem(b)) || stem(b).startsWith(stem(a));
}

/** The normalized intent of an action on a canonical resource: `db/production/users` and `delete` give `db.delete.production.users`. */
export function normalizedOf(resource: string, action: Action): string {
  const [first, ...rest] = resource.split('/');
  return flatText([first, action, ...rest].join('.'));
}

export interface EnforceIntent {
  readonly ok: true;
  /** The word that the caller used, in lower case: an action or a finer verb (`drop`). */
  readonly actionWord: string;
  readonly action: Action;
  /** Canonical. */
  readonly resource: string;
  readonly segments: readonly string[];
  /** `<domain>.<action>.<object>`, with the action class instead of the finer verb. */
  readonly normalized: string;
}

/** Maps a word to an action by the lexicon: an action to itself, a finer verb to its class. */
export type ActionOf = (word: string) => Action | undefined;

function asAction(word: string, actionOf: ActionOf): Action | undefined {
  return ACTIONS.find((action) => action === word) ?? actionOf(word);
}

/**
 * Reads an action and a resource given separately, as in POST /v1/intents. A word that the lexicon does not know becomes the action
 * `unknown`, which no ALLOW matches.
 */
export function intentOf(actionText: string, resourceText: string, actionOf: ActionOf): EnforceIntent | Refusal {
  const actionWord = actionText.length > MAX_LENGTH ? '' : fold(actionText);
  if (!ACTION_WORD.test(actionWord))
    return refuse('must start with an action, one word of letters, digits, "_" and "-", without white space around it');
  const canonical = canonicalResource(resourceText);
  if (!canonical.ok) return canonical;
  const { resource } = canonical;
  const action = asAction(actionWord, actionOf) ?? 'unknown';
  return {
    ok: true,
    actionWord,
    action,
    resource,
    segments: resource.split('/'),
    normalized: normalizedOf(resource, action),
  };
}

const FORMS = 'must be <domain>.<action>.<object> or <action>:<resource>';

const plainText = (text: string): string => fold(decodeOnce(text) ?? '');

/**
 * What stands before and after the first colon, percent-encoded or in a compatibility form, when it follows a single word. So
 * `delete%3Alog/app` is a deletion as `delete:log/app` is, and not to log something.
 * @param text one whose canonical form is accepted, so nothing in it is encoded twice
 */
function atSpelledColon(text: string): readonly [before: string, after: string] | undefined {
  const plain = plainText(text);
  const colon = plain.indexOf(':');
  const before = plain.slice(0, colon);
  return colon === -1 || /[/\\.]/.test(before) ? undefined : [before, plain.slice(colon + 1)];
}

/**
 * Reads the `intent` of an enforcement request: a normalized intent `domain.action.object`, or `action:resource`, split at the first colon
 * in any spelling.
 */
export function parseEnforceIntent(text: string, actionOf: ActionOf): EnforceIntent | Refusal {
  const colon = text.indexOf(':');
  const before = text.slice(0, colon);
  if (colon !== -1 && !plainText(before).includes(':')) return intentOf(before, text.slice(colon + 1), actionOf);
  const canonical = canonicalResource(text);
  if (!canonical.ok) return canonical;
  const spelled = atSpelledColon(text);
  if (spelled !== undefined) return intentOf(...spelled, actionOf);
  const [domain, actionWord, ...object] = canonical.resource.split('/');
  if (domain === undefined || actionWord === undefined) {
    return refuse(`${FORMS}; POST /v1/intent reads free text`);
  }
  const action = asAction(actionWord, actionOf);
  if (action === undefined) {
    return refuse(
      `${FORMS}, and "${actionWord}" is neither an action, such as read or delete, nor a verb of the lexicon`,
    );
  }
  const segments = [domain, ...object];
  const resource = flatText(segments.join('/'));
  return { ok: true, actionWord, action, resource, segments, normalized: normalizedOf(resource, action) };
}
