// The published schemas in an editor: every member has a description and valid examples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { docsRoutes } from '../../../ingress/routes/docs.ts';
import { LexiconSchema } from '../../../shared/core/intent/lexicon/schema.ts';
import { POLICY_SCHEMA_ID, policySchemaText } from '../../../shared/core/policy/schema.ts';
import { POLICY_TEST_SCHEMA_ID, policyTestSchemaText } from '../../../shared/core/policy/testing/schema.ts';
import { TOOLS_SCHEMA_ID, toolsSchemaText } from '../../../shared/core/tools/schema.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

interface Node {
  readonly [keyword: string]: unknown;
}
interface Member {
  readonly pointer: string;
  readonly schema: Node;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const token = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** A member together with the target of its `$ref`, as editors show it. */
function whole(schema: Node, member: Node): Node {
  const ref = member['$ref'];
  if (typeof ref !== 'string') return member;
  const defs = schema['$defs'];
  const target = isNode(defs) ? defs[ref.slice('#/$defs/'.length)] : undefined;
  return isNode(target) ? { ...target, ...member } : member;
}

/** Every member that a schema describes, at any depth, without mere repetitions of a member (`true`, `const`). */
function membersOf(schema: unknown, pointer = ''): Member[] {
  if (Array.isArray(schema)) return schema.flatMap((part, i) => membersOf(part, `${pointer}/${i}`));
  if (!isNode(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'examples' || keyword === 'enum' || keyword === 'const' || keyword === 'if') return [];
    const at = `${pointer}/${token(keyword)}`;
    if (keyword !== 'properties' || !isNode(value)) return membersOf(value, at);
    return Object.entries(value).flatMap(([name, member]) => {
      const below = membersOf(member, `${at}/${token(name)}`);
      const isDescribed =
        isNode(member) && ('type' in member || '$ref' in member || 'anyOf' in member || 'description' in member);
      return isDescribed ? [{ pointer: `${at}/${token(name)}`, schema: member }, ...below] : below;
    });
  });
}

const SCHEMAS: Readonly<Record<string, { readonly text: string; readonly id: string }>> = {
  policy: { text: policySchemaText(), id: POLICY_SCHEMA_ID },
  'policy-test': { text: policyTestSchemaText(), id: POLICY_TEST_SCHEMA_ID },
  tools: { text: toolsSchemaText(), id: TOOLS_SCHEMA_ID },
  lexicon: { text: JSON.stringify(LexiconSchema), id: 'https://custos.dev/schemas/lexicon.json' },
};

for (const [name, { text, id }] of Object.entries(SCHEMAS))
  describe(`the schema of ${name} files`, () => {
    // The text of a JSON Schema.
    const schema = JSON.parse(text) as Node;
    const members = membersOf(schema).map(({ pointer, schema: member }) => ({
      pointer,
      schema: whole(schema, member),
    }));

    it('has the id of its URL, and is valid draft 2020-12', () => {
      expect(schema['$id']).to.equal(id);
      expect(id).to.match(new RegExp(`/schemas/${name}\\.json$`));
      const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
      expect(ajv.validateSchema(schema)).to.equal(true);
    });

    it('is served as a JSON Schema, as it stands in policies/schema', async () => {
      const routes = docsRoutes({ document: () => '', schemaDir: join(findRoot(), 'policies', 'schema') });
      const route = routes.find(({ path }) => path === `/schemas/${name}.json`);
      const reply = await route?.handler({} as never);
      expect(reply).to.include({ status: 200, contentType: 'application/schema+json' });
      expect(JSON.parse(reply?.text ?? '')).to.have.property('$id', id);
    });

    it('describes every member and gives examples', () => {
      expect(members.length).to.be.at.least(15);
      const bare = members.filter(({ schema: one }) => !('description' in one) || !('examples' in one));
      expect(bare.map(({ pointer }) => pointer)).to.deep.equal([]);
    });

    it('has only examples that it accepts itself', () => {
      const ajv = new Ajv2020({ strict: false, allErrors: true });
      ajv.addSchema(schema);
      for (const { pointer, schema: one } of members) {
        const validate = ajv.getSchema(`${id}#${encodeURI(pointer)}`);
        expect(validate, pointer).to.not.equal(undefined);
        const examples = one['examples'] as unknown[];
        expect(examples, pointer).to.not.have.lengthOf(0);
        for (const example of examples)
          expect(
            validate?.(example),
            `${pointer} ${JSON.stringify(example)} ${JSON.stringify(validate?.errors)}`,
          ).to.equal(true);
      }
    });
  });

describe('the settings of the editor', () => {
  it('name an existing schema for each kind of file', () => {
    const root = findRoot();
    const settings = JSON.parse(readFileSync(join(root, '.vscode', 'settings.json'), 'utf8')) as {
      'json.schemas': { fileMatch: string[]; url: string }[];
    };
    const named = settings['json.schemas'].map(({ url }) => url);
    expect(named).to.have.lengthOf(4);
    for (const url of named) expect(JSON.parse(readFileSync(join(root, url), 'utf8'))).to.have.property('$id');
    const matched = settings['json.schemas'].flatMap(({ fileMatch }) => fileMatch);
    for (const pattern of [
      'policies/**/*.json',
      'policies/tests/**/*.json',
      'policies/tools/**/*.json',
      'policies/lexicon.json',
    ])
      expect(matched).to.include(pattern);
  });
});
