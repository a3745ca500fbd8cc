// docs/openapi.json for readers: every tag, operation, parameter, member and example is described.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../../../shared/platform/config/root.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
interface Content {
  readonly schema: Schema;
}
interface Named {
  readonly name?: string;
  readonly $ref?: string;
  readonly summary?: string;
  readonly description?: string;
}
interface Operation extends Named {
  readonly operationId: string;
  readonly parameters: readonly Named[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly content?: Record<string, Content> }>;
}
interface Document {
  readonly tags: readonly Named[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, Schema>;
    readonly parameters: Record<string, Named>;
    readonly headers: Record<string, Named>;
  };
}

describe('the description of the whole service, for readers', () => {
  const text = readFileSync(path.join(findRoot(), 'docs', 'openapi.json'), 'utf8');
  const { tags, paths, components } = JSON.parse(text) as Document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

  /** Whether a schema says what it is: itself, the component it refers to, its items, or the branches of its union. */
  const isDescribed = ({ description, $ref: ref, items, anyOf = [] }: Schema): boolean => {
    if (description !== undefined) return true;
    const branches = anyOf.filter(({ type }) => type !== 'null');
    return (
      [ref === undefined ? undefined : components.schemas[ref.split('/').at(-1) ?? ''], items].some(
        (other) => other !== undefined && isDescribed(other),
      ) ||
      (branches.length > 0 && branches.every(isDescribed))
    );
  };
  /** The members of a schema and of its parts that have no description, each with the way to it. */
  const undescribed = ({ properties = {}, items, anyOf = [] }: Schema, at: string): string[] => [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(isDescribed(member) ? [] : [`${at}.${name}`]),
      ...undescribed(member, `${at}.${name}`),
    ]),
    ...(items === undefined ? [] : undescribed(items, `${at}[]`)),
    ...anyOf.flatMap((branch) => undescribed(branch, at)),
  ];

  it('describes every member of every schema', () => {
    const inline = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) =>
        Object.values(part?.content ?? {}).flatMap(({ schema }) => undescribed(schema, operationId)),
      ),
    );
    const shared = Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name));
    expect([...shared, ...inline]).to.deep.equal([]);
  });

  it('describes every tag, operation, parameter and header', () => {
    const parts: (readonly [string, Named])[] = [
      ...tags.map((tag) => [`tag ${tag.name}`, tag] as const),
      ...Object.entries({ ...components.parameters, ...components.headers }),
      ...operations.flatMap(({ operationId, parameters }) =>
        parameters.flatMap((one) => (one.$ref === undefined ? [[`${operationId} ${one.name}`, one] as const] : [])),
      ),
    ];
    expect(parts.flatMap(([name, { description }]) => (description === undefined ? [name] : []))).to.deep.equal([]);
    // The access to an operation, which is added to every description, does not say what it is for.
    const access = /^(?:No key is needed|Any valid key|Scope: [^.]*)\.$/;
    const bare = operations.filter(
      ({ summary, description = '' }) => summary === undefined || access.test(description),
    );
    expect(bare.map(({ operationId }) => operationId)).to.deep.equal([]);
  });
});
