// The layout of `custos policy fmt`: idempotent, in the order of the schema, and without an effect on the value.
import { expect } from 'chai';
import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { schemaOf } from '../../../cli/policy/fmt.ts';
import { formatted } from '../../../cli/policy/layout.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { PolicySchema } from '../../../shared/core/policy/schema.ts';
import { parseJson } from '../../../shared/kernel/json.ts';
import { findRoot } from '../../../shared/platform/config/root.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { compileLexicon, filesOf, LEXICON, policy } from '../policy/support.ts';

function isReadable(text: string): boolean {
  try {
    return parseJson(text) !== undefined;
  } catch {
    return false;
  }
}

describe('the layout of policy files', () => {
  it('keeps any value, and a second time changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        // Integers beyond 2^53-1 are no policy's.
        fc.pre(isReadable(text));
        const once = formatted(text, PolicySchema);
        expect(canonicalize(JSON.parse(once))).to.equal(canonicalize(JSON.parse(text)));
        expect(formatted(once, PolicySchema)).to.equal(once);
      }),
      { numRuns: 200 },
    );
  });

  it('puts members into the order of the schema at every depth, and never the items of a list', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, reversed(member)]),
      );
    };
    const files = filesOf([policy('a', 'ALLOW'), policy('b', 'DENY')]);
    const mixed = files.map((file) => ({ ...file, text: JSON.stringify(reversed(JSON.parse(file.text))) }));
    const tidy = mixed.map((file) => ({ ...file, text: formatted(file.text, PolicySchema) }));
    expect(tidy.map(({ text }) => text)).to.deep.equal(files.map(({ text }) => formatted(text, PolicySchema)));
    expect(Object.keys(JSON.parse(tidy[0]?.text ?? ''))).to.deep.equal([
      'id',
      'description',
      'stage',
      'target',
      'rules',
    ]);
    const digests = [files, mixed, tidy].map((some) => {
      const loaded = loadPolicySet(some, LEXICON, { compileLexicon });
      return loaded.ok ? loaded.set.digest : undefined;
    });
    expect(digests[0]).to.be.a('string');
    expect(new Set(digests).size).to.equal(1);
  });

  for (const [name, text, expected] of [
    ['invisible characters stay escaped', '{"id":"a\\u202e\\u200b"}', '{\n  "id": "a\\u202e\\u200b"\n}\n'],
    ['numbers keep their value', '{"n":1e3,"m":-0.50}', '{\n  "n": 1000,\n  "m": -0.5\n}\n'],
    ['a number whose usual notation is refused is left alone', '{"n":1e17}', '{"n":1e17}'],
    ['a member __proto__ stays a member', '{"__proto__":{"a":1}}', '{\n  "__proto__": { "a": 1 }\n}\n'],
  ] as const)
    it(name, () => expect(formatted(text, {})).to.equal(expected));

  it('knows the schema of each kind of file by its place, and of a new kind by the name of its schema', () => {
    const known = new Map(
      ['policy', 'policy-test', 'tools', 'lexicon', 'resource', 'novelty'].map((kind) => [kind, kind]),
    );
    const kinds = {
      'a.json': 'policy',
      'team/a.json': 'policy',
      'lexicon.json': 'lexicon',
      'novelty.json': 'novelty',
      'tests/lexicon.json': 'policy-test',
      'tests/tools/a.json': 'policy-test',
      'tools/a.json': 'tools',
      'resources/a.json': 'resource',
    };
    for (const [name, kind] of Object.entries(kinds))
      expect(schemaOf(path.normalize(name), known), name).to.equal(kind);
  });

  it('leaves alone what is no JSON', () => {
    expect(() => formatted('{ "id": }', {})).to.throw('unexpected character at line 1, column 9');
  });

  it('the shipped policies have it', () => {
    const dir = path.join(findRoot(), 'policies');
    const schemas = new Map(
      readdirSync(path.join(dir, 'schema')).map((name) => [
        name.replace('.schema.json', ''),
        JSON.parse(readFileSync(path.join(dir, 'schema', name), 'utf8')) as unknown,
      ]),
    );
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.json') || name.startsWith('schema')) continue;
      const text = readFileSync(path.join(dir, name), 'utf8');
      expect(formatted(text, schemaOf(name, schemas)), `${name}: run "custos policy fmt"`).to.equal(text);
    }
  });
});
