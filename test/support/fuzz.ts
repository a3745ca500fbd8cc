// Fuzzing of a running service: requests made from its own OpenAPI document and bent, and raw bytes on a socket.
import net from 'node:net';
import fc from 'fast-check';
import { type ClientResponse, createClient } from './client.ts';

type Json = Record<string, unknown>;

export interface FuzzTarget {
  readonly baseUrl: string;
  /** A key that may do everything, so that requests get past the door. */
  readonly key: string;
  /** Operations that are left out, as `POST /v1/halt`: what would stop the service for the others. */
  readonly skip?: readonly string[];
}

export interface FuzzOptions {
  /** Requests for each operation. */
  readonly runsPerOperation: number;
  /** Random byte strings on a socket. */
  readonly rawRuns: number;
  /** The whole must end within this time. */
  readonly deadlineMs: number;
}

export interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Json[];
  readonly body: Json | undefined;
}

/** Text that has broken services before. */
const NASTY = [
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '\u0000',
  '\u001f',
  '\u202e',
  '\ufeff',
  '😀',
  'İ',
  'ﬀ',
  '%00',
  '%',
  '\\',
  '"',
  "'; DROP TABLE agent; --",
  '{{7*7}}',
  '${jndi:ldap://x}',
  '__proto__',
  'constructor',
  'toString',
  'custos:system',
  'a'.repeat(257),
  'é'.repeat(256),
  '\u0301'.repeat(64),
  '0',
  '-1',
  'NaN',
  '1e400',
  'null',
  'true',
  '[]',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '$.x',
  '$..*',
  '(((((((((((((((((',
  'a.b.c',
  'read:*',
  '*',
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 20 }),
);
const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 53 - 1,
    -(2 ** 53 - 1),
    2 ** 31,
    2 ** 63,
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constant(Array.from({ length: 300 }, () => 0)),
);

/** Values of a schema, mostly valid ones; `bent` says how often (of 10) a value is replaced by anything at all. */
export function arbitraryOf(schema: unknown, document: Json, bent: number, depth = 0): fc.Arbitrary<unknown> {
  const fitting = fittingOf(schema, document, bent, depth);
  return bent === 0
    ? fitting
    : fc.oneof({ weight: 30 - bent, arbitrary: fitting }, { weight: bent, arbitrary: anything });
}

function fittingOf(schema: unknown, document: Json, bent: number, depth: number): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null) return anything;
  const s = schema as Json;
  const inner = (member: unknown): fc.Arbitrary<unknown> => arbitraryOf(member, document, bent, depth + 1);
  if (typeof s['$ref'] === 'string') return fittingOf(resolve(document, s['$ref']), document, bent, depth);
  const branches = (s['anyOf'] ?? s['oneOf']) as unknown[] | undefined;
  if (branches !== undefined) return fc.oneof(...branches.map(inner));
  if ('const' in s) return fc.constant(s['const']);
  if (Array.isArray(s['enum'])) return fc.constantFrom(...(s['enum'] as unknown[]));
  const examples =
    Array.isArray(s['examples']) && s['examples'].length > 0 ? [fc.constantFrom(...(s['examples'] as unknown[]))] : [];
  switch ([s['type']].flat()[0]) {
    case 'string':
      return stringsOf(s, bent, examples);
    case 'integer':
      return fc.integer({
        min: Math.ceil(Number(s['minimum'] ?? -1_000)),
        max: Math.floor(Number(s['maximum'] ?? 1_000)),
      });
    case 'number':
      return fc.double({ min: Number(s['minimum'] ?? -1_000), max: Number(s['maximum'] ?? 1_000), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(s['items']), {
        minLength: Math.min(Number(s['minItems'] ?? 0), 3),
        maxLength: Math.min(Number(s['maxItems'] ?? 4), 4),
      });
    case 'object':
      return objectOf(s, document, bent, depth, examples);
    default:
      return depth > 6 ? fc.constant(1) : fc.oneof(...examples, anything);
  }
}

const timestamps = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
  .map((date) => date.toISOString());

