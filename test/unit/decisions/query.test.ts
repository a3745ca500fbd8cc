// The search language for decisions: what a text means, which texts are refused and why, and that a search survives being written.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  formatQuery,
  parseQuery,
  QUERY_FIELDS,
  type QueryTerm,
  termAtCursor,
} from '../../../shared/core/decision/query.ts';

const term = (field: QueryTerm['field'], value: string, negated = false): QueryTerm => ({ field, value, negated });

describe('a search for decisions', () => {
  const read: readonly [text: string, terms: readonly QueryTerm[]][] = [
    ['', []],
    ['  ', []],
    ['agent:deploy-bot', [term('agent', 'deploy-bot')]],
    ['verdict:deny  Verdict:ESCALATE', [term('verdict', 'DENY'), term('verdict', 'ESCALATE')]],
    ['-verdict:allow', [term('verdict', 'ALLOW', true)]],
    ['reason:trust_too_low', [term('reason', 'TRUST_TOO_LOW')]],
    ['tool:filesystem/write_file', [term('tool', 'filesystem/write_file')]],
    ['agent:"the bot \\"7\\" \\\\"', [term('agent', 'the bot "7" \\')]],
    ['agent:a:b', [term('agent', 'a:b')]],
    ['"customer list" -secret', [term('text', 'customer list'), term('text', 'secret', true)]],
    ['"delete:db/x"', [term('text', 'delete:db/x')]],
    ['mid"quote', [term('text', 'mid"quote')]],
    ['risk:HIGH action:delete', [term('risk', 'high'), term('action', 'delete')]],
    ['a a', [term('text', 'a')]],
  ];
  for (const [text, terms] of read)
    it(`reads ${JSON.stringify(text)}`, () => expect(parseQuery(text)).to.deep.equal({ ok: true, terms }));

  const refused: readonly [text: string, message: RegExp, at: readonly [number, number]][] = [
    ['foo:bar', /^There is no field foo\. Fields: agent, verdict, .* in quotes\.$/, [0, 7]],
    ['ok verdict:maybe', /^verdict: is one of allow, deny, escalate, degrade\.$/, [3, 16]],
    ['agent:', /^agent: needs a value: the whole id of the agent\.$/, [0, 6]],
    ['agent: x', /^agent: needs a value/, [0, 6]],
    ['reason:"too low"', /^reason: needs a reason code such as TRUST_TOO_LOW\.$/, [0, 16]],
    ['id:7', /^id: needs a decision id/, [0, 4]],
    ['agent:"open', /^A quote is not closed/, [0, 11]],
    ['x "a"b', /^A quote is not closed/, [2, 6]],
    ['""', /^A search word is empty\.$/, [0, 2]],
    ['x -', /^A search word is empty\.$/, [2, 3]],
    [Array.from({ length: 21 }, (_, n) => n).join(' '), /^A search has at most 20 terms\.$/, [0, 52]],
    ['x'.repeat(2_001), /^The search is longer than 2000 characters\.$/, [0, 2_001]],
  ];
  for (const [text, message, at] of refused)
    it(`refuses ${JSON.stringify(text.slice(0, 30))}, and says where and why`, () => {
      const parsed = parseQuery(text);
      if (parsed.ok) throw new Error('it was accepted');
      expect(parsed.message).to.match(message);
      expect([parsed.start, parsed.end]).to.deep.equal(at);
    });

  it('is the same after it was written as text and read again', () => {
    const values: Partial<Record<QueryTerm['field'], fc.Arbitrary<string>>> = {
      verdict: fc.constantFrom('ALLOW', 'DENY'),
      reason: fc.constantFrom('TRUST_TOO_LOW', 'A'),
      action: fc.constantFrom('read', 'unknown'),
      risk: fc.constantFrom('low', 'high'),
      request: fc.constantFrom('req_1', 'a:b'),
      id: fc.constantFrom(`dec_${'0'.repeat(26)}`),
    };
    const any = fc.oneof(
      fc.string({ minLength: 1, maxLength: 12 }),
      fc.constantFrom('-', '"', '\\', 'a:b', '-a', ' ', '\n', '\\"', 'x y:"'),
    );
    const terms = fc.uniqueArray(
      fc
        .constantFrom<QueryTerm['field']>('text', ...QUERY_FIELDS)
        .chain((field) => fc.record({ field: fc.constant(field), value: values[field] ?? any, negated: fc.boolean() })),
      { maxLength: 8, selector: (each) => JSON.stringify(each) },
    );
    fc.assert(
      fc.property(terms, (given) => {
        expect(parseQuery(formatQuery(given))).to.deep.equal({ ok: true, terms: given });
      }),
    );
  });

  for (const [text, at] of [
    ['', { start: 0, negated: false, field: undefined, typed: '' }],
    ['agent:dep', { start: 0, negated: false, field: 'agent', typed: 'dep' }],
    ['verdict:deny -rea', { start: 13, negated: true, field: undefined, typed: 'rea' }],
    ['x agent:"the bo', { start: 2, negated: false, field: 'agent', typed: 'the bo' }],
    ['agent:a ', { start: 8, negated: false, field: undefined, typed: '' }],
  ] as const)
    it(`finds what is being typed in ${JSON.stringify(text)}`, () =>
      expect(termAtCursor(text, text.length)).to.deep.equal(at));
});
