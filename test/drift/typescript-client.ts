// Generates the types and the member names of the TypeScript client from the OpenAPI document.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeTypes } from './openapi-types.ts';

/** A JSON Schema, as far as this file reads it. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const BANNER = '// Generated from docs/openapi.json by "npm run generate". Do not edit.\n';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const camelCase = (name: string): string =>
  SNAKE_CASE.test(name) ? name.replace(/_([a-z0-9])/g, (_, next: string) => next.toUpperCase()) : name;

/** The alternatives of a schema, with references resolved. */
function alternatives(schema: Schema | undefined, { components }: ApiDocument): Schema[] {
  if (schema === undefined) return [];
  const document = { components } as ApiDocument;
  if (schema.$ref !== undefined) return alternatives(components.schemas[schema.$ref.split('/').pop() ?? ''], document);
  const parts = UNIONS.flatMap((union) => (schema[union] ?? []) as readonly Schema[]);
  return parts.length === 0 ? [schema] : parts.flatMap((part) => alternatives(part, document));
}

/** Whether a value of this schema may have members that the description does not list. */
function isFreeForm(schema: Schema, document: ApiDocument): boolean {
  return alternatives(schema, document).some((one) => {
    if (one.items !== undefined) return isFreeForm(one.items, document);
    if (one.properties === undefined && (one['if'] !== undefined || one['enum'] !== undefined)) return false;
    if (one['type'] === undefined) return one.properties === undefined && one['const'] === undefined;
    return one['type'] === 'object' && one.additionalProperties !== false;
  });
}

interface Members {
  /** Names of members whose values are never respelled. */
  readonly freeForm: Set<string>;
  /** Names in snake_case below the schema, outside free-form values. */
  readonly snakeCase: Set<string>;
}

function collect(schema: Schema | undefined, document: ApiDocument, members: Members, seen = new Set<Schema>()): void {
  for (const one of alternatives(schema, document)) {
    if (seen.has(one)) continue;
    seen.add(one);
    collect(one.items, document, members, seen);
    for (const [name, member] of Object.entries(one.properties ?? {})) {
      if (SNAKE_CASE.test(name)) members.snakeCase.add(name);
      if (isFreeForm(member, document)) members.freeForm.add(name);
      else collect(member, document, members, seen);
    }
  }
}

const jsonOf = (content?: Readonly<Record<string, { readonly schema?: Schema }>>): Schema | undefined =>
  content?.['application/json']?.schema;

/** All of them would make each new member of the service an error for a newer client with an older service. */
const MEMBERS_TO_RECOGNISE = 2;

/** The first members that every 2xx answer of an operation has. */
function requiredMembers({ responses }: Operation, document: ApiDocument): string[] {
  const schemas = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content }]) => alternatives(jsonOf(content), document));
  const [first, ...others] = schemas.map((schema) => schema.required ?? []);
  const common = (first ?? []).filter((name) => others.every((other) => other.includes(name)));
  return common.slice(0, MEMBERS_TO_RECOGNISE).map(camelCase);
}

