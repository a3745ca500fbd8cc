// What a request over HTTP must satisfy before its body is looked at, and headers that must agree with the body.
import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '../mcp/frames.ts';
import { objectOf } from '../mcp/messages.ts';

export interface Refused {
  readonly status: number;
  readonly message: string;
}

const METHODS = ['GET', 'POST', 'DELETE'];
const LOCAL = ['127.0.0.1', 'localhost', '[::1]'];

/** DNS rebinding: a web page whose host name resolves to this machine must not reach the guard. */
function isForeign(headers: IncomingHttpHeaders, port: number): boolean {
  const hosts = LOCAL.map((name) => `${name}:${port}`);
  const { host = '', origin } = headers;
  if (!hosts.includes(host.toLowerCase())) return true;
  return origin !== undefined && !hosts.some((name) => origin.toLowerCase() === `http://${name}`);
}

export function checkRequest(
  request: {
    readonly method?: string | undefined;
    readonly url?: string | undefined;
    readonly headers: IncomingHttpHeaders;
  },
  { path, port }: { readonly path: string; readonly port: number },
): Refused | undefined {
  const { headers } = request;
  if (isForeign(headers, port)) return { status: 403, message: 'requests must come from this machine' };
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

/** A value of the headers that repeat the body since 2026-07-28: as it is, or `=?base64?...?=`. */
function plain(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

/** Whether `Mcp-Method` or `Mcp-Name` name something else than the body: a server or a proxy could go by them. */
export function contradicts(headers: IncomingHttpHeaders, messages: readonly Message[]): boolean {
  const { 'mcp-method': method, 'mcp-name': name } = headers;
  return messages.some(({ value }) => {
    if (method !== undefined && method !== value['method']) return true;
    const params = objectOf(value['params']);
    return name !== undefined && ![params?.['name'], params?.['uri'], params?.['taskId']].includes(plain(String(name)));
  });
}
