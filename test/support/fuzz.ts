// Fuzzing of a running service: valid and malformed requests generated from its OpenAPI document, and raw bytes on a socket.
import net from 'node:net';
import fc from 'fast-check';
import { arbitraryOf } from './arbitrary.ts';
import { type ClientResponse, createClient } from './client.ts';

type Json = Record<string, unknown>;

export interface FuzzTarget {
  readonly baseUrl: string;
  /** A key with all permissions, so that requests pass authentication and authorization. */
  readonly key: string;
  /** Operations to skip, such as `POST /v1/halt`, which would stop the service for the other operations. */
  readonly skip?: readonly string[];
}

export interface FuzzOptions {
  /** Number of requests for each operation. */
  readonly runsPerOperation: number;
  /** Number of random byte strings on a socket. */
  readonly rawRuns: number;
  /** Time limit of the whole run. A busy machine may exceed it, because every operation gets at least two seconds. */
  readonly deadlineMs: number;
}

export interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Json[];
  readonly body: Json | undefined;
}

/** The operations of an OpenAPI document, with their schemas unchanged, and shared parameters in their places. */
export function operationsOf(document: Json): Operation[] {
  const shared = (document['components'] as Record<string, Record<string, Json>>)['parameters'] ?? {};
  const resolved = (parameter: Json): Json =>
    typeof parameter['$ref'] === 'string' ? (shared[parameter['$ref'].split('/').at(-1) ?? ''] ?? {}) : parameter;
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      parameters: ((operation['parameters'] ?? []) as Json[]).map(resolved),
      body: ((operation['requestBody'] as Json | undefined)?.['content'] as Record<string, Json> | undefined)?.[
        'application/json'
      ]?.['schema'] as Json | undefined,
    })),
  );
}

