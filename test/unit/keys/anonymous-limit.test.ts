// The limit for clients without a valid key: by address and second, in a table of bounded size.
import { expect } from 'chai';
import { ANONYMOUS_PER_SECOND, clientOf, createAnonymousLimiter } from '../../../ingress/request/address-limit.ts';

describe('clients without a valid key', () => {
  it('have 20 requests a second for each address, and a new window after a second', () => {
    let now = 0;
    const limiter = createAnonymousLimiter({ monotonicMs: () => now });
    for (let i = 0; i < ANONYMOUS_PER_SECOND; i += 1)
      expect(limiter.consume('192.0.2.1').allowed, `${i}`).to.equal(true);
    expect(ANONYMOUS_PER_SECOND).to.equal(20);
    const refused = limiter.consume('192.0.2.1');
    expect(refused).to.deep.equal({ allowed: false, retryAfterSeconds: 1, headers: {} });
    expect(limiter.peek('192.0.2.1').allowed).to.equal(false);
    expect(limiter.peek('192.0.2.2').allowed).to.equal(true);
    now = 999;
    expect(limiter.consume('192.0.2.1').allowed).to.equal(false);
    now = 1_000;
    expect(limiter.peek('192.0.2.1').allowed).to.equal(true);
    expect(limiter.consume('192.0.2.1').allowed).to.equal(true);
  });

  it('are not counted by a query of their limit', () => {
    const limiter = createAnonymousLimiter({ monotonicMs: () => 0, perSecond: 1 });
    for (let i = 0; i < 5; i += 1) expect(limiter.peek('a').allowed).to.equal(true);
    expect(limiter.consume('a').allowed).to.equal(true);
    expect(limiter.consume('a').allowed).to.equal(false);
  });

  it('cannot fill the memory with addresses', () => {
    const limiter = createAnonymousLimiter({ monotonicMs: () => 0, perSecond: 1, maxAddresses: 10 });
    for (let i = 0; i < 1_000; i += 1) expect(limiter.consume(`192.0.2.${i}`).allowed).to.equal(true);
    expect(limiter.consume('192.0.2.999').allowed, 'the newest are remembered').to.equal(false);
    expect(limiter.consume('192.0.2.0').allowed, 'the oldest start again from zero').to.equal(true);
  });

  for (const [address, client] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['', ''],
  ] as const)
    it(`at ${address || 'no address'} count as ${client || 'one'}`, () => expect(clientOf(address)).to.equal(client));
});
