// The published schema: what an editor offers for facts, paths, operators and values, and that nothing valid is refused by it.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { OPERATORS, usableOn } from '../../../shared/core/policy/operators.ts';
import { publishedPolicySchema } from '../../../shared/core/policy/schema-editors.ts';
import { PolicySchema } from '../../../shared/core/policy/schema.ts';
import { FACT_NAMES, VOCABULARY } from '../../../shared/core/policy/vocabulary.ts';
import { memberOf } from '../../../shared/kernel/json.ts';
import { CASES } from './lint-cases.ts';
import { shippedPolicies } from './support.ts';

const published = publishedPolicySchema();
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
const accepts = ajv.compile(published);
const definitions = memberOf(published, '$defs');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const tests = new Map<unknown, (value: unknown) => boolean>();
function holds(test: unknown, value: unknown): boolean {
  const known = tests.get(test);
  if (known !== undefined) return known(value);
  const compiled = ajv.compile({ $defs: definitions, allOf: [test] });
  const check = (one: unknown): boolean => compiled(one);
  tests.set(test, check);
  return check(value);
}

interface Offer {
  readonly value: unknown;
  readonly description: unknown;
}

/** The constants and closed lists of a schema, with those of its references and alternatives. */
function offersOf(schema: unknown): Offer[] {
  const ref = memberOf(schema, '$ref');
  return [
    ...(typeof ref === 'string' ? offersOf(memberOf(definitions, ref.slice('#/$defs/'.length))) : []),
    ...(memberOf(schema, 'const') === undefined
      ? []
      : [{ value: memberOf(schema, 'const'), description: memberOf(schema, 'description') }]),
    ...listOf(memberOf(schema, 'enum')).map((value) => ({ value, description: undefined })),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => listOf(memberOf(schema, keyword)).flatMap(offersOf)),
  ];
}

/** What an editor offers for a member of an incomplete comparison: as vscode-json-languageservice, from each schema that applies. */
function completions(comparison: object, name: string): Offer[] {
  const condition = memberOf(definitions, 'condition');
  const applying = listOf(memberOf(condition, 'allOf')).flatMap((part) => {
    const test = memberOf(part, 'if');
    if (test === undefined) return [part];
    // Editors merge the schemas of the test, too.
    return [test, memberOf(part, holds(test, comparison) ? 'then' : 'else')];
  });
  return [condition, ...applying].flatMap((schema) => offersOf(memberOf(memberOf(schema, 'properties'), name)));
}
const valuesOf = (offers: readonly Offer[]): unknown[] => [...new Set(offers.map(({ value }) => value))].sort();

describe('the published schema of policies', () => {
  it('is small enough for an editor to fetch', () => {
    expect(JSON.stringify(published).length).to.be.below(90_000);
  });

  it('offers every fact, with a description', () => {
    const offers = completions({}, 'fact');
    expect(valuesOf(offers)).to.deep.equal([...FACT_NAMES].sort());
    for (const fact of FACT_NAMES)
      expect(
        offers.some(({ value, description }) => value === fact && typeof description === 'string'),
        fact,
      ).to.equal(true);
  });

  for (const fact of FACT_NAMES)
    it(`offers the paths of ${fact}, each with a description`, () => {
      const entries = VOCABULARY.filter((entry) => entry.fact === fact && entry.path !== undefined);
      const offers = completions({ fact }, 'path');
      expect(valuesOf(offers)).to.deep.equal(entries.map(({ path }) => path).sort());
      for (const { path, description } of entries)
        expect(offers.find((offer) => offer.value === path && offer.description !== undefined)?.description).to.contain(
          description,
        );
    });

  it('offers for each path exactly the operators that a check accepts on it, and all of them on other paths', () => {
    for (const entry of VOCABULARY) {
      const { fact, path } = entry;
      const comparison = path === undefined ? { fact } : { fact, path };
      const usable = usableOn(entry).map(({ name }) => name);
      expect(valuesOf(completions(comparison, 'operator')), `${fact}.${path}`).to.deep.equal(usable.sort());
    }
    expect(valuesOf(completions({ fact: 'context', path: 'ticket' }, 'operator'))).to.deep.equal(
      [...OPERATORS.keys()].sort(),
    );
  });

  it('offers the values of closed lists', () => {
    for (const { fact, path, values } of VOCABULARY) {
      if (values === undefined) continue;
      const comparison = { fact, ...(path === undefined ? {} : { path }), operator: 'equal' };
      expect(valuesOf(completions(comparison, 'value')), `${fact}.${path}`).to.deep.equal([...values].sort());
    }
  });

  it('accepts the shipped policies and those of the linter, and the examples of the schema', () => {
    const documents: unknown[] = [
      ...shippedPolicies(),
      ...CASES.flatMap(({ policies }) => policies),
      ...listOf(memberOf(PolicySchema, 'examples')),
    ];
    for (const document of documents)
      expect(accepts(document), JSON.stringify([accepts.errors?.[0], document])).to.equal(true);
  });

  it('refuses an operator that can not be used on a path', () => {
    const [shipped] = structuredClone(shippedPolicies());
    const rules = memberOf(shipped, 'rules');
    Reflect.set(listOf(rules)[0] ?? {}, 'conditions', {
      all: [{ fact: 'trust', path: 'level', operator: 'startsWith', value: 'a' }],
    });
    expect(accepts(shipped)).to.equal(false);
  });
});
