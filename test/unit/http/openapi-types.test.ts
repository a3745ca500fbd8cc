// docs/openapi.json for generators of clients: its size, and the types that openapi-typescript makes of it.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { generateTypes, typeErrors } from '../../support/client-types.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: object;
  readonly required?: readonly string[];
}
interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}
interface Parameter {
  /** Of a shared parameter, which has no other members here. */
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Record<string, Content> }>;
}

/** The required parameters of an operation, each with a value of its type. */
function parametersOf(parameters: readonly Parameter[]): object {
  const of = (place: 'path' | 'query') => {
    const required = parameters.filter((parameter) => parameter.in === place && parameter.required === true);
    return required.map(({ name, schema }) => [name, schema?.type === 'integer' ? 7 : 'agent-7'] as const);
  };
  const [inPath, inQuery] = [of('path'), of('query')];
  return {
    ...(inPath.length === 0 ? {} : { path: Object.fromEntries(inPath) }),
    ...(inQuery.length === 0 ? {} : { query: Object.fromEntries(inQuery) }),
  };
}

/** The required parameters of an operation, its example of a request, and those of answers, as constants of its types. */
function useOf({ operationId: id, parameters, requestBody, responses }: Operation): string[] {
  const type = `operations['${id}']`;
  const lines = [`export const ${id}Parameters: ${type}['parameters'] = ${JSON.stringify(parametersOf(parameters))};`];
  for (const [media, { example }] of Object.entries(requestBody?.content ?? {}))
    lines.push(
      `export const ${id}Request: NonNullable<${type}['requestBody']>['content']['${media}'] = ${JSON.stringify(example)};`,
    );
  for (const [status, { content = {} }] of Object.entries(responses))
    for (const [media, { example }] of Object.entries(content))
      if (example !== undefined)
        lines.push(
          `export const ${id}Answer${status}: ${type}['responses'][${status}]['content']['${media}'] = ${JSON.stringify(example)};`,
        );
  return lines;
}

/** What readers of answers do: tell the shapes of a union apart, and read members of free-form objects. */
const READERS = `
type Answer = operations['enforce']['responses'][200]['content']['application/json'];
export const idOf = (answer: Answer): string | undefined => ('dry_run' in answer ? undefined : answer.decision_id);
type Member = operations['enforceBatch']['responses'][200]['content']['application/json']['decisions'][number];
export const codeOf = (member: Member): string => ('error' in member ? member.error.code : member.verdict);
type Signals = operations['sendTrustSignals']['requestBody']['content']['application/json'];
export const one: Signals = { agentId: 'agent-7', type: 'success', evidence: { run: 7 } };
export const many: Signals = { signals: [{ agentId: 'agent-7', type: 'success' }] };
// @ts-expect-error -- neither a signal nor a batch
export const neither: Signals = { agentId: 'agent-7' };
type Agent = operations['getAgent']['responses'][200]['content']['application/json'];
export const teamOf = (agent: Agent): unknown => agent.metadata?.['team'];
type Refusal = operations['enforce']['responses'][400]['content']['application/problem+json'];
export const pointersOf = (refusal: Refusal): string[] => (refusal.errors ?? []).map(({ pointer }) => pointer);
`;

/** Tools for agents read the document into their context. */
const SERVED_LIMIT_BYTES = 250_000;

describe('the description of the whole service, for generators of clients', () => {
  // The drift check keeps the file equal to the document that is served.
  const document = JSON.parse(readFileSync(path.join(findRoot(), 'docs', 'openapi.json'), 'utf8')) as {
    readonly paths: Record<string, Record<string, Operation>>;
    readonly components: {
      readonly schemas: Record<string, Schema>;
      readonly parameters: Record<string, Parameter>;
    };
  };
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const parametersByName = document.components.parameters;
  const operations = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => ({
      ...operation,
      parameters: operation.parameters.map((one) => parametersByName[one.$ref?.split('/').at(-1) ?? ''] ?? one),
    }));

  it(`is served in less than ${SERVED_LIMIT_BYTES} bytes`, () => {
    expect(Buffer.byteLength(JSON.stringify(document))).to.be.below(SERVED_LIMIT_BYTES);
  });

  it('has lists as pages: items with the cursor of the next page, and no bare arrays', () => {
    for (const { operationId, responses } of operations) {
      const schemas = Object.values(responses).map(({ content }) => content?.['application/json']?.schema);
      const answers = schemas.filter((schema) => schema !== undefined).map(resolved);
      for (const { type, properties = {}, required } of answers) {
        expect(type, operationId).not.to.equal('array');
        if ('items' in properties) expect(required, operationId).to.include.members(['items', 'nextCursor']);
      }
      if (operationId.startsWith('list'))
        expect(answers.map(({ properties = {} }) => 'items' in properties)).to.deep.equal([true]);
    }
  });

  it('has lists whose pages the caller limits, except the few that come whole', () => {
    const lists = operations.filter(({ responses }) =>
      Object.values(responses).some(({ content }) => {
        const schema = content?.['application/json']?.schema;
        return schema !== undefined && 'nextCursor' in (resolved(schema).properties ?? {});
      }),
    );
    const limitOf = ({ parameters }: (typeof lists)[number]): Schema | undefined => {
      const schema = parameters.find(({ name }) => name === 'limit')?.schema;
      return schema && resolved(schema);
    };
    const paged = lists.filter((list) => limitOf(list) !== undefined);
    for (const list of paged) {
      expect(limitOf(list), list.operationId).to.include({ minimum: 1, maximum: 200, default: 50 });
      expect(list.parameters.map(({ name }) => name)).to.include('cursor');
    }
    // A page of the keys of a log would hide the others from those who verify with them.
    const whole = lists.filter((list) => !paged.includes(list)).map(({ operationId }) => operationId);
    expect(whole.sort()).to.deep.equal([
      'listErrors',
      'listLogKeys',
      'listPolicyStages',
      'listRateLimits',
      'listScopes',
      'listTiers',
      'listWebhooks',
    ]);
  });

  it('becomes types that compile in strict mode, with one use of every operation', async () => {
    const { folder, file } = await generateTypes(document);
    const types = readFileSync(file, 'utf8');
    // How it writes an object whose members are not described: nothing could be assigned to it.
    expect(types.match(/^.*: Record<string, never>.*$/gm)).to.equal(null);
    const uses = operations.flatMap(useOf);
    const program = [`import type { operations } from './types.d.ts';`, ...uses, READERS].join('\n');
    expect(await typeErrors(folder, program)).to.equal('');
  });
});
