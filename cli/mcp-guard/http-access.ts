// Who may send requests to the guard over HTTP: the names under which it answers, and the token of its clients.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface ListenAddress {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface AccessOptions {
  readonly listen: ListenAddress;
  /** Where clients reach the guard, if not at the address on which it listens. */
  readonly publicUrl: URL | undefined;
  /** Undefined: everybody who can reach the port. */
  readonly token: string | undefined;
}

/** The guard's own header, because `Authorization` can hold the client's credentials for the upstream. */
const TOKEN_HEADER = 'custos-guard-token';
/** As long as 128 random bits in hexadecimal. */
export const MIN_TOKEN_LENGTH = 32;

export function isToken(text: string): boolean {
  return text.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(text);
}

/** Reads `PORT`, `HOST:PORT` or `[IPv6]:PORT`; undefined when it is something else. */
export function parseListen(text: string): ListenAddress | undefined {
  const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]:|([a-z0-9.-]+):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return digits === undefined || port > 65_535 ? undefined : { host: ipv6 ?? name ?? '127.0.0.1', port };
}

export function isLoopback({ host }: ListenAddress): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A host with its port as browsers write it: in lower case, and without the default port of HTTP. */
function normalHost(text: string): string | undefined {
  if (!/^[a-z0-9.:[\]-]+$/i.test(text) || !URL.canParse(`http://${text}`)) return undefined;
  return new URL(`http://${text}`).host;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

export class Access {
  private readonly hosts: ReadonlySet<string>;
  private readonly publicUrl: URL | undefined;
  private readonly tokenDigest: Buffer | undefined;

  constructor({ listen: { host, port }, publicUrl, token }: AccessOptions) {
    const own = host.includes(':') ? `[${host}]` : host;
    const hosts = [own, '127.0.0.1', 'localhost', '[::1]'].map((name) => normalHost(`${name}:${port}`));
    this.hosts = new Set([...hosts, publicUrl?.host].filter((name) => name !== undefined));
    this.publicUrl = publicUrl;
    this.tokenDigest = token === undefined ? undefined : digestOf(token);
  }

  /** DNS rebinding: a web page whose host name resolves to this machine must not reach the guard. */
  isForeign({ host = '', origin, 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): boolean {
    if (!this.hosts.has(normalHost(host) ?? '')) return true;
    // Browsers send no origin with some requests of other sites, such as those for images.
    if (site !== 'none' && site !== 'same-origin') return true;
    return origin !== undefined && !(URL.canParse(origin) && this.hosts.has(new URL(origin).host));
  }

  /** Whether the request has the token, in the guard's own header or as a bearer token. */
  isClient({ [TOKEN_HEADER]: own, authorization }: IncomingHttpHeaders): boolean {
    if (this.tokenDigest === undefined) return true;
    return this.matches(typeof own === 'string' ? own : undefined) || this.isOwn(authorization);
  }

  /** The headers of a request without the guard's token. */
  withoutToken(raw: readonly string[]): string[] {
    return raw.filter((_, i) => {
      const [name, value] = [raw[i - (i % 2)]?.toLowerCase(), raw[i - (i % 2) + 1]];
      return name !== TOKEN_HEADER && !(name === 'authorization' && this.isOwn(value));
    });
  }

  /** Where the client has addressed its request. Call it for requests that are not foreign. */
  originOf({ host = '' }: IncomingHttpHeaders): string {
    const { publicUrl } = this;
    return publicUrl !== undefined && publicUrl.host === normalHost(host) ? publicUrl.origin : `http://${host}`;
  }

  private isOwn(authorization: string | undefined): boolean {
    return this.matches(/^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]);
  }

  private matches(token: string | undefined): boolean {
    // Digests have one length, so the comparison takes the same time for every token.
    return token !== undefined && this.tokenDigest !== undefined && timingSafeEqual(digestOf(token), this.tokenDigest);
  }
}
