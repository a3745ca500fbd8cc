// Signing in to the upstream through the guard (RFC 9728): its challenges and its metadata, with the address of the guard in them.
//
// The official clients accept metadata only when its `resource` has the origin to which they connect, so the guard replaces it.
import type { ServerResponse } from 'node:http';
import { Endpoint, readAll } from '../mcp/endpoint.ts';
import { memberOf, splice } from '../mcp/json-text.ts';
import { forwardedHeaders } from './http-upstream.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const TIMEOUT_MS = 10_000;

export function isDiscovery(method: string | undefined, url: string): boolean {
  const path = url.split('?')[0] ?? '';
  // The path goes to the upstream as it came, so it must not lead out of the prefix there.
  const isPlain = URL.canParse(url, 'http://x') && new URL(url, 'http://x').pathname === path;
  return method === 'GET' && isPlain && (path === WELL_KNOWN || path.startsWith(`${WELL_KNOWN}/`));
}

/** The same address at the guard, if it is one of the upstream. */
function moved(address: string, upstream: URL, guardOrigin: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.origin !== upstream.origin) return undefined;
  // Without the slash that URL adds to an origin: authorization servers compare resources as texts.
  const isLiteral = address.startsWith(upstream.origin);
  return guardOrigin + (isLiteral ? address.slice(upstream.origin.length) : url.pathname + url.search);
}

/** The headers of an answer, with challenges whose metadata the client fetches from the guard. */
export function withOwnChallenge(raw: readonly string[], upstream: URL, guardOrigin: string): string[] {
  return raw.map((text, i) => {
    if (i % 2 === 0 || raw[i - 1]?.toLowerCase() !== 'www-authenticate') return text;
    return text.replace(/(resource_metadata=")([^"]*)"/gi, (whole, name: string, address: string) => {
      const own = moved(address, upstream, guardOrigin);
      return own === undefined || !isDiscovery('GET', own.slice(guardOrigin.length)) ? whole : `${name}${own}"`;
    });
  });
}

/** The metadata with the guard's address as its `resource`; as it came when it is none of the upstream's. */
function withOwnResource(text: string, upstream: URL, guardOrigin: string): string {
  let resource: unknown;
  try {
    ({ resource } = JSON.parse(text) as { resource?: unknown });
  } catch {
    return text;
  }
  const own = typeof resource === 'string' ? moved(resource, upstream, guardOrigin) : undefined;
  const member = own === undefined ? undefined : memberOf(text, 'resource');
  return member === undefined ? text : splice(text, member, JSON.stringify(own));
}

/** Answers with the upstream's metadata at the same path. @param headers of the request, for the upstream */
export async function answerDiscovery(
  path: string,
  response: ServerResponse,
  around: {
    readonly upstream: URL;
    /** Of the guard. */
    readonly origin: string;
    readonly headers: readonly string[];
    readonly log: (line: string) => void;
  },
): Promise<void> {
  const { upstream, origin, headers, log } = around;
  const endpoint = new Endpoint(new URL(path, upstream));
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await endpoint.request({ method: 'GET', headers, body: undefined, signal });
    const text = (await readAll(answer)).toString('utf8');
    response.writeHead(answer.statusCode ?? 502, forwardedHeaders(answer.rawHeaders));
    response.end(withOwnResource(text, upstream, origin));
  } catch (error) {
    log(`The metadata of the MCP server can't be read: ${String(error)}.`);
    response.writeHead(502).end();
  } finally {
    endpoint.close();
  }
}
