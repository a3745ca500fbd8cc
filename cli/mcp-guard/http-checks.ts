// What a request over HTTP must satisfy before its body is looked at.
import type { IncomingHttpHeaders } from 'node:http';
import { createSingleHeaders } from '../../shared/platform/http/single-headers.ts';
import type { Access } from './http-access.ts';
import { isDiscovery } from './http-discovery.ts';

export interface Refused {
  readonly status: number;
  readonly message: string;
}

const METHODS = ['GET', 'POST', 'DELETE'];
/** Of several, the guard and the server may each take another one. */
const repeatedHeader = createSingleHeaders([
  'host',
  'authorization',
  'content-type',
  'content-encoding',
  'last-event-id',
  'mcp-session-id',
]);

export function checkRequest(
  request: {
    readonly method?: string | undefined;
    readonly url?: string | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly rawHeaders: readonly string[];
  },
  { path, access }: { readonly path: string; readonly access: Access },
): Refused | undefined {
  const { headers } = request;
  if (access.isForeign(headers)) return { status: 403, message: 'the guard has another host name or origin' };
  const twice = repeatedHeader(request.rawHeaders);
  if (twice !== undefined) return { status: 400, message: `the header ${twice} must be sent only once` };
  // Without the token: official clients fetch metadata without the headers that they are configured with.
  if (isDiscovery(request.method, request.url ?? '')) return undefined;
  // Not 401: clients would begin to sign in to the upstream.
  if (!access.isClient(headers)) return { status: 403, message: "the guard's token is missing or wrong" };
  if (request.url !== path) return { status: 404, message: `the MCP endpoint is ${path}` };
  if (!METHODS.includes(request.method ?? '')) return { status: 405, message: 'the method is not allowed' };
  if (request.method !== 'POST') return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return { status: 415, message: 'bodies must not be compressed' };
  const [type, ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8 = parameters.every((text) => !text.startsWith('charset') || /^charset="?utf-?8"?$/.test(text));
  return type === 'application/json' && isUtf8 ? undefined : { status: 415, message: 'bodies must be JSON in UTF-8' };
}
