// The HTTP client of the tests: plain node:http. Every response is checked against the service's OpenAPI document.
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createOpenApiCheck, type OpenApiCheck } from './openapi-check.ts';

export interface ClientRequest {
  /** Sent as a bearer token. null: no key, even if the client has one. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON with its content type. */
  readonly body?: unknown;
  /** Sent unchanged, as application/json unless `headers` name another content type. A header with null is removed. */
  readonly raw?: string | Buffer;
  /** false: the response is not checked against the document (a page, or a HEAD of one). */
  readonly check?: boolean;
}

export interface ClientResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  // Tests read members of responses whose schema has just been checked.
  // oxlint-disable-next-line typescript/no-explicit-any -- a test states the shape it expects by reading it
  readonly json: any;
}

export interface Client {
  readonly baseUrl: string;
  request(method: string, path: string, request?: ClientRequest): Promise<ClientResponse>;
  get(path: string, request?: ClientRequest): Promise<ClientResponse>;
  post(path: string, body: unknown, request?: ClientRequest): Promise<ClientResponse>;
  patch(path: string, body: unknown, request?: ClientRequest): Promise<ClientResponse>;
  delete(path: string, request?: ClientRequest): Promise<ClientResponse>;
  /** The same client with another key, or none. */
  withKey(key: string | undefined): Client;
  /** Closes the keep-alive connections. */
  close(): void;
}

const DEADLINE_MS = 30_000;

/** Compiled checks by document text, because their schemas are slow to compile. */
const checks = new Map<string, OpenApiCheck>();
/** The check of the service. All services of a run have the same document, which each would have to make: that takes a third of a start. */
let ofService: Promise<OpenApiCheck> | undefined;

let lastTrouble: { readonly atMs: number; readonly text: string } | undefined;

/** The last 5xx answer since the given time, if any: it may be the reason why a test failed. */
export function troubleSince(atMs: number): string | undefined {
  return lastTrouble !== undefined && lastTrouble.atMs >= atMs ? lastTrouble.text : undefined;
}

export interface ClientOptions {
  /**
   * Retries requests that time out in the service (503, E6002) for a while, after their Retry-After. Processes have the
   * deadlines of production, and a busy machine must not fail a test that is not about time. Default: false.
   */
  readonly patient?: boolean;
  /** The server is not the service and has a document of its own. Default: false. */
  readonly hasOwnDocument?: boolean;
}

const PATIENT_MS = 30_000;

/** A client of the service at `baseUrl`. It sends `key` with every request that names no other key. */
export function createClient(
  baseUrl: string,
  key?: string,
  { patient = false, hasOwnDocument = false }: ClientOptions = {},
): Client {
  const agent = new http.Agent({ keepAlive: true });
  let own: Promise<OpenApiCheck> | undefined;
  const loadCheck = async (): Promise<OpenApiCheck> => {
    const answer = await send(agent, baseUrl, 'GET', '/openapi.json', {});
    if (answer.status !== 200) throw new Error(`/openapi.json answered ${answer.status}`);
    const check = checks.get(answer.text) ?? createOpenApiCheck(answer.json as Record<string, unknown>);
    checks.set(answer.text, check);
    return check;
  };
  const checkOf = (): Promise<OpenApiCheck> => {
    if (hasOwnDocument) return (own ??= loadCheck());
    ofService ??= loadCheck().catch((error: unknown) => {
      ofService = undefined;
      throw error;
    });
    return ofService;
  };
  const withKey = (ownKey: string | undefined): Client => {
    const request: Client['request'] = async (method, path, options = {}) => {
      const authorization = options.key === undefined ? ownKey : options.key;
      const headers = {
        ...(authorization === undefined || authorization === null ? {} : { authorization: `Bearer ${authorization}` }),
        ...options.headers,
      };
      const check = await checkOf();
      const untilMs = Date.now() + (patient ? PATIENT_MS : 0);
      let answer = await send(agent, baseUrl, method, path, { ...options, headers });
      while (answer.status === 503 && isToBeRepeated(answer) && Date.now() < untilMs) {
        await delay(1_000 * Number(answer.headers['retry-after'] ?? 1));
        answer = await send(agent, baseUrl, method, path, { ...options, headers });
      }
      if (answer.status >= 500)
        lastTrouble = { atMs: Date.now(), text: `${method} ${path} answered ${answer.status} ${answer.text}` };
      if (options.check !== false)
        check({ method, path, status: answer.status, headers: answer.headers, text: answer.text });
      return answer;
    };
    return {
      baseUrl,
      request,
      get: (path, options) => request('GET', path, options),
      post: (path, body, options) => request('POST', path, { body, ...options }),
      patch: (path, body, options) => request('PATCH', path, { body, ...options }),
      delete: (path, options) => request('DELETE', path, options),
      withKey,
      close: () => agent.destroy(),
    };
  };
  return withKey(key);
}

function isToBeRepeated({ json }: ClientResponse): boolean {
  return json?.code === 'E6002';
}

function send(
  agent: http.Agent,
  baseUrl: string,
  method: string,
  path: string,
  options: ClientRequest,
): Promise<ClientResponse> {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const headers: Record<string, string | string[]> =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  Object.assign(headers, options.headers);
  const url = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    // The path is sent unchanged: `URL` would normalize paths that a test makes invalid on purpose.
    const req = http.request(
      { agent, host: url.hostname, port: url.port, method, path, headers, timeout: DEADLINE_MS },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const flat = Object.fromEntries(
            Object.entries(res.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
          );
          resolve({ status: res.statusCode ?? 0, headers: flat, text, json: parse(text) });
        });
      },
    );
    req.on('timeout', () => req.destroy(new Error(`${method} ${path}: no answer within ${DEADLINE_MS} ms`)));
    req.on('error', reject);
    req.end(body);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a decision that was read back, without the members that reading adds: the bytes of the first answer. */
export function asAnswered(text: string): string {
  return text.replace(/,"stands":(?:true|false,"stands_reason":"[a-z_]+")\}$/, '}');
}

/**
 * The canonical text of a decision without its promise, which is no part of the record: it is signed again at each read, then alone and
 * not together with others.
 */
export function unpromised(decision: string): string {
  return decision.replace(/"promise":\{(?:"batch":\{[^}]*\},)?[^}]*\},/, '');
}
