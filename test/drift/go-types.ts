// Generates `clients/go/types.go` from the OpenAPI document: one Go struct for each component schema, each object inside one, and the
// query parameters of each operation.
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './openapi-schema.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Operation = Readonly<{ parameters?: readonly Parameter[] }>;

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly tag: string;
  readonly comment: readonly string[];
}

const INITIALISMS = new Set(['api', 'html', 'http', 'id', 'ids', 'ip', 'json', 'url', 'urls', 'uri']);
const REFERENCE = '#/components/schemas/';

/** The Go source of all types. */
export function goTypesText(document: OpenApi): string {
  const types = new GoTypes(document.components.schemas as Readonly<Record<string, Schema>>);
  for (const name of Object.keys(document.components.schemas).sort()) types.addComponent(name);
  for (const [path, operations] of Object.entries(document.paths)) {
    const operation = operations['get'] as Operation | undefined;
    if (operation !== undefined) types.addQuery(path, queryOf(operation, document));
  }
  return `// Code generated from docs/openapi.json by "npm run generate". DO NOT EDIT.\n\npackage custos\n\n${types.text()}`;
}

function queryOf(operation: Operation, document: OpenApi): Parameter[] {
  const shared = (document.components.parameters ?? {}) as Readonly<Record<string, Parameter>>;
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : (shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)] ?? one),
  );
  return parameters.filter((one) => one.in === 'query');
}

class GoTypes {
  private readonly components: Readonly<Record<string, Schema>>;
  private readonly declarations = new Map<string, string>();
  /** Objects inside components, by member name: equal ones become one type, except small ones, whose name would mislead. */
  private readonly inner = new Map<string, { readonly schema: Schema; readonly type: string }[]>();

  constructor(components: Readonly<Record<string, Schema>>) {
    this.components = components;
  }

  text(): string {
    return [...this.declarations.values()].join('\n');
  }

  addComponent(name: string): void {
    const schema = this.components[name];
    if (schema === undefined) throw new Error(`no component ${name}`);
    this.declare(goName(name), schema);
  }

  addQuery(path: string, parameters: readonly Parameter[]): void {
    if (parameters.length === 0) return;
    const words = path.split('/').filter((part) => part !== '' && part !== 'v1' && !part.startsWith('{'));
    const type = `${words.map(goName).join('')}Query`;
    const fields = parameters.map(({ name = '', required, description, schema = {} }) => ({
      name: goName(name),
      type: schema.type === 'integer' ? 'int64' : 'string',
      tag: `\`query:"${name}${required === true ? ',required' : ''}"\``,
      comment: commentOf({ ...schema, ...(description === undefined ? {} : { description }) }),
    }));
    this.add(type, [`${type} holds the query parameters of GET ${path}. Empty ones are not sent.`], struct(fields));
  }

  private declare(type: string, schema: Schema): void {
    const comment = [`${type} is part of the API's requests or answers.`, ...commentOf(schema)];
    const variants = variantsOf(schema);
    if (variants.length > 1) this.add(type, comment, this.union(type, variants), unionMethods(type));
    else if (schema.type === 'array') this.add(type, comment, `[]${this.typeOf(schema.items ?? {}, type, 'item')}`);
    else if (!isStruct(schema)) this.add(type, comment, this.typeOf(schema, type, ''));
    else {
      const isOpen = schema.additionalProperties !== false;
      this.add(type, comment, this.object(type, schema, isOpen), isOpen ? openMethods(type) : '');
    }
  }