/** @throws {Error} when a name is a free-form value in one place and has members in snake_case in another */
export function memberTableText(document: ApiDocument): string {
  const freeForm = new Set<string>();
  const rows: [string, { respelled?: string[]; required?: string[] }][] = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const request: Members = { freeForm, snakeCase: new Set() };
      collect(jsonOf(operation.requestBody?.content), document, request);
      for (const { content } of Object.values(operation.responses))
        collect(jsonOf(content), document, { freeForm, snakeCase: new Set() });
      const respelled = [...request.snakeCase].sort();
      const required = requiredMembers(operation, document);
      rows.push([
        `${method.toUpperCase()} ${path}`,
        { ...(respelled.length > 0 ? { respelled } : {}), ...(required.length > 0 ? { required } : {}) },
      ]);
    }
  for (const schema of Object.values(document.components.schemas))
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const below: Members = { freeForm: new Set(), snakeCase: new Set() };
      collect(member, document, below);
      if (freeForm.has(name) && below.snakeCase.size > 0)
        throw new Error(`${name} is free-form in one place, and has the members ${[...below.snakeCase].join(', ')}`);
    }
  const list = (names: readonly string[]): string => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const lines = rows.map(([name, { respelled, required }]) => {
    const parts = [
      ...(respelled === undefined ? [] : [`respelled: ${list(respelled)}`]),
      ...(required === undefined ? [] : [`required: ${list(required)}`]),
    ];
    return `  '${name}': {${parts.length === 0 ? '' : ` ${parts.join(', ')} `}},`;
  });
  return [
    BANNER,
    '/** Members whose values are never respelled: they belong to callers and to policies. */',
    `export const FREE_FORM: readonly string[] = ${list([...freeForm].sort())};`,
    '',
    'export interface OperationMembers {',
    '  /** Members of the request that the service spells in snake_case. */',
    '  readonly respelled?: readonly string[];',
    '  /** Members, in camelCase, by which an answer is recognised: each with a status 2xx has them. */',
    '  readonly required?: readonly string[];',
    '}',
    '',
    'export const OPERATIONS = {',
    ...lines,
    '} as const satisfies Readonly<Record<string, OperationMembers>>;',
    '',
  ].join('\n');
}

/** Paths of other programs than agents: the AuthZEN interface of gateways, metrics, keys as JWK, schemas for editors. */
const NOT_IN_CLIENT = /^\/(?:access\/|\.well-known\/|metrics$|openapi\.json$|schemas\/)/;

/** The names of schemas that a value refers to, directly or through other schemas. */
function referencesOf(value: unknown, schemas: ApiDocument['components']['schemas'], found = new Set<string>()) {
  if (Array.isArray(value)) for (const element of value) referencesOf(element, schemas, found);
  else if (isObject(value)) {
    const { $ref } = value;
    const name = typeof $ref === 'string' ? ($ref.split('/').pop() ?? '') : '';
    if (name in schemas && !found.has(name)) referencesOf(schemas[name], schemas, found.add(name));
    for (const member of Object.values(value)) referencesOf(member, schemas, found);
  }
  return found;
}

/** What the client knows of the document: its operations with their 2xx answers. It has classes for errors. */
export function clientDocument(document: ApiDocument): ApiDocument {
  const withoutErrors = (operation: Operation): Operation => {
    const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    const contents = answers.map(([status, { content }]) => [status, { description: '', content }]);
    return { ...operation, responses: Object.fromEntries(contents) as Operation['responses'] };
  };
  const paths = Object.entries(document.paths)
    .filter(([path]) => !NOT_IN_CLIENT.test(path))
    .map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withoutErrors(operation)])),
    ]);
  const known = { ...document, paths: Object.fromEntries(paths) as ApiDocument['paths'] };
  const used = referencesOf(known.paths, document.components.schemas);
  const schemas = Object.entries(document.components.schemas).filter(([name]) => used.has(name));
  return { ...known, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/**
 * A copy of the document in which members are spelled in camelCase, objects without members are free-form, and no member has a
 * default: openapi-typescript would make it required.
 */
function respelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(respelled);
  if (!isObject(value)) return value;
  const { default: _, properties, required, ...others } = value;
  const copy = Object.fromEntries(Object.entries(others).map(([name, member]) => [name, respelled(member)]));
  if (copy['type'] === 'object' && properties === undefined) copy['additionalProperties'] ??= true;
  const members = Object.entries(isObject(properties) ? properties : {});
  return {
    ...copy,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(members.map(([name, member]) => [camelCase(name), respelled(member)])) }),
    ...(required === undefined ? {} : { required: Array.isArray(required) ? required.map(camelCase) : required }),
  };
}

/** The types of all requests and answers, in camelCase. */
export async function clientTypesText(document: ApiDocument): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'custos-types-'));
  try {
    const file = await writeTypes(respelled(document) as object, folder);
    // The first comment only names the program that has made the file.
    return BANNER + readFileSync(file, 'utf8').replace(/^\/\*\*[^]*?\*\/\n\n?/, '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
