// Answers that a later minor version of the service may give: each 2xx answer of the description, as the rules for later versions allow
// it to change (clients/conformance/README.md, "Answers of later versions").
import type { Schema } from '../../drift/openapi-schema.ts';

/** The parts of the description that are read here. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface DescribedOperation {
  readonly responses: Readonly<Record<string, Response>>;
}

export interface NewerAnswer {
  /** What is changed, for the message of a failure. */
  readonly change: string;
  readonly status: number;
  readonly body: unknown;
  /** How many values in the body are of no enumeration of this version. */
  readonly unknownValues: number;
}

/** A value that no enumeration has. */
export const UNKNOWN_VALUE = 'a_newer_value';

interface Change {
  readonly name: string;
  readonly withOptional?: false;
  readonly withUnknownMembers?: true;
  readonly withUnknownValues?: true;
  /** Objects at this depth have null for every member. The answer itself has depth 0. */
  readonly nullAtDepth?: number;
}

/** What never changes: a page has its items, a batch its decisions, and a decision one of the four verdicts, which `allowed` repeats. */
const FIXED = new Set(['items', 'decisions', 'verdict', 'allowed']);

const CHANGES: readonly Change[] = [
  { name: 'nothing' },
  { name: 'no optional member', withOptional: false },
  { name: 'unknown members', withUnknownMembers: true },
  { name: 'unknown values of enumerations', withUnknownValues: true },
];

const isNull = ({ type }: Schema): boolean => type === 'null';

/** Builds values of the schemas of a description. */
class Values {
  private readonly schemas: Readonly<Record<string, Schema>>;
  /** The depth of the deepest object that was built. */
  deepest = 0;

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.schemas = schemas;
  }

  /** The schema without a reference and without null, once for each of its variants. */
  variants(given: Schema): readonly Schema[] {
    const schema = given.$ref === undefined ? given : this.schemas[given.$ref.split('/').pop() ?? ''];
    if (schema === undefined) throw new Error(`the description has no ${given.$ref}`);
    const choices = (schema.anyOf ?? schema.oneOf)?.filter((one) => !isNull(one));
    return choices === undefined ? [schema] : choices.flatMap((one) => this.variants(one));
  }

  /** @param choose which variant of each union is taken, if it has so many */
  of(given: Schema, change: Change, choose: number, depth = 0, name = ''): unknown {
    const variants = this.variants(given);
    const schema = variants[Math.min(choose, variants.length - 1)] ?? {};
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) {
      const isOpen = change.withUnknownValues === true && typeof schema.enum[0] === 'string' && !FIXED.has(name);
      return isOpen ? UNKNOWN_VALUE : schema.enum[0];
    }
    switch ([schema.type].flat()[0]) {
      case 'object':
        return this.object(schema, change, choose, depth);
      case 'array':
        // One element for each variant of the union that it may be.
        return this.variants(schema.items ?? {}).map((element) => this.of(element, change, choose, depth));
      case 'integer':
        return 1;
      case 'number':
        return 0.5;
      case 'boolean':
        return false;
      default:
        return 'text';
    }
  }

  private object(schema: Schema, change: Change, choose: number, depth: number): unknown {
    this.deepest = Math.max(this.deepest, depth);
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties ?? {})
      .filter(([name]) => change.withOptional !== false || required.has(name))
      .map(([name, member]): [string, unknown] => {
        const isNulled = change.nullAtDepth === depth && !FIXED.has(name);
        return [name, isNulled ? null : this.of(member, change, choose, depth + 1, name)];
      });
    // What belongs to callers and to policies may have any members anyway.
    const isClosed = schema.additionalProperties === false;
    const added =
      change.withUnknownMembers === true && isClosed ? [['a_newer_member', { newer: [null] }] as const] : [];
    return Object.fromEntries([...members, ...added]);
  }
}

const countOf = (body: unknown): number => JSON.stringify(body).split(UNKNOWN_VALUE).length - 1;

/** The most variants that a union of an answer has; of one that has fewer, the last is taken again. */
const MOST_VARIANTS = 3;

/** Every answer with JSON that an operation may give in a later version. Equal ones are there once. */
export function newerAnswers(operation: string, { paths, components }: Description): readonly NewerAnswer[] {
  const [method = '', path = ''] = operation.split(' ');
  const described = paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`the description has no ${operation}`);
  const answers = Object.entries(described.responses).flatMap(([status, given]) => {
    const response = given.$ref === undefined ? given : components.responses[given.$ref.split('/').pop() ?? ''];
    const schema = response?.content?.['application/json']?.schema;
    if (!status.startsWith('2') || schema === undefined) return [];
    const values = new Values(components.schemas);
    return Array.from({ length: MOST_VARIANTS }, (_, choose) => {
      const build = (change: Change): NewerAnswer => {
        const body = consistent(values.of(schema, change, choose));
        return { change: change.name, status: Number(status), body, unknownValues: countOf(body) };
      };
      const plain = CHANGES.map(build);
      const nulls = Array.from({ length: values.deepest + 1 }, (__, nullAtDepth) =>
        build({ name: `null for every member at depth ${nullAtDepth}`, nullAtDepth }),
      );
      return [...plain, ...nulls];
    }).flat();
  });
  return [...new Map(answers.map((one) => [JSON.stringify([one.status, one.body]), one])).values()];
}

/** `allowed` as the verdict says it. */
function consistent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(consistent);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, consistent(member)]);
  const isAllowed = 'allowed' in value && 'verdict' in value && 'decision_id' in value && value.verdict === 'ALLOW';
  return { ...Object.fromEntries(members), ...(isAllowed ? { allowed: true } : {}) };
}
