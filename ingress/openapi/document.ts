// Builds the OpenAPI 3.1 document from the route values that also serve the requests.
import { ERROR_TABLE, type ErrorCode, type ErrorEntry, ApiError } from '../../shared/kernel/errors.ts';
import { ProblemSchema, toProblem } from '../../shared/api/problem.ts';
import { answerExample, requestExample } from './examples.ts';
import type { Route } from '../route.ts';

type Json = Record<string, unknown>;

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: {
    readonly schemas: Json;
    readonly responses: Json;
    readonly headers: Json;
    readonly securitySchemes: Json;
  };
}

/** Codes in the order of the table. */
const CODES = Object.keys(ERROR_TABLE) as ErrorCode[];
const HEADERS: Json = {
  RequestId: {
    description: "The request's id in logs; the caller's own if it sent a valid one",
    required: true,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The windows that count this key (IETF draft ratelimit-headers)',
    schema: { type: 'string' },
  },
  RateLimit: { description: 'What is left of the windows (IETF draft ratelimit-headers)', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds until the request may be repeated', schema: { type: 'integer', minimum: 1 } },
  Allow: { description: 'The methods of the endpoint', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` when this is the stored answer to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
};

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

/** Collects the schemas that have an `$id` and puts references in their place. */
class Components {
  readonly schemas: Json = {};

  /** A copy of a schema in which every schema with an `$id`, itself included, is a reference to a component. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((member) => this.refer(member));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id: id, ...rest } = schema as Json;
    if (typeof id !== 'string') return this.members(schema as Json);
    const own = this.members(rest);
    const known = this.schemas[id];
    if (known === undefined) this.schemas[id] = own;
    else if (JSON.stringify(known) !== JSON.stringify(own)) throw new Error(`two schemas have the $id ${id}`);
    return { $ref: `#/components/schemas/${id}` };
  }

  private members(schema: Json): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.refer(value)]));
  }
}

/** All error codes of a route: its own, and those of every route of its kind. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>(['E2001', 'E6001', 'E6002', ...(route.errors ?? [])]);
  const add = (...more: ErrorCode[]): void => more.forEach((code) => codes.add(code));
  if (route.unlimited !== true || route.access !== 'none') add('E3001');
  if (route.access !== 'none') add('E1001', 'E1002', 'E1003');
  if (typeof route.access === 'object') add('E1004');
  if (route.request?.body !== undefined) add('E2005', 'E2006', 'E2009');
  if (route.idempotent === true) add('E2010');
  return CODES.filter((code) => codes.has(code));
}

function problemExample(code: ErrorCode, status: number, path: string): Json {
  const entry: ErrorEntry = ERROR_TABLE[code];
  const text = entry.when.charAt(0).toUpperCase() + entry.when.slice(1);
  return { ...toProblem(new ApiError(code, `${text}.`, { status }), path, 'req_01jq3k5v7w9x1y3z5b7d9f1h3k') };
}

function errorHeaders(status: number, codes: readonly ErrorCode[]): Json {
  return {
    'X-Request-Id': header('RequestId'),
    ...(status === 429 || status === 503 || (status === 409 && codes.includes('E2010'))
      ? { 'Retry-After': header('RetryAfter') }
      : {}),
    ...(status === 405 ? { Allow: header('Allow') } : {}),
  };
}

/** The answer of one status, with an example for each of its codes. */
function errorResponse(status: number, codes: readonly ErrorCode[], path: string): Json {
  return {
    description: codes.map((code) => `${code}: ${ERROR_TABLE[code].when}`).join('. '),
    headers: errorHeaders(status, codes),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { code: { enum: codes } } }],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code, status, path) }])),
      },
    },
  };
}

function errorResponses(route: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(route)) {
    for (const status of ERROR_TABLE[code].statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), errorResponse(status, codes, route.path)]),
  );
}

function successResponses(route: Route, components: Components): Json {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, spec]) => [
      status,
      {
        description: spec.description,
        headers: {
          'X-Request-Id': header('RequestId'),
          ...(route.access === 'none'
            ? {}
            : { 'RateLimit-Policy': header('RateLimitPolicy'), RateLimit: header('RateLimit') }),
          ...(route.idempotent === true ? { 'Idempotent-Replayed': header('IdempotentReplayed') } : {}),
        },
        ...(spec.schema === undefined && spec.contentType === undefined
          ? {}
          : {
              content: {
                [spec.contentType ?? 'application/json']: {
                  schema: spec.schema === undefined ? { type: 'string' } : components.refer(spec.schema),
                  ...answerExample(route, status),
                },
                ...Object.fromEntries((spec.alsoAs ?? []).map((type) => [type, { schema: { type: 'string' } }])),
              },
            }),
      },
    ]),
  );
}