/** Text for a string schema: what it gives as examples, what its lengths allow, and, when bent, what is nasty. */
function stringsOf(schema: Json, bent: number, examples: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> {
  if (schema['format'] === 'date-time') return bent === 0 ? timestamps : fc.oneof(timestamps, text);
  if (bent > 0) return fc.oneof(...examples, stringOf(schema), text);
  // No text is made for a pattern: an example, when there is one, fits it.
  return schema['pattern'] !== undefined && examples.length > 0
    ? fc.oneof(...examples)
    : fc.oneof(...examples, stringOf(schema));
}

function stringOf(schema: Json): fc.Arbitrary<unknown> {
  const max = Math.min(Number(schema['maxLength'] ?? 40), 40);
  return fc.string({ minLength: Math.min(Number(schema['minLength'] ?? 0), max), maxLength: max });
}

function objectOf(
  schema: Json,
  document: Json,
  bent: number,
  depth: number,
  examples: fc.Arbitrary<unknown>[],
): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Json);
  if (properties.length === 0) return fc.oneof(...examples, fc.dictionary(text, anything, { maxKeys: 4 }));
  const required = ((schema['required'] ?? []) as string[]).filter((name) => properties.some(([own]) => own === name));
  const shape = Object.fromEntries(
    properties.map(([name, member]) => [name, arbitraryOf(member, document, bent, depth + 1)]),
  );
  const proper = fc.record(shape, { requiredKeys: required });
  if (bent === 0) return proper;
  const surplus = fc.tuple(proper, text, anything).map(([value, name, extra]) => ({ ...value, [name]: extra }));
  const lacking = fc.record(shape, { requiredKeys: [] });
  return fc.oneof(
    { weight: 8, arbitrary: proper },
    { weight: 1, arbitrary: surplus },
    { weight: 1, arbitrary: lacking },
  );
}

function resolve(document: Json, ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

/** The operations of a document; schemas stay as they are. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      template,
      parameters: (operation['parameters'] ?? []) as Json[],
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

/** Percent-encodes; a lone surrogate cannot be, and goes out as the replacement character. */
const encode = (value: unknown): string => encodeURIComponent(asText(value).toWellFormed());

/** A JSON text that is bent: cut, doubled, or with a byte changed. */
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

/** Requests for one operation. */
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
      // An empty segment would be another path: at least one character stays.
      inPath.forEach((p, i) => (filled = filled.replace(`{${String(p['name'])}}`, () => encode(segments[i]) || '-')));
      const pairs = inQuery.flatMap((p, i) =>
        values[i] === undefined ? [] : [`${String(p['name'])}=${encode(values[i])}`],
      );
      const json = operation.body === undefined ? undefined : JSON.stringify(value);
      return {
        path: pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled,
        raw: json === undefined || how === undefined ? json : bend(json, how[0], how[1]),
        headers: key === undefined ? ({} as Record<string, string>) : { 'idempotency-key': key },
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
    throw new Error(`an error that is no problem document: ${answer.status} ${answer.headers['content-type']}`);
  }
}

export interface FuzzReport {
  /** How many answers had which status. */
  readonly statuses: Record<string, number>;
  readonly requests: number;
}

/** Fires at every operation. Each answer is held against the document, too. @throws with the smallest request that fails */
export async function fuzzOperations(target: FuzzTarget, options: FuzzOptions): Promise<FuzzReport> {
  const client = createClient(target.baseUrl, target.key);
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
      // What is left of the time is shared out among the operations that are left.
      const interruptAfterTimeLimit = Math.max(200, (endAt - Date.now()) / (operations.length - i));
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

/** Random bytes on sockets: the answer is a proper one or the connection ends, and the service lives on. */
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
      throw new Error(`an error that is no problem document: ${answer}`);
  });
  await fc.assert(property, {
    numRuns: options.rawRuns,
    interruptAfterTimeLimit: options.deadlineMs,
    markInterruptAsFailure: false,
  });
  const client = createClient(target.baseUrl);
  try {
    const { status } = await client.get('/health');
    if (status !== 200) throw new Error(`/health answers ${status} afterwards`);
  } finally {
    client.close();
  }
}

/** Sends, ends the sending side, and resolves with what came when the connection has ended. @throws when it does not end */
function exchange(host: string, port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    let received = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection hangs after ${JSON.stringify(bytes.toString('latin1'))}; so far: ${received}`));
    }, 5_000);
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
