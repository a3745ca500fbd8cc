// Bytes that travel as a text with escapes are read back byte for byte.
import { expect } from 'chai';
import fc from 'fast-check';
import { readEscaped } from '../../../shared/platform/db/escaped.ts';
import { hashRecord, sealRecord } from '../../../shared/core/proof/record.ts';
import { packFacts, unpackFacts, unpackFactsText } from '../../../shared/core/decision/packed-facts.ts';
import { packRecord, unpackRecord, unpackRecordText } from '../../../shared/core/decision/packed-record.ts';
import { runs } from '../property/runs.ts';

/** As `encode(bytes, 'escape')` of PostgreSQL. */
const escaped = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => {
      if (byte === 0x5c) return '\\\\';
      return byte === 0 || byte > 0x7f ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte);
    })
    .join('');

describe('bytes that are read as a text with escapes', () => {
  it('are the same bytes, and a text exactly when all of them are ASCII', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('\\', '0', '1', '7', '\u0001', 'é', '"') }).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        const read = readEscaped(escaped(given));
        expect(Buffer.from(read as string, 'latin1').equals(given)).to.equal(true);
        expect(typeof read === 'string').to.equal(given.every((byte) => byte > 0 && byte < 0x80));
      }),
      runs(300),
    );
  });

  it('give the same record and the same hashes as the bytes themselves', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('{"agentId":"a","payload":{}}'));
    fc.assert(
      fc.property(texts, (text) => {
        const stored = Buffer.from(packRecord(text.toWellFormed()));
        const read = readEscaped(escaped(stored));
        const expected = unpackRecord(stored);
        const record = typeof read === 'string' ? unpackRecordText(read) : unpackRecord(read);
        expect(Buffer.from(record as string).equals(expected)).to.equal(true);
        const { eventHash, leafHash } = sealRecord(expected, 'ab'.repeat(32));
        const hashes = hashRecord(record, 'ab'.repeat(32));
        expect(hashes.eventHash).to.equal(eventHash.toString('hex'));
        expect(Buffer.from(hashes.leafHash).equals(leafHash)).to.equal(true);
      }),
      runs(300),
    );
  });

  it('give the same facts as the bytes themselves, also those of earlier versions', () => {
    const deflated = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from([1, ...bytes]));
    const stored = fc.oneof(
      fc.oneof(fc.string(), fc.string({ unit: 'binary' })).map((text) => Buffer.from(packFacts(text.toWellFormed()))),
      fc.constantFrom('{"agent":{"id":"a"}}', '\u0002x', '\u0003\u0002a"').map((text) => Buffer.from(text)),
      deflated,
    );
    fc.assert(
      fc.property(stored, (bytes) => {
        const read = readEscaped(escaped(bytes));
        const facts = typeof read === 'string' ? unpackFactsText(read) : unpackFacts(read);
        // A text is hashed with a byte for each character.
        const hashed = typeof facts === 'string' ? Buffer.from(facts, 'latin1') : facts;
        expect(hashed.equals(unpackFacts(bytes))).to.equal(true);
      }),
      runs(300),
    );
  });
});
