// Validators of schemas whose equal parts are definitions: they find what validators of the schemas themselves find.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import type { TSchema } from 'typebox';
import { AttributesSchema } from '../../shared/core/attributes/schema.ts';
import { LexiconSchema } from '../../shared/core/intent/lexicon/schema.ts';
import { ajvOptions } from '../../shared/kernel/compile-schema.ts';
import { withSharedParts } from '../../shared/kernel/shared-parts.ts';
import { lexiconFile, smallLexicon } from '../support/lexicon.ts';

type Json = Record<string, unknown>;

const found = (errors: readonly ErrorObject[] | null | undefined): string[] =>
  (errors ?? []).map(({ instancePath, keyword, message, params, parentSchema }) => {
    const members = Object.keys((parentSchema?.['properties'] ?? parentSchema?.['patternProperties'] ?? {}) as Json);
    return `${instancePath} ${keyword} ${message} ${JSON.stringify(params)} ${members.join()}`;
  });

const WRONG: readonly unknown[] = [null, 7, 'NO Word', [], ['twice', 'twice'], [7], {}, { 'No Name': ['x'] }];

/** Copies of a document, each with one wrong value down to this depth. In a list, only in its first item. */
function* spoilt(value: unknown, depth: number): Generator {
  yield* WRONG;
  if (depth === 0 || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const wrong of value.length > 0 ? spoilt(value[0], depth - 1) : []) yield [wrong, ...value.slice(1, 3)];
    return;
  }
  yield { ...value, stranger: 1 };
  for (const [name, member] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    for (const wrong of spoilt(member, depth - 1)) yield { ...value, [name]: wrong };
  }
}

/** Every word of the shipped lexicon, with at most two items in each list and two members of each map of words. */
function shortened(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.slice(0, 2).map((item) => shortened(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shortened(member, depth + 1)]);
  return Object.fromEntries(depth > 0 ? members.slice(0, 6) : members);
}

const DOCUMENTS: readonly (readonly [what: string, schema: TSchema, document: unknown, depth: number])[] = [
  ['lexicons', LexiconSchema, shortened(JSON.parse(lexiconFile().text)), 3],
  ['attributes', AttributesSchema, { subject: { team: { type: 'string', description: 'x' } } }, 4],
];

describe('a schema whose equal parts are definitions', () => {
  for (const [what, schema, document, depth] of DOCUMENTS)
    it(`finds the same in ${what}: the same errors with the same places, in the same order`, () => {
      const plain = new Ajv2020({ ...ajvOptions(true), inlineRefs: true }).compile(schema);
      const shared = withSharedParts(schema);
      expect(Object.keys((shared as unknown as Json)['$defs'] as Json)).to.not.deep.equal([]);
      const validate = new Ajv2020(ajvOptions(true)).compile(shared);
      expect(validate(document)).to.equal(plain(document));
      let invalid = 0;
      for (const wrong of spoilt(document, depth)) {
        const isValid = plain(wrong);
        expect(validate(wrong)).to.equal(isValid);
        if (isValid) continue;
        invalid += 1;
        expect(found(validate.errors)).to.deep.equal(found(plain.errors));
      }
      expect(invalid).to.be.above(40);
    });

  it('has less than half of the text of the lexicon schema, and is valid for the words of tests', () => {
    const shared = withSharedParts(LexiconSchema);
    expect(JSON.stringify(shared).length).to.be.below(JSON.stringify(LexiconSchema).length / 2);
    expect(new Ajv2020(ajvOptions(true)).compile(shared)(JSON.parse(smallLexicon().text))).to.equal(true);
  });

  it('is the schema itself where nothing occurs twice', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    } as unknown as TSchema;
    expect(withSharedParts(schema)).to.equal(schema);
  });

  it('keeps the alternatives of anyOf and oneOf in place, because the path of an error names them', () => {
    const list = {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 64 },
      minItems: 1,
    };
    const schema = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, list] }, b: list, c: { ...list, description: 'The same list.' } },
    } as unknown as TSchema;
    const shared = withSharedParts(schema) as unknown as { properties: Json; $defs: Json };
    expect(shared.properties).to.deep.equal({
      a: { anyOf: [{ type: 'string' }, list] },
      b: { $ref: '#/$defs/part0' },
      c: { $ref: '#/$defs/part0' },
    });
    expect(shared.$defs).to.deep.equal({ part0: list });
  });
});
