// An HTTP server that answers with scripted replies, also wrong ones, and records the requests: for conformance cases of the clients.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { canonicalize } from '../../shared/core/proof/canonical.ts';
import { argumentsDigest } from '../../shared/core/tools/call.ts';
import type { ScriptedReply } from '../drift/conformance/call-case.ts';

export interface RecordedRequest {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** A valid answer of an operation by its operationId. */
export type ExampleOf = (operationId: string, status: number) => unknown;

interface Script {
  readonly replies: readonly ScriptedReply[];
  readonly last?: 'repeat' | 'refuse';
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `over` laid over `base`, object by object; null replaces. */
function merged(base: unknown, over: unknown): unknown {
  if (!isObject(base) || !isObject(over)) return over ?? null;
  const names = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in over ? merged(base[name], over[name]) : base[name]]),
  );
}

/** The members by which a decision names its question. */
function answering(request: RecordedRequest, count: number): Json {
  const asked = JSON.parse(request.text) as {
    readonly agent_id?: string;
    readonly tool?: Json & { readonly arguments?: Json };
  };
  const { tool } = asked;
  return {
    decision_id: `dec_${String(count).padStart(26, '0')}`,
    request_id: request.headers['x-request-id'],
    agent_id: asked.agent_id,
    ...(tool === undefined
      ? {}
      : {
          tool: {
            server: tool['server'],
            name: tool['name'],
            arguments_digest: argumentsDigest(tool.arguments ?? {}, canonicalize(tool.arguments ?? {})),
            known: true,
            changed: false,
          },
        }),
  };
}

/** The reply's headers and the bytes of its body. */
function contentOf(reply: ScriptedReply, exampleOf: ExampleOf, request: RecordedRequest, count: number) {
  const { status = 200, like, decision, body, bytes } = reply;
  const base = like === undefined ? undefined : exampleOf(like, decision === true ? 200 : status);
  const about = decision === true ? merged(base, answering(request, count)) : base;
  const value = about === undefined ? body : body === undefined ? about : merged(about, body);
  const plain = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const text = (reply.prefix ?? '') + (reply.before === undefined ? plain : plain.replace('{', `{${reply.before},`));
  const isProblem = status >= 400;
  const named: Readonly<Record<string, string | null>> = {
    ...(value === undefined ? {} : { 'content-type': isProblem ? 'application/problem+json' : 'application/json' }),
    'x-request-id': String(request.headers['x-request-id'] ?? 'req-scripted'),
    'idempotency-key': String(request.headers['idempotency-key'] ?? null),
    ...reply.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return { status, headers, content: Buffer.from(bytes === undefined ? text : text.padEnd(bytes)) };
}

/** Of a body that is sent in pieces. */
const PIECES = 10;

/** Starts the server of one case. */
export async function startScriptedServer(script: Script, exampleOf: ExampleOf): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const used = new Set<ScriptedReply>();
  const timers = new Set<NodeJS.Timeout>();

  const next = (request: RecordedRequest): ScriptedReply | undefined => {
    const [path = ''] = request.path.split('?');
    const fitting = script.replies.filter(({ when }) => when === undefined || when === `${request.method} ${path}`);
    const fresh = fitting.find((reply) => !used.has(reply));
    if (fresh !== undefined) used.add(fresh);
    return fresh ?? (script.last === 'refuse' ? undefined : fitting.at(-1));
  };
  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };

  const answer = (req: IncomingMessage, res: ServerResponse, text: string): void => {
    const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, text };
    requests.push(request);
    const reply = next(request);
    if (reply === undefined || reply.reset === true) {
      req.socket.resetAndDestroy();
      return;
    }
    const { status, headers, content } = contentOf(reply, exampleOf, request, requests.length);
    const { delayMs = 0, truncate, pieceMs } = reply;
    const head = status === 204 ? headers : { ...headers, 'content-length': String(content.length) };
    if (pieceMs !== undefined) {
      res.writeHead(status, head);
      const size = Math.ceil(content.length / PIECES);
      // One after the other: timers of different lengths that are late may fire in another order.
      const send = (at: number): void => {
        if (at === PIECES) return void res.end();
        res.write(content.subarray(at * size, (at + 1) * size));
        later(pieceMs, () => send(at + 1));
      };
      send(0);
      return;
    }
    if (truncate === undefined) {
      later(delayMs, () => void res.writeHead(status, head).end(status === 204 ? undefined : content));
      return;
    }
    res.writeHead(status, head);
    res.write(content.subarray(0, truncate));
    later(Math.max(delayMs, 20), () => req.socket.destroy());
  };

  const server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => answer(req, res, Buffer.concat(chunks).toString('utf8')));
    req.on('error', () => undefined);
    res.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Examples of operations from an OpenAPI document: its own, or the smallest value of the schema. */
export function examplesFrom(document: unknown): ExampleOf {
  const { paths, components } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
    readonly components: { readonly schemas: Json; readonly responses?: Json };
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const resolve = (part: Json, kind: 'schemas' | 'responses' = 'schemas'): Json => {
    const name = typeof part['$ref'] === 'string' ? part['$ref'].split('/').pop() : undefined;
    return name === undefined ? part : (components[kind]?.[name] as Json);
  };
  const smallest = (given: Json): unknown => {
    const schema = resolve(given);
    const [choice] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as Json[];
    if (choice !== undefined) return smallest(choice);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
    if (Array.isArray(schema['examples'])) return schema['examples'][0] as unknown;
    switch ([schema['type']].flat()[0]) {
      case 'object': {
        const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
        const required = (schema['required'] ?? []) as string[];
        return Object.fromEntries(required.map((name) => [name, smallest(properties[name] ?? {})]));
      }
      case 'array':
        return [];
      case 'integer':
      case 'number':
        return schema['minimum'] ?? 0;
      case 'boolean':
        return false;
      case 'string':
        return 'text';
      default:
        return null;
    }
  };
  return (operationId, status) => {
    const operation = operations.find((one) => one['operationId'] === operationId);
    const response = (operation?.['responses'] as Readonly<Record<string, Json>> | undefined)?.[String(status)];
    const content = (resolve(response ?? {}, 'responses')['content'] as Readonly<Record<string, Json>> | undefined)?.[
      'application/json'
    ];
    if (content === undefined) throw new Error(`${operationId} has no JSON answer with status ${status}`);
    const [named] = Object.values((content['examples'] ?? {}) as Readonly<Record<string, { readonly value: unknown }>>);
    return content['example'] ?? named?.value ?? smallest(content['schema'] as Json);
  };
}
