// Builds the OpenAPI 3.1 document from the route values that also serve the requests.
import { ProblemSchema } from '../../shared/api/problem.ts';
import type { Route } from '../route.ts';
import { FIXED_COMPONENTS, header, type Json, NOT_MODIFIED_RESPONSE, parameter, Schemas } from './components.ts';
import { ErrorResponses } from './errors.ts';
import { answerExample, requestExample } from './examples.ts';
import { describeTag } from './tags.ts';

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Json>>;
  readonly components: Json & { readonly schemas: Json; readonly responses: Json; readonly parameters: Json };
}

/** What the operations of one document share. */
interface Shared {
  readonly schemas: Schemas;
  readonly errors: ErrorResponses;
}

function successResponses(route: Route, schemas: Schemas): Json {
  const always = {
    ...(route.wait === undefined ? {} : { 'Preference-Applied': header('PreferenceApplied') }),
  };
  const headersOf = (status: string): Json => {
    const headers = route.cached === true && status === '200' ? { ...always, ETag: header('ETag') } : always;
    return Object.keys(headers).length === 0 ? {} : { headers };
  };
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, spec]) => [
      status,
      {
        description: spec.description,
        ...headersOf(status),
        ...(spec.schema === undefined && spec.contentType === undefined
          ? {}
          : {
              content: {
                [spec.contentType ?? 'application/json']: {
                  schema: spec.schema === undefined ? { type: 'string' } : schemas.refer(spec.schema),
                  ...answerExample(route, status),
                },
                ...Object.fromEntries((spec.alsoAs ?? []).map((type) => [type, { schema: { type: 'string' } }])),
              },
            }),
      },
    ]),
  );
}

/** All responses of a route. Where a status is both a regular answer and a problem (503 of /ready), it has both shapes. */
function responses(route: Route, { schemas, errors }: Shared): Json {
  const own = successResponses(route, schemas);
  const problems = errors.of(route);
  const unchanged = route.cached === true ? { 304: NOT_MODIFIED_RESPONSE } : {};
  const out: Json = { ...problems, ...own, ...unchanged };
  for (const [status, reference] of Object.entries(problems)) {
    if (own[status] === undefined) continue;
    // Both are made in this folder.
    const [a, b] = [own[status], errors.referred(reference)] as {
      description: string;
      headers: Json;
      content?: Json;
    }[];
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
function parameters(schema: unknown, place: 'path' | 'query', schemas: Schemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...member }]) => ({
    name,
    in: place,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    schema: schemas.refer(member),
  }));
}

function security(route: Route): Json[] {
  if (route.access === 'none') return [];
  // OpenAPI 3.1 allows any scheme to list the required roles. One scope is enough, so each is an alternative.
  const scopes = route.access === 'any' ? [[]] : route.access.map((scope) => [scope]);
  return scopes.flatMap((scope) => [{ bearer: scope }, { apiKey: scope }]);
}

function requestBody(route: Route, schemas: Schemas): Json {
  const schema = route.request?.described ?? route.request?.body;
  if (schema === undefined) return {};
  const content = { 'application/json': { schema: schemas.refer(schema), ...requestExample(route) } };
  return { requestBody: { required: route.request?.bodyOptional !== true, content } };
}

function operation(route: Route, shared: Shared): Json {
  const { params, query } = route.request ?? {};
  const access =
    route.access === 'none'
      ? 'No key is needed.'
      : route.access === 'any'
        ? 'Any valid key.'
        : `Scope: ${route.access.join(' or ')}.`;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description === undefined ? access : `${route.description}\n\n${access}`,
    security: security(route),
    parameters: [
      ...parameters(params, 'path', shared.schemas),
      ...parameters(query, 'query', shared.schemas),
      ...(route.cached === true ? [parameter('IfNoneMatch')] : []),
      ...(route.wait === undefined ? [] : [parameter('Wait')]),
      ...(route.idempotent === true ? [parameter('IdempotencyKey')] : []),
    ],
    ...requestBody(route, shared.schemas),
    responses: responses(route, shared),
  };
}

const DESCRIPTION = `An agent asks before it acts; the answer comes from policies and from earned trust, and is on record before it is given.

Members of requests are accepted in snake_case and in camelCase (\`agent_id\`, \`agentId\`); both at once are refused (E2001). Those of free-form objects, such as \`context\` and \`payload\`, and of AuthZEN are left as they are.

The header X-Request-Id may be an id of your own, 1 to 128 of A-Z a-z 0-9 . _ : -; every answer has it. Answers to requests with a key have RateLimit-Policy and RateLimit (see the response \`default\`).`;

const OPERATION_ID = /^[a-z][a-zA-Z]{2,29}$/;

/** @throws {Error} when a route's operationId is missing, not camelCase, or that of another route */
function checkOperationIds(routes: readonly Route[]): void {
  const seen = new Map<string, string>();
  for (const { operationId = '', method, path } of routes) {
    const name = `${method} ${path}`;
    if (!OPERATION_ID.test(operationId)) throw new Error(`${name}: "${operationId}" is no operationId in camelCase`);
    const other = seen.get(operationId);
    if (other !== undefined) throw new Error(`${name} has the operationId ${operationId} of ${other}`);
    seen.set(operationId, name);
  }
}

/**
 * The document of a list of routes.
 * @throws {Error} when two different schemas have one `$id`, a path template and its parameter schema differ, or an
 *   operationId is missing or not unique.
 */
export function buildOpenApi(routes: readonly Route[], options: { readonly version: string }): OpenApiDocument {
  checkOperationIds(routes);
  const shared: Shared = { schemas: new Schemas(), errors: new ErrorResponses() };
  // A copy without the hidden members of typebox.
  const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  shared.schemas.refer(plain(ProblemSchema));
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    checkParameters(route);
    const request = plain(route.request ?? {});
    const answers = plain(route.responses);
    const entry = (paths[route.path] ??= {});
    entry[route.method.toLowerCase()] = operation({ ...route, request, responses: answers }, shared);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Custos',
      version: options.version,
      summary: 'A governance service for software agents',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => describeTag(name)),
    paths,
    components: {
      ...FIXED_COMPONENTS,
      schemas: shared.schemas.byId,
      responses: { ...shared.errors.byName, ...FIXED_COMPONENTS.responses },
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