interface Shot {
  readonly path: string;
  readonly raw: string | undefined;
  readonly headers: Record<string, string>;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Percent-encodes a text. A lone surrogate cannot be encoded and becomes the replacement character. */
const encode = (value: unknown): string => encodeURIComponent(asText(value).toWellFormed());

/** A malformed JSON text: truncated, repeated, or with a changed byte. */
function bend(json: string, how: number, at: number): string {
  const i = json.length === 0 ? 0 : at % json.length;
  switch (how) {
    case 0:
      return json.slice(0, i);
    case 1:
      return json.slice(0, i) + json.slice(Math.max(0, i - 7));
    case 2:
      return `${json.slice(0, i)}\\ud800${json.slice(i)}`;
    case 3:
      return '['.repeat(100) + json;
    default:
      return json.slice(0, i) + String.fromCharCode(at % 128) + json.slice(i + 1);
  }
}

/** Random requests for one operation. */
function shots(operation: Operation, document: Json): fc.Arbitrary<Shot> {
  const bent = fc.constantFrom(0, 3, 12);
  return bent.chain((level) => {
    const inPath = operation.parameters.filter((p) => p['in'] === 'path');
    const inQuery = operation.parameters.filter((p) => p['in'] === 'query');
    const path = fc.tuple(...inPath.map((p) => arbitraryOf(p['schema'], document, level)));
    const query = fc.tuple(
      ...inQuery.map((p) => fc.option(arbitraryOf(p['schema'], document, level), { nil: undefined })),
    );
    const body = operation.body === undefined ? fc.constant(undefined) : arbitraryOf(operation.body, document, level);
    const broken = fc.oneof(
      { weight: level === 0 ? 20 : 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.tuple(fc.nat(4), fc.nat(10_000)) },
    );
    const idempotencyKey = fc.oneof(fc.constant(undefined), fc.oneof(fc.uuid(), fc.constantFrom('a', 'k-1', '')));
    return fc.tuple(path, query, body, broken, idempotencyKey).map(([segments, values, value, how, key]) => {
      let filled = operation.template;
      // At least one character: with an empty segment the path would be another one.
      inPath.forEach((p, i) => (filled = filled.replace(`{${String(p['name'])}}`, () => encode(segments[i]) || '-')));
      const pairs = inQuery.flatMap((p, i) =>
        values[i] === undefined ? [] : [`${String(p['name'])}=${encode(values[i])}`],
      );
      const json = operation.body === undefined ? undefined : JSON.stringify(value);
      return {
        path: pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled,
        raw: json === undefined || how === undefined ? json : bend(json, how[0], how[1]),
        headers: key === undefined ? {} : { 'idempotency-key': key },
      };
    });
  });
}

function judge(answer: ClientResponse): void {
  if (answer.status >= 500 && answer.status !== 503) throw new Error(`answered ${answer.status}: ${answer.text}`);
  if (
    answer.status >= 400 &&
    !answer.headers['content-type']?.startsWith('application/problem+json') &&
    answer.status !== 503
  ) {
    throw new Error(`an error that is not a problem document: ${answer.status} ${answer.headers['content-type']}`);
  }
}

export interface FuzzReport {
  /** Number of responses by status. */
  readonly statuses: Record<string, number>;
  readonly requests: number;
}

/** Fuzzes every operation and checks each response against the document. @throws with the smallest request that fails */
export async function fuzzOperations(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const client = createClient(target.baseUrl, target.key, { hasOwnDocument: true });
  const statuses: Record<string, number> = {};
  let requests = 0;
  try {
    const document = (await client.get('/openapi.json')).json as Json;
    const operations = operationsOf(document).filter((o) => !target.skip?.includes(`${o.method} ${o.template}`));
    const endAt = Date.now() + options.deadlineMs;
    for (const [i, operation] of operations.entries()) {
      const property = fc.asyncProperty(shots(operation, document), async (shot) => {
        const answer = await client.request(
          operation.method,
          shot.path,
          shot.raw === undefined ? { headers: shot.headers } : { raw: shot.raw, headers: shot.headers },
        );
        requests += 1;
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        judge(answer);
      });
      // The remaining time is divided equally among the remaining operations, with a minimum for each on a busy machine.
      const interruptAfterTimeLimit = Math.max(10_000, (endAt - Date.now()) / (operations.length - i));
      await fc.assert(property, {
        numRuns: options.runsPerOperation,
        interruptAfterTimeLimit,
        markInterruptAsFailure: false,
      });
    }
    return { statuses, requests };
  } finally {
    client.close();
  }
}

const TOKENS = [
  'GET ',
  'POST ',
  'OPTIONS * ',
  '/v1/enforce',
  '/',
  ' HTTP/1.1\r\n',
  ' HTTP/1.0\r\n',
  ' HTTP/9.9\r\n',
  'Host: x\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: x\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Upgrade: websocket\r\n',
  'Content-Type: application/json\r\n',
  'X-API-Key: a\r\n',
  '\r\n',
  '\r\n\r\n',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  '{"a":1}',
  '\0',
  '\n',
  ' ',
];

/** Sends random bytes on sockets: each gets a valid HTTP response or the connection ends, and the service keeps running. */
export async function fuzzBytes(target: FuzzTarget, options: FuzzOptions): Promise<void> {
  const { port, hostname } = new URL(target.baseUrl);
  const tokens = fc
    .array(fc.constantFrom(...TOKENS), { maxLength: 12 })
    .map((parts) => Buffer.from(parts.join(''), 'latin1'));
  const bytes = fc.oneof(
    tokens,
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc.tuple(tokens, fc.uint8Array({ maxLength: 40 })).map(([a, b]) => Buffer.concat([a, b])),
  );
  const property = fc.asyncProperty(bytes, async (sent) => {
    const answer = await exchange(hostname, Number(port), sent);
    if (answer === '') return;
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1];
    if (status === undefined) throw new Error(`not an HTTP answer: ${answer}`);
    if (Number(status) >= 500 && status !== '503') throw new Error(answer);
    if (Number(status) >= 400 && !/\r\ncontent-type: application\/problem\+json/i.test(answer))
      throw new Error(`an error that is not a problem document: ${answer}`);
  });
  await fc.assert(property, {
    numRuns: options.rawRuns,
    interruptAfterTimeLimit: options.deadlineMs,
    markInterruptAsFailure: false,
  });
  const client = createClient(target.baseUrl, undefined, { hasOwnDocument: true });
  try {
    const { status } = await client.get('/health');
    if (status !== 200) throw new Error(`/health answers ${status} afterwards`);
  } finally {
    client.close();
  }
}

/** Sends bytes, half-closes the connection, and resolves with all data received when it has ended. @throws if it does not end */
function exchange(host: string, port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    let received = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection hangs after ${JSON.stringify(bytes.toString('latin1'))}; so far: ${received}`));
      // Less than the service's 10 s timeout for request headers: a connection that only this timeout ends has hung.
    }, 9_000);
    const finish = (): void => {
      clearTimeout(timer);
      resolve(received);
    };
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('error', finish);
    socket.on('close', finish);
    socket.end(bytes);
  });
}
