// Makes the OpenAPI document smaller without changing its meaning: parts that it repeats become components, which are
// referred to. Agents read the document into their context, so its size matters.
import type { OpenApiDocument } from './document.ts';
import type { Json } from './components.ts';

/** A part that occurs at least twice becomes a component when this saves more bytes than this. */
const MIN_SAVING_BYTES = 60;
/** About the length of a reference with its key. */
const REFERENCE_BYTES = 45;

/** Keywords of JSON Schema below which there is one schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'then', 'else'];
const LIST = ['anyOf', 'oneOf', 'allOf'];

/** Names of shared schemas that are clearer than the name of the first member that has them. */
const NAMES: Readonly<Record<string, string>> = {
  CreatedAt: 'Timestamp',
  DecidedAtOrNull: 'TimestampOrNull',
  NextCursorOrNull: 'NextCursor',
  Level: 'RiskLevel',
  IntentLevel: 'TrustLevel',
  Score: 'TrustScore',
  PathItem: 'Hash',
  Status: 'ApprovalStatus',
  Digest: 'ApprovalDigest',
  PolicyApprovalDigest: 'PolicySetDigest',
  PreviousDigestOrNull: 'PolicySetDigestOrNull',
  ReplayRequestDigest: 'DraftDigest',
  WithdrawPoliciesRequestReason: 'ChangeReason',
  Url: 'WebhookUrl',
  Events: 'WebhookEvents',
  EventsItem: 'WebhookEvent',
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const mapMembers = (object: Json, map: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]));
const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** A copy of a schema whose subschemas are mapped. @param name that of the member with this schema */
function mapSubschemas(schema: Json, name: string, map: (schema: Json, name: string) => unknown): Json {
  return mapMembers(schema, (value, keyword) => {
    if (ONE.includes(keyword) && isObject(value)) return map(value, keyword === 'items' ? `${name}-item` : name);
    if (LIST.includes(keyword) && Array.isArray(value))
      return value.map((one) => (isObject(one) ? map(one, name) : one));
    if (keyword === 'properties' && isObject(value))
      return mapMembers(value, (one, member) => (isObject(one) ? map(one, member) : one));
    return value;
  });
}

/** A copy of a part of the document in which the outermost schemas are mapped: those of parameters, bodies and answers. */
function mapSchemas(part: unknown, name: string, map: (schema: Json, name: string) => unknown): unknown {
  if (Array.isArray(part)) return part.map((one) => mapSchemas(one, name, map));
  if (!isObject(part)) return part;
  const own = typeof part['name'] === 'string' ? part['name'] : name;
  return mapMembers(part, (value, key) => {
    if (key === 'example' || key === 'examples') return value;
    return key === 'schema' && isObject(value) ? map(value, own) : mapSchemas(value, key, map);
  });
}

const SCALARS = ['string', 'integer', 'number', 'boolean'];

/** `{type: [T, 'null']}` in place of a union of a scalar and null. */
function withShortNull(schema: Json, name: string): Json {
  const { anyOf: union, ...others } = mapSubschemas(schema, name, withShortNull);
  if (union === undefined) return others;
  const [one, nothing, ...more] = Array.isArray(union) ? union.filter(isObject) : [];
  const isShort =
    one !== undefined &&
    nothing?.['type'] === 'null' &&
    more.length === 0 &&
    SCALARS.includes(String(one['type'])) &&
    !('enum' in one) &&
    !('const' in one);
  return isShort ? { ...one, ...others, type: [one['type'], 'null'] } : { ...others, anyOf: union };
}

/** Values of one kind that occur in a document; those that occur often enough become components. */
class Repeated {
  /** The components that were made, by name. */
  readonly components: Json = {};
  private readonly seen = new Map<string, { count: number; readonly names: readonly string[]; component?: string }>();
  private readonly kind: string;
  private readonly taken: Json;

  /** @param taken the components that exist already */
  constructor(kind: string, taken: Json) {
    this.kind = kind;
    this.taken = taken;
  }

  /** @param names the names that the component may have, the best first */
  count(value: Json, names: readonly string[]): void {
    const text = JSON.stringify(value);
    const known = this.seen.get(text) ?? { count: 0, names };
    known.count += 1;
    this.seen.set(text, known);
  }

  /** A reference in place of a value that is repeated, else the value. @param content maps the parts of the value */
  share(value: Json, content: () => Json): Json {
    const text = JSON.stringify(value);
    const known = this.seen.get(text);
    if (known === undefined || '$ref' in value) return content();
    const { count } = known;
    if ((count - 1) * text.length - count * REFERENCE_BYTES < MIN_SAVING_BYTES) return content();
    known.component ??= this.newComponent(known.names, content);
    return { $ref: `#/components/${this.kind}/${known.component}` };
  }

