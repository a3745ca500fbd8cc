// Requests to the guarded server over HTTP: the client's headers go on as they came.
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { type Endpoint, readResponse } from '../mcp/endpoint.ts';
import { listText, type RequestId } from '../mcp/messages.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * RFC 9110 section 7.6.1, what the guard's own connection determines, and what would lead the client past the guard. The guard reads
 * bodies, so they must not be compressed.
 */
const NOT_FORWARDED = new Set([
  'accept-encoding',
  'alt-svc',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'location',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Name, value, name, value, as Node has raw headers: case, order and repetitions stay. */
export function forwardedHeaders(raw: readonly string[]): string[] {
  return raw.flatMap((text, i) => {
    const isName = i % 2 === 0;
    const name = isName ? text : (raw[i - 1] ?? '');
    return NOT_FORWARDED.has(name.toLowerCase()) ? [] : [text];
  });
}

const LIST_TIMEOUT_MS = 5_000;

/** One page of the server's tools, with the forwarded headers of the call that needs them; undefined when there is none. */
export async function fetchList(
  upstream: Endpoint,
  callHeaders: readonly string[],
  { id, call, cursor }: { readonly id: RequestId; readonly call: ToolCall; readonly cursor: string | undefined },
): Promise<Json | undefined> {
  const headers = callHeaders.flatMap((text, i, all) => {
    const name = (i % 2 === 0 ? text : (all[i - 1] ?? '')).toLowerCase();
    // Headers that mirror the call's body since 2026-07-28.
    if (name === 'mcp-name' || name.startsWith('mcp-param-')) return [];
    return [name === 'mcp-method' && i % 2 === 1 ? 'tools/list' : text];
  });
  const body = Buffer.from(listText(id, cursor, call.envelope));
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LIST_TIMEOUT_MS);
  try {
    const answer = await upstream.request({ method: 'POST', headers, body, signal: controller.signal });
    return answer.statusCode === 200 ? objectOf((await readResponse(answer, id))?.['result']) : undefined;
  } catch {
    // No list is no reason to fail: the call is decided without a digest.
    return undefined;
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
