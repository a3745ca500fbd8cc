// Builds an answer: status, headers and text, from a handler's reply or from an error.
import { ApiError } from '../../shared/kernel/errors.ts';
import { asApiError } from '../../shared/platform/db/database.ts';
import type { Reply } from '../route.ts';

type Headers = Readonly<Record<string, string>>;

/** In every answer: a browser must not run, frame, sniff or leak anything of it. */
const SAFETY = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
const SAFETY_HTTPS = [...SAFETY, 'Strict-Transport-Security', 'max-age=31536000'];
const JSON_TYPE = 'application/json; charset=utf-8';

export interface AnswerContext {
  readonly requestId: string;
  /** Served over TLS: browsers must not fall back to plain HTTP. */
  readonly https: boolean;
  readonly isStopping: boolean;
  /** `RateLimit` headers. */
  readonly limitHeaders: Headers | undefined;
}

/** The headers of an answer, as a flat list of names and values. */
export function answerHeaders(
  { status, headers = {}, contentType = JSON_TYPE }: Reply,
  text: string | undefined,
  { requestId, https, isStopping, limitHeaders = {} }: AnswerContext,
): string[] {
  const list = [...(https ? SAFETY_HTTPS : SAFETY), 'X-Request-Id', requestId];
  if (headers['cache-control'] === undefined) list.push('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(limitHeaders)) list.push(name, value);
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  if (text !== undefined) list.push('Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(text)));
  else if (status !== 204 && status !== 304) list.push('Content-Length', '0');
  if (isStopping) list.push('Connection', 'close');
  return list;
}

/** Whether an If-None-Match header names the entity tag of a reply (weak comparison, RFC 9110 section 13.1.2). */
export function isNotModified({ status, headers }: Reply, ifNoneMatch: string | undefined): boolean {
  const etag = headers?.['etag'];
  if (etag === undefined || ifNoneMatch === undefined || status !== 200) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** The error that a caller is shown: anything unexpected becomes E6001, whose cause only the log has. */
export function shownError(error: unknown): ApiError {
  const known = asApiError(error);
  if (known instanceof ApiError) return known;
  // PostgreSQL cannot store U+0000 in text (22021). Schemas refuse it; one that forgot to must not cause a 500.
  if ((error as { code?: unknown } | null)?.code === '22021')
    return new ApiError('E2001', 'The request contains the character U+0000, which is not allowed here.', {
      cause: error,
    });
  return new ApiError('E6001', 'Something went wrong here; the request id finds it in the log.', { cause: error });
}