/** Where a status is both a regular answer and a problem (503 of /ready), both shapes are documented. */
function mergeResponses(own: Json, errors: Json): Json {
  const out: Json = { ...errors, ...own };
  for (const status of Object.keys(own).filter((key) => key in errors)) {
    const [a, b] = [own[status], errors[status]] as { description: string; headers: Json; content?: Json }[];
    if (a === undefined || b === undefined) continue;
    out[status] = {
      description: `${a.description}. ${b.description}`,
      headers: { ...a.headers, ...b.headers },
      content: { ...a.content, ...b.content },
    };
  }
  return out;
}

/** Parameters in `path` or `query` from the members of an object schema. */
function parameters(schema: unknown, place: 'path' | 'query', components: Components): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, member]) => {
    const { description } = member;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(typeof description === 'string' ? { description } : {}),
      schema: components.refer(member),
    };
  });
}

const REQUEST_ID_PARAMETER: Json = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'An id of your own for this request, 1 to 128 of A-Z a-z 0-9 . _ : -',
  schema: { type: 'string' },
};
const IDEMPOTENCY_PARAMETER: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes the request safe to repeat for 24 hours: the same key and body give the first answer again',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** For example `getV1AgentsAgentId` for `GET /v1/agents/{agentId}`. */
function operationId(route: Route): string {
  const words = route.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return route.method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function security(route: Route): Json[] {
  if (route.access === 'none') return [];
  // OpenAPI 3.1 allows any scheme to list the required roles. One scope is enough, so each is an alternative.
  const scopes = route.access === 'any' ? [[]] : route.access.map((scope) => [scope]);
  return scopes.flatMap((scope) => [{ bearer: scope }, { apiKey: scope }]);
}

function operation(route: Route, components: Components): Json {
  const { params, query, body } = route.request ?? {};
  const access =
    route.access === 'none'
      ? 'No key is needed.'
      : route.access === 'any'
        ? 'Any valid key.'
        : `Scope: ${route.access.join(' or ')}.`;
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    description: route.description === undefined ? access : `${route.description}\n\n${access}`,
    security: security(route),
    parameters: [
      ...parameters(params, 'path', components),
      ...parameters(query, 'query', components),
      REQUEST_ID_PARAMETER,
      ...(route.idempotent === true ? [IDEMPOTENCY_PARAMETER] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: components.refer(body), ...requestExample(route) } },
          },
        }),
    responses: mergeResponses(successResponses(route, components), errorResponses(route)),
  };
}

/**
 * The document of a list of routes.
 * @throws {Error} when two different schemas have one `$id`, or a path template and its parameter schema differ.
 */
export function buildOpenApi(routes: readonly Route[], options: { readonly version: string }): OpenApiDocument {
  const components = new Components();
  // A copy without the hidden members of typebox.
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  components.refer(plain(ProblemSchema));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    checkParameters(route);
    const request = plain(route.request ?? {});
    const responses = plain(route.responses);
    const entry = (paths[route.path] ??= {});
    entry[route.method.toLowerCase()] = operation({ ...route, request, responses }, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Custos',
      version: options.version,
      summary: 'A governance service for software agents',
      description:
        'An agent asks before it acts; the answer comes from policies and from earned trust, and is on record before it is given.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      // One for each code, also for those of requests that match no operation (E4004, E4005).
      responses: Object.fromEntries(
        CODES.map((code) => [code, errorResponse(ERROR_TABLE[code].statuses[0], [code], '/v1')]),
      ),
      headers: HEADERS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer cst_...' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'X-API-Key: cst_...' },
      },
    },
  };
}

function checkParameters(route: Route): void {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();
  // Typebox's type does not show that the schema is one of an object.
  const { properties = {} } = (route.request?.params ?? {}) as { properties?: Json };
  const inSchema = Object.keys(properties).sort();
  if (inPath.join() !== inSchema.join())
    throw new Error(`${route.method} ${route.path}: the path has {${inPath.join()}}, its schema {${inSchema.join()}}`);
}
