// Headers that repeat parts of the body (2026-07-28): a server or proxy that routes by headers must see the call that was judged.
import type { IncomingHttpHeaders } from 'node:http';
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import type { Message } from '../mcp/frames.ts';
import { metaOf, VERSION_KEY } from '../mcp/messages.ts';

/** An argument that a tool's input schema wants in the header `Mcp-Param-<name>`. */
export interface HeaderArgument {
  /** In lower case. */
  readonly name: string;
  readonly path: readonly string[];
}

const PARAM_PREFIX = 'mcp-param-';
const NAMES = ['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id', PARAM_PREFIX];
/** A schema deeper than this is not searched further. */
const MAX_DEPTH = 32;

/** The `x-mcp-header` members of an input schema; the specification has them on chains of `properties` only. */
export function headerArgumentsOf(schema: unknown, path: readonly string[] = []): HeaderArgument[] {
  const { 'x-mcp-header': name, properties } = objectOf(schema) ?? {};
  const own = typeof name === 'string' && path.length > 0 ? [{ name: name.toLowerCase(), path }] : [];
  if (path.length > MAX_DEPTH) return own;
  const below = Object.entries(objectOf(properties) ?? {});
  return [...own, ...below.flatMap(([key, child]) => headerArgumentsOf(child, [...path, key]))];
}

/** A value as it is, or from `=?base64?...?=`; undefined when that is no base64 of UTF-8. */
function decoded(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function encoded(value: string): string {
  const isPlain = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

function argumentAt(args: Json, path: readonly string[]): unknown {
  let at: unknown = args;
  for (const key of path) {
    const object = objectOf(at);
    at = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return at;
}

function isEqual(header: string | undefined, argument: unknown): boolean {
  if (header === undefined) return false;
  if (typeof argument === 'number') return /^-?\d+(\.\d+)?$/.test(header) && Number(header) === argument;
  return typeof argument === 'boolean' ? header === String(argument) : header === argument;
}

/**
 * Why the headers of a request are not those of its body, apart from `Mcp-Param-*`. Names with an underscore count as the name with a
 * hyphen: CGI and WSGI servers map both to one variable.
 */
export function contradictionIn(headers: IncomingHttpHeaders, messages: readonly Message[]): string | undefined {
  for (const name of Object.keys(headers)) {
    const meant = NAMES.find((known) => name.replaceAll('_', '-').startsWith(known));
    if (meant !== undefined && !name.startsWith(meant)) return `the header ${name} can be mistaken for ${meant}`;
  }
  const { 'mcp-method': method, 'mcp-name': name, 'mcp-protocol-version': version } = headers;
  for (const { value } of messages) {
    const params = objectOf(value['params']);
    const names = [params?.['name'], params?.['uri'], params?.['taskId']];
    const plainName = name === undefined ? undefined : decoded(String(name));
    if (method !== undefined && method !== value['method']) return 'the header Mcp-Method contradicts the body';
    if (name !== undefined && (plainName === undefined || !names.includes(plainName)))
      return 'the header Mcp-Name contradicts the body';
    const inBody = metaOf(value)[VERSION_KEY];
    if (version !== undefined && inBody !== undefined && inBody !== version)
      return 'the header Mcp-Protocol-Version contradicts the body';
  }
  return undefined;
}

export function hasParamHeaders(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => name.startsWith(PARAM_PREFIX));
}

/** Why the `Mcp-Param-*` headers are not those of a call with these arguments. */
export function paramContradictionIn(
  headers: IncomingHttpHeaders,
  args: Json,
  known: readonly HeaderArgument[],
): string | undefined {
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(PARAM_PREFIX)) continue;
    const declared = known.filter(({ name }) => PARAM_PREFIX + name === header);
    if (declared.length === 0) return `the header ${header} belongs to no argument of the tool`;
    const isAsJudged = declared.every(({ path }) => isEqual(decoded(String(value)), argumentAt(args, path)));
    if (!isAsJudged) return `the header ${header} contradicts the body`;
  }
  return undefined;
}

/** The headers with the values of these arguments: an obligation may have changed them, or the tool its definition. */
export function withParams(raw: readonly string[], args: Json, known: readonly HeaderArgument[]): string[] {
  return raw.flatMap((text, i) => {
    const [header, value] = [raw[i - (i % 2)]?.toLowerCase() ?? '', raw[i - (i % 2) + 1] ?? ''];
    if (!header.startsWith(PARAM_PREFIX)) return [text];
    const declared = known.find(({ name }) => PARAM_PREFIX + name === header);
    const argument = declared && argumentAt(args, declared.path);
    if (!['string', 'number', 'boolean'].includes(typeof argument)) return [];
    return [i % 2 === 0 || isEqual(decoded(value), argument) ? text : encoded(String(argument))];
  });
}
