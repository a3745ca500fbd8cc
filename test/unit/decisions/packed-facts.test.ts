// Stored facts: what is packed is unpacked byte for byte, whatever facts say; earlier rows and damaged ones can be told apart.
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_PACKED_BYTES, packFacts, unpackFacts } from '../../../shared/core/decision/packed-facts.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';

const json = (): fc.Arbitrary<string> =>
  fc
    .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ noUnicodeString: false }), { maxKeys: 20 })
    .filter((value) => JSON.stringify(value).isWellFormed())
    .map(canonicalize);

const FACTS = canonicalize({
  agent: { capabilities: [], id: 'agent-7', registered: false, status: 'UNREGISTERED', tags: [] },
  context: { ticket: 'OPS-1' },
  intent: { action: 'read', confidence: 1, flags: [], normalized: 'data.read.report' },
});

describe('stored facts', () => {
  it('are unpacked byte for byte', () => {
    fc.assert(fc.property(json(), (facts) => unpackFacts(packFacts(facts)).toString('utf8') === facts));
  });

  it('of usual content take less than half of their bytes', () => {
    expect(packFacts(FACTS).length).to.be.lessThan(FACTS.length / 2);
  });

  it('are packed up to a size in bytes, not in characters', () => {
    const ofBytes = (bytes: number): string => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`;
    const [most, more] = [ofBytes(MAX_PACKED_BYTES), ofBytes(MAX_PACKED_BYTES + 2)];
    expect(packFacts(most).length).to.be.lessThan(1_000);
    expect(unpackFacts(packFacts(most)).toString()).to.equal(most);
    expect(packFacts(more).toString()).to.equal(more);
    expect(unpackFacts(packFacts(more)).toString()).to.equal(more);
  });

  it('of an earlier version are not packed', () => {
    expect(unpackFacts(Buffer.from(FACTS)).toString()).to.equal(FACTS);
  });

  it('are other bytes when any byte was altered', () => {
    const packed = packFacts(FACTS);
    for (let at = 0; at < packed.length; at += 1) {
      const altered = Buffer.from(packed);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      expect(unpackFacts(altered).toString(), `byte ${at}`).not.to.equal(FACTS);
    }
    expect(unpackFacts(packed.subarray(0, -3)).toString()).not.to.equal(FACTS);
  });

  // The dictionary is part of the format: this text was written with the first one.
  it('that were written with this dictionary can be read', () => {
    expect(unpackFacts(Buffer.from(KNOWN, 'base64')).toString()).to.equal(FACTS);
  });
});

const KNOWN = 'ASPsNkjZZU6+E+EuUCrJTM5OBVntHxCsC3YeLG0SzMO4sgYoO+uBsqheUWpBflGJUm0tAA==';
