// Recognizes HTTP requests.
import type { ActionClass } from '../../../kernel/vocabulary.ts';
import type { OpenFragment, Piece } from './code.ts';
import { effectOfAction } from '../lexicon/lexicon.ts';
import type { Lexicon, VerbEntry } from '../lexicon/types.ts';
import { wordMap } from '../text/word-set.ts';

/** HTTP methods with their action classes. */
export const METHODS: ReadonlyMap<string, ActionClass> = wordMap({
  read: 'GET HEAD OPTIONS',
  create: 'POST',
  update: 'PUT PATCH',
  delete: 'DELETE',
});

/** The last name in the path of a URL, in snake_case: `orders` for `/v1/orders/42`. */
export function lastPathName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const names = path.split('/').filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part));
  return (names.at(-1) ?? 'url').toLowerCase().replace(/-/g, '_');
}

export const isUrl = (text: string) => text.includes('://') && /^["']?https?:\/\//i.test(text);

const ACTING: ReadonlySet<string> = new Set(['execute', 'send', 'transfer', 'grant', 'revoke']);
const MAX_NAMES = 32;

/**
 * The action that a URL itself requests, whatever its method: `/users/1/delete`, `/admin/delete_user`, `?action=purge`. Undefined for names
 * of things: `GET /users/deleted` and `GET /orders/7/refund` only read.
 */
export function actOfUrl(url: string, lexicon: Lexicon): { entry: VerbEntry; object: string } | undefined {
  const [location = '', query = ''] = url.slice(0, 2_048).split(/\?(.*)/s, 2);
  const names = location
    .replace(/^["']?[a-z]+:\/\/[^/]*/i, '')
    .split('#', 1)[0]
    ?.split('/')
    .filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part))
    .slice(-MAX_NAMES);
  const commanded = /(?:^|&)_?(?:action|act|do|op|operation|cmd|command|method)=([a-z_-]{1,40})/i.exec(query)?.[1];
  const candidates = commanded === undefined ? (names ?? []) : [...(names ?? []), commanded];
  for (const [at, name] of candidates.entries()) {
    const [word = '', ...rest] = name.toLowerCase().split(/[_-]+/);
    const entry = lexicon.verbs.get(word);
    if (!entry || entry.weak || !(entry.effect === 'destructive' || ACTING.has(entry.action))) continue;
    // A name that may also be a noun counts only if it is destructive and stands alone at the end.
    if (entry.alsoNoun && !(entry.effect === 'destructive' && at === candidates.length - 1 && rest.length === 0)) {
      continue;
    }
    const object = rest.length > 0 ? rest.join('_') : (candidates[at - 1] ?? candidates[at + 1] ?? 'url');
    return { entry, object: object.toLowerCase().replaceAll('-', '_') };
  }
  return undefined;
}

/** An HTTP request line: `DELETE /v1/users/7`. */
export function httpAt(pieces: readonly Piece[], at: number, lexicon: Lexicon): OpenFragment | undefined {
  const head = pieces[at];
  const method = METHODS.get(head?.text ?? '');
  const target = pieces[at + 1]?.text ?? '';
  if (!head || method === undefined || !(target.startsWith('/') || isUrl(target))) return undefined;
  const act = method === 'delete' ? undefined : actOfUrl(target, lexicon);
  const action = act?.entry.action ?? method;
  return {
    verb: act?.entry.verb ?? head.lower,
    action,
    effect: act?.entry.effect ?? effectOfAction(action),
    traits: [...(act?.entry.traits ?? []), ...(isUrl(target) && action !== 'read' ? (['external'] as const) : [])],
    object: act?.object ?? lastPathName(target),
    domain: 'web',
    extent: 'one',
    at: head.at,
    language: 'http',
    disguised: false,
  };
}