  private newComponent(names: readonly string[], content: () => Json): string {
    const name = names.find((one) => !(one in this.taken) && !(one in this.components));
    if (name === undefined) throw new Error(`two components are called ${names.join(' and ')}`);
    // Takes the name before the parts of the value look for theirs.
    this.components[name] = {};
    this.components[name] = content();
    return name;
  }
}

/** The operations with their places, mapped. */
function mapOperations(paths: OpenApiDocument['paths'], map: (operation: Json) => Json): OpenApiDocument['paths'] {
  const mapped = (methods: Record<string, Json>): Record<string, Json> =>
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, map(operation)]));
  return Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, mapped(methods)]));
}

/** Names for the component of a member's schema: that of the member, then with that of the schema or operation it is in. */
function namesOf(member: string, owner: string): string[] {
  const name = pascalCase(member);
  const qualified = pascalCase(owner) + name;
  return [NAMES[name] ?? name, NAMES[qualified] ?? qualified];
}

function withSharedSchemas({ components, paths, ...others }: OpenApiDocument): OpenApiDocument {
  const repeated = new Repeated('schemas', components.schemas);
  const count =
    (owner: string) =>
    (schema: Json, name: string): Json => {
      const { type, anyOf: union } = schema;
      const isNullable =
        (Array.isArray(type) && type.includes('null')) ||
        (Array.isArray(union) && union.some((one) => isObject(one) && one['type'] === 'null'));
      repeated.count(schema, namesOf(isNullable ? `${name}-or-null` : name, owner));
      return mapSubschemas(schema, name, count(owner));
    };
  const share =
    () =>
    (schema: Json, name: string): Json =>
      repeated.share(schema, () => mapSubschemas(schema, name, share()));
  const apply = (mapOf: typeof count) => ({
    schemas: mapMembers(components.schemas, (schema, name) =>
      isObject(schema) ? mapSubschemas(schema, name, mapOf(name)) : schema,
    ),
    paths: mapOperations(paths, (operation) => {
      const map = mapOf(String(operation['operationId']));
      return mapMembers(operation, (part) => mapSchemas(part, '', map));
    }),
  });
  apply(count);
  const shared = apply(share);
  return {
    ...others,
    paths: shared.paths,
    components: { ...components, schemas: { ...shared.schemas, ...repeated.components } },
  };
}

/** The entries of `parameters` and `responses` that operations repeat become components. */
function withSharedParts({ components, paths, ...others }: OpenApiDocument): OpenApiDocument {
  const parameters = new Repeated('parameters', components.parameters);
  const responses = new Repeated('responses', components.responses);
  const apply = (map: (repeated: Repeated, part: Json, name: string, owner: string) => Json) =>
    mapOperations(paths, (operation) => {
      const owner = String(operation['operationId']);
      return {
        ...operation,
        // Both are made by buildOpenApi.
        parameters: (operation['parameters'] as Json[]).map((one) => map(parameters, one, String(one['name']), owner)),
        responses: mapMembers(operation['responses'] as Json, (one, status) =>
          isObject(one) ? map(responses, one, nameOfAnswer(one, status), owner) : one,
        ),
      };
    });
  apply((repeated, part, name, owner) => {
    repeated.count(part, [pascalCase(name), pascalCase(owner) + pascalCase(name)]);
    return part;
  });
  const shared = apply((repeated, part) => repeated.share(part, () => part));
  return {
    ...others,
    paths: shared,
    components: {
      ...components,
      parameters: { ...components.parameters, ...parameters.components },
      responses: { ...components.responses, ...responses.components },
    },
  };
}

/** Of an answer as a component: the name of its schema, if it has one, and the status. */
function nameOfAnswer({ content }: Json, status: string): string {
  const schema = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(content ?? {}))?.[1];
  return `${schema ?? 'Answer'}${status}`;
}

/** A smaller document with the same meaning. */
export function compact(document: OpenApiDocument): OpenApiDocument {
  const { components, paths } = document;
  const shortened = (schemas: Json): Json =>
    mapMembers(schemas, (schema, name) => (isObject(schema) ? withShortNull(schema, name) : schema));
  const short: OpenApiDocument = {
    ...document,
    paths: mapOperations(paths, (operation) => mapMembers(operation, (part) => mapSchemas(part, '', withShortNull))),
    components: { ...components, schemas: shortened(components.schemas) },
  };
  return withSharedParts(withSharedSchemas(short));
}
