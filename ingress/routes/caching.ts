// Answers that clients may cache or ask for in another form.
import { createHash } from 'node:crypto';
import type { Reply } from '../route.ts';

/** A reply with an entity tag of its text. */
export function cacheable<R extends Reply & { readonly text: string }>(reply: R, cacheControl: string): R {
  const etag = `"${createHash('sha256').update(reply.text).digest('base64url').slice(0, 22)}"`;
  return { ...reply, headers: { ...reply.headers, etag, 'cache-control': cacheControl } };
}

/** For answers that never change. */
export function immutable(reply: Reply & { readonly text: string }): Reply {
  return cacheable(reply, 'private, max-age=31536000, immutable');
}

/** Whether an Accept header asks for a type of text rather than JSON. */
export function prefers(type: 'text/html' | 'text/plain', accept: string | string[] | undefined): boolean {
  const names = (one: string): boolean => typeof accept === 'string' && new RegExp(`\\b${one}\\b`).test(accept);
  return names(type) && !names('application/json');
}
