// For tests of the dashboard's server without a browser: the session of a key, and requests as its pages send them.
import type { Client, ClientRequest, ClientResponse } from './client.ts';

export interface Signed {
  /** The session cookie, `name=value`. */
  readonly cookie: string;
  /** GET below /dashboard/api, such as `/v1/agents`. */
  get(path: string, request?: ClientRequest): Promise<ClientResponse>;
  /** Any other method below /dashboard/api, with the header of our own pages. */
  send(method: string, path: string, body?: unknown, request?: ClientRequest): Promise<ClientResponse>;
}

/** What our own pages send with everything that changes something. */
export const OWN_HEADERS = { 'x-custos-dashboard': '1' } as const;

/** The answer to a sign-in with this key. */
export function trySignIn(
  client: Client,
  key: string,
  headers: Readonly<Record<string, string>> = OWN_HEADERS,
): Promise<ClientResponse> {
  // The dashboard's own routes belong to its pages and are in no document.
  return client.request('POST', '/dashboard/api/session', { key: null, body: { key }, headers, check: false });
}

/** The session cookie that an answer sets. */
export function cookieOf(answer: ClientResponse): string {
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}

/** Requests with a session's cookie. */
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

/** Signs in. The client stays the caller's to close. */
export async function signIn(client: Client, key: string): Promise<Signed> {
  const answer = await trySignIn(client, key);
  if (answer.status !== 200) throw new Error(`the sign-in was answered with ${answer.status}: ${answer.text}`);
  return withCookie(client, cookieOf(answer));
}