  private object(type: string, schema: Schema, isOpen: boolean): string {
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties ?? {}).map(([name, member]): Field => {
      const isRequired = required.has(name);
      const goType = this.typeOf(member, type, name);
      return {
        name: goName(name),
        type: isRequired ? goType : this.optionalOf(member, goType),
        tag: `\`json:"${name}${isRequired ? '' : ',omitempty'}"\``,
        comment: commentOf(member),
      };
    });
    const more = {
      name: 'More',
      type: 'map[string]any',
      tag: '`json:"-"`',
      comment: ['More holds the members that have no field.'],
    };
    return struct(isOpen ? [...fields, more] : fields);
  }

  /** A struct with one pointer per variant; the tag names a member that only this variant requires. */
  private union(type: string, variants: readonly Schema[]): string {
    const resolved = variants.map((variant) => this.resolve(variant));
    const fields = variants.map((variant, i): Field => {
      const others = resolved.filter((_, j) => j !== i);
      const member = (resolved[i]?.required ?? []).find((name) =>
        others.every((other) => other.properties?.[name] === undefined),
      );
      if (member === undefined) throw new Error(`no member distinguishes the variants of ${type}`);
      const name = variant.$ref === undefined ? goName(member) : goName(variant.$ref.slice(REFERENCE.length));
      return { name, type: `*${this.typeOf(variant, type, member)}`, tag: `\`variant:"${member}"\``, comment: [] };
    });
    return struct(fields);
  }

  private typeOf(schema: Schema, parent: string, member: string): string {
    if (schema.$ref !== undefined) return goName(schema.$ref.slice(REFERENCE.length));
    const all = schema.anyOf ?? schema.oneOf;
    if (all !== undefined) {
      const [only, ...others] = all.filter((one) => one.type !== 'null');
      const isNullable = others.length < all.length - 1;
      const type =
        only === undefined || others.length > 0
          ? this.named(schema, parent, member)
          : this.typeOf(only, parent, member);
      return isNullable ? optional(type) : type;
    }
    switch (schema.type) {
      case 'string':
        return 'string';
      case 'integer':
        return 'int64';
      case 'number':
        return 'float64';
      case 'boolean':
        return 'bool';
      case 'array':
        return `[]${this.typeOf(schema.items ?? {}, parent, member)}`;
      case 'object':
        if (isStruct(schema)) return this.named(schema, parent, member);
        return typeof schema.additionalProperties === 'object'
          ? `map[string]${this.typeOf(schema.additionalProperties, parent, member)}`
          : 'map[string]any';
      default:
        return 'any';
    }
  }

  /** Absent and null are different only for a member that may be both: absent leaves a value as it is, and null deletes it. */
  private optionalOf(member: Schema, type: string): string {
    const isNullable = (member.anyOf ?? member.oneOf ?? []).some((one) => one.type === 'null');
    return isNullable ? `*Nullable[${type.replace(/^\*/, '')}]` : optional(type);
  }

  private named(schema: Schema, parent: string, member: string): string {
    const known = this.inner.get(member) ?? [];
    const isSmall = Object.keys(schema.properties ?? {}).length < 3;
    const same = isSmall ? undefined : known.find((one) => isDeepStrictEqual(one.schema, schema));
    if (same !== undefined) return same.type;
    const type = `${parent}${goName(member)}`;
    this.inner.set(member, [...known, { schema, type }]);
    this.declare(type, schema);
    return type;
  }

  private resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : (this.components[schema.$ref.slice(REFERENCE.length)] ?? {});
  }

  private add(type: string, comment: readonly string[], body: string, methods = ''): void {
    if (this.declarations.has(type)) throw new Error(`two types are called ${type}`);
    const lines = comment.map((line) => `// ${line}\n`).join('');
    this.declarations.set(type, `${lines}type ${type} ${body}\n${methods}`);
  }
}

function variantsOf(schema: Schema): readonly Schema[] {
  if (schema.then !== undefined && schema.else !== undefined) return [schema.then, schema.else];
  return (schema.anyOf ?? schema.oneOf ?? []).filter((one) => one.type !== 'null');
}

function isStruct(schema: Schema): boolean {
  return schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
}

/** Absent and zero are different for scalars and structs; an absent list or map is nil. */
function optional(type: string): string {
  return /^(\*|\[\]|map\[|any$)/.test(type) ? type : `*${type}`;
}

function goName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const lower = word.toLowerCase();
      if (lower === 'ids' || lower === 'urls') return `${lower.slice(0, -1).toUpperCase()}s`;
      return INITIALISMS.has(lower) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1);
    })
    .join('');
}

function commentOf(schema: Schema): string[] {
  const values = schema.enum ?? schema.items?.enum;
  const lines = (schema.description ?? '').split('\n').map((line) => line.trim());
  const oneOf = values === undefined ? [] : [`One of: ${values.map(String).join(', ')}.`];
  return [...lines, ...oneOf].filter((line) => line !== '');
}

/** As gofmt writes it: names, types and tags of neighbouring fields are aligned, and a comment line ends a neighbourhood. */
function struct(fields: readonly Field[]): string {
  const runs: Field[][] = [];
  for (const field of fields) {
    const last = runs.at(-1);
    if (last === undefined || field.comment.length > 0) runs.push([field]);
    else last.push(field);
  }
  const lines = runs.flatMap((run) => {
    const [names, types] = [width(run.map(({ name }) => name)), width(run.map(({ type }) => type))];
    return run.flatMap(({ name, type, tag, comment }) => [
      ...comment.map((line) => `\t// ${line}`),
      `\t${name.padEnd(names)} ${type.padEnd(types)} ${tag}`,
    ]);
  });
  return `struct {\n${lines.join('\n')}\n}`;
}

function width(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

function unionMethods(type: string): string {
  return `
// MarshalJSON writes the variant that is set.
func (v ${type}) MarshalJSON() ([]byte, error) {
	return marshalVariant(v)
}

// UnmarshalJSON sets the variant whose member is present.
func (v *${type}) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}
`;
}

function openMethods(type: string): string {
  return `
// MarshalJSON writes the fields and the members of More.
func (v ${type}) MarshalJSON() ([]byte, error) {
	type fields ${type}
	return marshalOpen(fields(v), v.More)
}

// UnmarshalJSON keeps members without a field in More.
func (v *${type}) UnmarshalJSON(text []byte) error {
	return unmarshalAnswer(text, v)
}
`;
}
