// The address of the list of decisions: what it shows, also by the parameters with which other pages link to it.
import { expect } from 'chai';
import {
  type DecisionView,
  neighbour,
  parametersOf,
  spanOf,
  viewOf,
  withTerm,
} from '../../../ingress/dashboard/client/pages/decisions-view.ts';

const NOTHING: DecisionView = { q: '', range: undefined, from: undefined, to: undefined, live: false, open: undefined };
const FROM = '2026-11-20T00:00:00.000Z';
const TO = '2026-11-21T00:00:00.000Z';

describe('the address of the list of decisions', () => {
  const cases: readonly [query: string, view: Partial<DecisionView>][] = [
    ['', {}],
    ['q=agent:a+verdict:deny', { q: 'agent:a verdict:deny' }],
    ['agentId=the+bot&verdict=DENY', { q: 'agent:"the bot" verdict:deny' }],
    ['requestId=req_1&q=word', { q: 'word request:req_1' }],
    ['tool=files/read&reason=TRUST_TOO_LOW', { q: 'reason:TRUST_TOO_LOW tool:files/read' }],
    ['range=24h&from=2026-11-20T00:00:00.000Z', { range: '24h' }],
    ['range=2h', {}],
    [`from=${FROM}&to=${TO}`, { from: FROM, to: TO }],
    ['from=yesterday', {}],
    ['live=1&open=dec_1', { live: true, open: 'dec_1' }],
  ];
  for (const [query, view] of cases)
    it(`${JSON.stringify(query)} shows ${JSON.stringify(view)}, which has an address of its own`, () => {
      const shown = viewOf(new URLSearchParams(query));
      expect(shown).to.deep.equal({ ...NOTHING, ...view });
      const given = Object.entries(parametersOf(shown)).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      expect(viewOf(new URLSearchParams(given))).to.deep.equal(shown);
    });

  it('has a time span that ends now, or its own', () => {
    const now = new Date(TO);
    expect(spanOf({ ...NOTHING, range: '24h' }, now)).to.deep.equal({ from: FROM });
    expect(spanOf({ ...NOTHING, from: FROM }, now)).to.deep.equal({ from: FROM });
    expect(spanOf(NOTHING, now)).to.deep.equal({});
  });

  it('gets a term once, and never with its opposite', () => {
    const term = { field: 'verdict', value: 'DENY', negated: false } as const;
    const opposite = { ...term, negated: true };
    expect(withTerm(withTerm([], term), term)).to.deep.equal([term]);
    expect(withTerm([opposite], term)).to.deep.equal([term]);
  });

  it('goes from one decision to the next, and not past the ends', () => {
    const is = (at: string) => (each: string) => each === at;
    expect([neighbour(['a', 'b'], is('a'), 1), neighbour(['a', 'b'], is('b'), 1)]).to.deep.equal(['b', undefined]);
    expect([neighbour(['a', 'b'], is('a'), -1), neighbour(['a', 'b'], is('c'), 1)]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });
});
