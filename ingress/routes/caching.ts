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

/** Whether an Accept header (RFC 9110 section 12.5.1) gives a type of text that it names more weight than JSON, which may be unnamed. */
export function prefers(type: 'text/html' | 'text/plain', accept: string | string[] | undefined): boolean {
  const weights = new Map<string, number>();
  for (const range of String(accept ?? '')
    .toLowerCase()
    .split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(type) ?? 0) > (weights.get('application/json') ?? 0);
}
