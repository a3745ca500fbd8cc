// Messages for values that a schema refuses: pointers and sentences, also for unions.
import { expect } from 'chai';
import { type TSchema, Type } from 'typebox';
import { fieldErrors } from '../../../ingress/request/field-errors.ts';
import { compile, plainSchema } from '../../../ingress/request/schema.ts';
import { Nullable } from '../../../shared/api/common.ts';

const closed = { additionalProperties: false };
const Signal = Type.Object({ agentId: Type.String(), type: Type.String() }, { $id: 'Signal', ...closed });
const Signals = Type.Object({ signals: Type.Array(Signal, { minItems: 1 }) }, closed);

const cases: [string, TSchema, unknown, string[]][] = [
  ['a missing member', Type.Object({ 'a/b': Type.String() }), {}, ['/a~1b is required']],
  ['an unknown member', Type.Object({}, closed), { 'x~y': 1 }, ['/x~0y is not known here']],
  ['a wrong type at the top', Type.Object({}), [], [' must be an object']],
  ['a union of words', Type.Union([Type.Literal('a'), Type.Literal('b')]), 'c', [' must be one of "a", "b"']],
  ['a value or null', Type.Object({ a: Nullable(Type.Integer()) }), { a: 'x' }, ['/a must be an integer or null']],
  [
    'a value or null, too small',
    Type.Object({ a: Nullable(Type.Integer({ minimum: 3 })) }),
    { a: 1 },
    ['/a must be at least 3'],
  ],
  ['a list that is too long', Type.Array(Type.Integer(), { maxItems: 1 }), [1, 2], [' must have at most 1 item']],
  ['text that is too long', Type.String({ maxLength: 2 }), 'abc', [' must have at most 2 characters']],
  ['empty text', Type.String({ minLength: 1 }), '', [' must not be empty']],
  [
    'an item twice',
    Type.Array(Type.Integer(), { uniqueItems: true }),
    [1, 2, 1],
    [' must not hold the same item twice (0 and 2)'],
  ],
  ['too few members', Type.Object({}, { minProperties: 1 }), {}, [' must have at least 1 member']],
  [
    'one shape or another, none of which fits',
    Type.Union([Signal, Signals]),
    { nothing: 1 },
    [' has none of the shapes that are allowed here'],
  ],
  [
    'nested unions',
    Type.Object({ a: Nullable(Type.Object({ b: Nullable(Type.String()) })) }),
    { a: { b: 1 } },
    ['/a/b must be a string or null'],
  ],
  [
    'a format',
    Type.String({ format: 'date-time' }),
    'soon',
    [' must be an RFC 3339 time such as 2026-01-31T12:00:00.000Z'],
  ],
  [
    'a pattern with a description',
    Type.String({ pattern: '^a$', description: 'The letter a.' }),
    'b',
    [' must match ^a$ (The letter a)'],
  ],
  [
    'a character that is never allowed',
    Type.String({ pattern: '^[^\\u0000]*$', description: 'Goes into the log.' }),
    'a\u0000',
    [' must not contain the character U+0000'],
  ],
  [
    'a blank text',
    Type.String({ pattern: '^[^\\u0000]*\\S[^\\u0000]*$' }),
    '  ',
    [' must not be blank or contain the character U+0000'],
  ],
];

describe('field errors', () => {
  for (const [what, schema, value, expected] of cases) {
    it(`report ${what}: ${expected.join(', ')}`, () => {
      const validator = compile(schema);
      expect(validator.valid(value)).to.equal(false);
      expect(fieldErrors(validator.explain(value, true)).map((e) => `${e.pointer} ${e.message}`)).to.deep.equal(
        expected,
      );
    });
  }
  it('count characters as code points', () => {
    expect(compile(Type.String({ maxLength: 2 })).valid('😀😀')).to.equal(true);
  });
  it('throw for a schema that is not valid itself', () => {
    for (const schema of [{ type: 'strin' }, { type: 'string', minLenght: 1 }])
      expect(() => compile(Type.Unsafe(schema)).valid('')).to.throw();
  });
  it('need no $id: it is removed from every schema, but not from a member of that name', () => {
    const plain = JSON.stringify(plainSchema(Type.Object({ a: Signal, $id: Type.String() }, { $id: 'Outer' })));
    expect(plain).to.contain('"$id":{').and.not.to.contain('Signal').and.not.to.contain('Outer');
  });
});
