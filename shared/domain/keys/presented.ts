// Reads the key of a request: `Authorization: Bearer <key>` or `X-API-Key: <key>`. Never from the query string.
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../kernel/errors.ts';

const BEARER = /^bearer +([^\s]+)$/i;
/** RFC 9110 section 11.6.1 requires it in a 401. */
const CHALLENGE = { 'www-authenticate': 'Bearer' };

/**
 * The text of the key in the headers, not validated.
 * @throws {ApiError} E1001 when there is none, also with another authentication scheme; E1002 when `Bearer` has no key;
 * E2001 when both headers are present and differ
 */
export function presentedKey(headers: IncomingHttpHeaders): string {
  const { authorization } = headers;
  const named = headers['x-api-key'];
  const single = apiKey(named);
  const bearer = authorization === undefined ? undefined : bearerKey(authorization);
  if (bearer !== undefined && single !== undefined && bearer !== single)
    throw new ApiError('E2001', 'Authorization and X-API-Key hold different keys; send one of them.', {
      errors: [{ pointer: '', message: 'holds different keys in Authorization and X-API-Key' }],
    });
  const key = bearer ?? single;
  if (key !== undefined) return key;
  throw new ApiError(
    'E1001',
    authorization === undefined
      ? 'The API key is missing: send it as "Authorization: Bearer <key>" or "X-API-Key: <key>".'
      : 'The Authorization header is not of the Bearer scheme: send the API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    { headers: CHALLENGE },
  );
}

/** The key of a Bearer header; undefined for another scheme. */
function bearerKey(header: string): string | undefined {
  const text = header.trim();
  const match = BEARER.exec(text);
  if (match?.[1] !== undefined) return match[1];
  if (!/^bearer(\s|$)/i.test(text)) return undefined;
  throw new ApiError('E1002', 'The Authorization header holds no API key after "Bearer".', { headers: CHALLENGE });
}

/** node:http joins repeated headers with a comma. A key contains none, so equal repetitions are one key. */
function apiKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const values = new Set(
    (typeof header === 'string' ? [header] : header).flatMap((text) => text.split(',')).map((text) => text.trim()),
  );
  values.delete('');
  if (values.size > 1) throw new ApiError('E2001', 'X-API-Key holds different keys; send one of them.');
  return values.values().next().value;
}
