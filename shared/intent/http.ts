// Recognizes HTTP requests.
import type { ActionClass } from '../vocabulary.ts';
import type { Fragment, Piece } from './code.ts';
import { effectOfAction } from './lexicon.ts';

/** HTTP methods and what they do. */
export const METHODS: Readonly<Record<string, ActionClass>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The last name in the path of a URL, snake_case: `orders` for `/v1/orders/42`. */
export function lastPathName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const names = path.split('/').filter((part) => /^[a-z_][a-z_-]{1,40}$/i.test(part));
  return (names.at(-1) ?? 'url').toLowerCase().replace(/-/g, '_');
}

export const isUrl = (text: string) => /^["']?https?:\/\//i.test(text);

/** An HTTP request line: `DELETE /v1/users/7`. */
export function httpAt(pieces: readonly Piece[], at: number): Fragment | undefined {
  const head = pieces[at];
  const action = METHODS[head?.text ?? ''];
  const target = pieces[at + 1]?.text ?? '';
  if (!head || action === undefined || !(target.startsWith('/') || isUrl(target))) return undefined;
  return {
    verb: head.lower,
    action,
    effect: effectOfAction(action),
    traits: isUrl(target) && action !== 'read' ? ['external'] : [],
    object: lastPathName(target),
    domain: 'web',
    extent: 'one',
    at: head.at,
    language: 'http',
    disguised: false,
  };
}
