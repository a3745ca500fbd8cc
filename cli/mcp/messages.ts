// JSON-RPC messages of MCP: what a message is, and the messages that the guard writes itself.
import { type Json, objectOf } from '../../shared/kernel/json.ts';

export type RequestId = string | number;

const RESERVED_PREFIX = 'io.modelcontextprotocol/';
/** The name of a member of `_meta` that the protocol defines. */
export const metaKey = (name: string): string => RESERVED_PREFIX + name;
/** In `_meta` of every request since 2026-07-28, which has no `initialize`. */
export const VERSION_KEY = metaKey('protocolVersion');

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;
/** HeaderMismatch of 2026-07-28. */
export const HEADER_MISMATCH = -32_020;

/** A message of the server on its way to the client: unchanged, with another text, or left out. */
export type Passed =
  | { readonly kind: 'same' }
  | { readonly kind: 'other'; readonly text: string }
  | { readonly kind: 'none' };

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

/** Distinguishes 1 from "1": a response must have the id of its request exactly, because clients differ in what else they accept. */
export function idKey(id: RequestId): string {
  return JSON.stringify(id);
}

export function metaOf(message: Json): Json {
  return objectOf(objectOf(message['params'])?.['_meta']) ?? {};
}

/** The token under which the client takes progress notices of a request. */
export function progressTokenOf(message: Json): RequestId | undefined {
  const token = metaOf(message)['progressToken'];
  return isRequestId(token) ? token : undefined;
}

/** Whether a request is of a version whose results need a `resultType`: 2026-07-28 and later. */
export function needsResultType(message: Json): boolean {
  return Object.hasOwn(metaOf(message), VERSION_KEY);
}

/** The `_meta` members that every request of the same client carries, for a request that the guard adds. */
export function envelopeOf(message: Json): Json {
  return Object.fromEntries(Object.entries(metaOf(message)).filter(([name]) => name.startsWith(RESERVED_PREFIX)));
}

/**
 * Whether a client may take a message for a response: some ignore a `method` that is null or empty. A request or a notification may
 * have a `result` and an `error` that are null.
 */
export function isResponse(message: Json): boolean {
  const { method, result, error } = message;
  if (typeof method === 'string' && method !== '') return (result ?? error ?? null) !== null;
  return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error');
}

/** The id of the response that a message is, if it is one. */
export function responseIdOf(message: Json): RequestId | undefined {
  const { id } = message;
  return isResponse(message) && isRequestId(id) ? id : undefined;
}

/** An id for a request that the guard adds, of the kind that the client uses. @param random a UUID */
export function ownId(clientId: RequestId, random: string): RequestId {
  // 28 bits: some servers have ids of 32 bits.
  return typeof clientId === 'number' ? Number.parseInt(random.slice(0, 7), 16) : random;
}

/** A tool result that the model reads as a failure of the tool; never a transport error, so that the model can go on. */
export function refusalText(id: RequestId, sentence: string, withResultType: boolean): string {
  const result = {
    ...(withResultType ? { resultType: 'complete' } : {}),
    content: [{ type: 'text', text: sentence }],
    isError: true,
  };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function errorText(id: RequestId | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}

/** Small enough that the server's own first notice, 0.001 or more, is higher: progress must increase with each notice. */
const PROGRESS_STEP = 1e-6;

/** The n-th progress notice of the guard for one call, n from 1. */
export function progressText(progressToken: RequestId, n: number, message: string): string {
  const params = { progressToken, progress: n * PROGRESS_STEP, message };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
}

/** A request of the guard's own for one page of the server's tools. */
export function listText(id: RequestId, cursor: string | undefined, envelope: Json): string {
  const meta = Object.keys(envelope).length === 0 ? {} : { _meta: envelope };
  const params = { ...(cursor === undefined ? {} : { cursor }), ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params });
}
