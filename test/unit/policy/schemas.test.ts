// The published schemas: valid, served, and referenced for editors; every member has a description and valid examples.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { docsRoutes } from '../../../ingress/routes/docs.ts';
import { publishedLexiconSchema } from '../../../shared/core/intent/lexicon/schema.ts';
import { publishedPolicySchema } from '../../../shared/core/policy/schema-editors.ts';
import { PolicyTestSchema } from '../../../shared/core/policy/testing/schema.ts';
import { ToolCatalogueSchema } from '../../../shared/core/tools/schema.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';

const ROOT = findRoot();

type Json = Readonly<Record<string, unknown>>;

const SCHEMAS: Readonly<Record<string, { readonly schema: object; readonly title: string }>> = {
  policy: { schema: publishedPolicySchema(), title: 'Custos policy' },
  'policy-test': { schema: PolicyTestSchema, title: 'Custos policy test' },
  tools: { schema: ToolCatalogueSchema, title: 'Custos tool catalogue' },
  lexicon: { schema: publishedLexiconSchema(), title: 'Custos lexicon' },
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The schemas of a keyword with one schema or a list of them, each with its pointer. */
function schemasAt(schema: Json, keyword: string, at: string): [Json, string][] {
  const value: unknown = schema[keyword];
  const place = `${at}/${keyword}`;
  if (Array.isArray(value)) return value.flatMap((one: unknown, i) => (isObject(one) ? [[one, `${place}/${i}`]] : []));
  return isObject(value) ? [[value, place]] : [];
}

interface Member {
  /** `/$defs/agent/properties/score` */
  readonly at: string;
  readonly schema: Json;
}

/** Every member that the schema describes. A branch that only narrows a member described elsewhere describes none. */
function membersOf(root: Json): Member[] {
  const members: Member[] = [];
  const walk = (schema: Json, at: string, described: ReadonlySet<string>): void => {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const here = new Set([...described, ...Object.keys(properties)]);
    for (const [name, member] of Object.entries(properties)) {
      const place = `${at}/properties/${name}`;
      // `true` and `false` permit or forbid a member that another branch describes.
      if (!isObject(member)) continue;
      if (!described.has(name)) members.push({ at: place, schema: member });
      walk(member, place, new Set());
    }
    const patterns = isObject(schema['patternProperties']) ? schema['patternProperties'] : {};
    for (const pattern of Object.keys(patterns))
      for (const [below, place] of schemasAt(patterns, pattern, `${at}/patternProperties`))
        walk(below, place, new Set());
    for (const keyword of ['items', 'additionalProperties'])
      for (const [below, place] of schemasAt(schema, keyword, at)) walk(below, place, new Set());
    for (const keyword of ['then', 'else', 'allOf', 'anyOf', 'oneOf'])
      for (const [branch, place] of schemasAt(schema, keyword, at)) walk(branch, place, here);
  };
  walk(root, '', new Set());
  for (const [name, schema] of Object.entries(isObject(root['$defs']) ? root['$defs'] : {}))
    if (isObject(schema)) walk(schema, `/$defs/${name}`, new Set());
  return members;
}

/** The keyword of a member, else of the definition it refers to. */
function keywordOf(root: Json, schema: Json, keyword: string): unknown {
  if (keyword in schema) return schema[keyword];
  const name = /^#\/\$defs\/(\w+)$/.exec(String(schema['$ref']))?.[1];
  const target = name === undefined || !isObject(root['$defs']) ? undefined : root['$defs'][name];
  return isObject(target) ? target[keyword] : undefined;
}

describe('published schemas', () => {
  for (const [name, { schema, title }] of Object.entries(SCHEMAS)) {
    const root = JSON.parse(JSON.stringify(schema)) as Json;
    const members = membersOf(root);

    it(`${name}: has the stable id that editors use`, () => {
      expect(root).to.include({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `https://custos.dev/schemas/${name}.json`,
        title,
      });
    });

    // Commands rely on it in order to start faster (shared/kernel/compile-schema.ts).
    it(`${name}: is itself a valid schema`, () => {
      const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
      expect(ajv.validateSchema(root), ajv.errorsText()).to.equal(true);
      ajv.compile(root);
    });

    it(`${name}: is served as a JSON Schema`, async () => {
      const routes = docsRoutes({ document: () => '', schemaDir: path.join(ROOT, 'policies', 'schema') });
      const route = routes.find((one) => one.path === '/schemas/{file}');
      const reply = await route?.handler({ params: { file: `${name}.json` } } as never);
      expect(reply).to.include({ status: 200, contentType: 'application/schema+json' });
      expect(JSON.parse(reply?.text ?? '')).to.deep.equal(root);
    });

    it(`${name}: every member has a description and examples`, () => {
      expect(members.length).to.be.above(10);
      const lacking = members.flatMap((member) => {
        const description = keywordOf(root, member.schema, 'description');
        const examples = keywordOf(root, member.schema, 'examples');
        const isDescribed = typeof description === 'string' && description.length > 5;
        const isShown = Array.isArray(examples) && examples.length > 0;
        return isDescribed && isShown
          ? []
          : [`${member.at}${isDescribed ? '' : ' description'}${isShown ? '' : ' examples'}`];
      });
      expect(lacking).to.deep.equal([]);
    });

    it(`${name}: every example is valid`, () => {
      const ajv = new Ajv2020({ strict: false, allErrors: true });
      ajv.addSchema({ ...root, $id: 'under-test' });
      const wrong = [{ at: '', schema: root }, ...members].flatMap(({ at, schema: member }) => {
        const examples = at === '' ? root['examples'] : keywordOf(root, member, 'examples');
        const validate = ajv.compile({ $ref: `under-test#${encodeURI(at)}` });
        return (Array.isArray(examples) ? examples : []).flatMap((example: unknown) =>
          validate(example) ? [] : [`${at} ${JSON.stringify(example)}: ${ajv.errorsText(validate.errors)}`],
        );
      });
      expect(wrong).to.deep.equal([]);
    });
  }

  it('are referenced by every shipped file, so that editors validate it', () => {
    const folder = path.join(ROOT, 'policies');
    for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!entry.endsWith('.json') || entry.startsWith('schema')) continue;
      const { $schema } = JSON.parse(readFileSync(path.join(folder, entry), 'utf8')) as { $schema?: string };
      const named = path.join(path.dirname(entry), $schema ?? '');
      const [first = ''] = entry.split(path.sep);
      const kind =
        { lexicon: 'lexicon', 'authzen.json': 'authzen', tests: 'policy-test', tools: 'tools' }[first] ?? 'policy';
      expect(named, entry).to.equal(path.join('schema', `${kind}.schema.json`));
    }
  });

  it('are named in the settings of the editor, for each kind of file', () => {
    const settings = JSON.parse(readFileSync(path.join(ROOT, '.vscode', 'settings.json'), 'utf8')) as {
      'json.schemas': { fileMatch: string[]; url: string }[];
    };
    const named = settings['json.schemas'].map(({ url }) => url);
    expect(named).to.have.lengthOf(5);
    for (const url of named) expect(JSON.parse(readFileSync(path.join(ROOT, url), 'utf8'))).to.have.property('$id');
    const matched = settings['json.schemas'].flatMap(({ fileMatch }) => fileMatch);
    for (const pattern of [
      'policies/**/*.json',
      'policies/tests/**/*.json',
      'policies/tools/**/*.json',
      'policies/lexicon/**/*.json',
      'policies/authzen.json',
    ])
      expect(matched).to.include(pattern);
  });
});
