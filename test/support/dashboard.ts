// For tests of the dashboard's server without a browser: the session of a key, and requests as its pages send them.
import type { Client, ClientRequest, ClientResponse } from './client.ts';

export interface Signed {
  /** The session cookie, `name=value`. */
  readonly cookie: string;
  /** GET below /dashboard/api, such as `/v1/agents`. */
  get(path: string, request?: ClientRequest): Promise<ClientResponse>;
  /** Any other method below /dashboard/api, with the header that the dashboard's pages send. */
  send(method: string, path: string, body?: unknown, request?: ClientRequest): Promise<ClientResponse>;
}

/** The header that the dashboard's pages send with every write. */
export const OWN_HEADERS = { 'x-custos-dashboard': '1' } as const;

/** Signs in with this key. @returns the response */
export function trySignIn(
  client: Client,
  key: string,
  headers: Readonly<Record<string, string>> = OWN_HEADERS,
): Promise<ClientResponse> {
  // The dashboard's own routes are internal and not in the OpenAPI document.
  return client.request('POST', '/dashboard/api/session', { key: null, body: { key }, headers, check: false });
}

/** The session cookie that a response sets. */
export function cookieOf(answer: ClientResponse): string {
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}

/** Sends requests with a session's cookie. */
export function withCookie(client: Client, cookie: string): Signed {
  const request = (method: string, path: string, more: ClientRequest): Promise<ClientResponse> =>
    client.request(method, `/dashboard/api${path}`, {
      key: null,
      check: false,
      ...more,
      headers: { cookie, ...OWN_HEADERS, ...more.headers },
    });
  return {
    cookie,
    get: (path, more = {}) => request('GET', path, more),
    send: (method, path, body, more = {}) =>
      request(method, path, { ...(body === undefined ? {} : { body }), ...more }),
  };
}

/** Signs in. The caller closes the client. */
export async function signIn(client: Client, key: string): Promise<Signed> {
  const answer = await trySignIn(client, key);
  if (answer.status !== 200) throw new Error(`the sign-in was answered with ${answer.status}: ${answer.text}`);
  return withCookie(client, cookieOf(answer));
}
