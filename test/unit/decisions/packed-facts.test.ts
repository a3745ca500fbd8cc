// Stored facts and records: what is packed is unpacked byte for byte, whatever it says; earlier rows and damaged ones can be told apart.
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_PACKED_BYTES, packFacts, unpackFacts } from '../../../shared/core/decision/packed-facts.ts';
import { packRecord, unpackRecord } from '../../../shared/core/decision/packed-record.ts';
import { createTextPacker } from '../../../shared/core/decision/packed-text.ts';
import { FACTS_TEXTS, RECORD_TEXTS } from '../../../shared/core/decision/usual-texts.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';

const json = (): fc.Arbitrary<string> =>
  fc
    .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ noUnicodeString: false }), { maxKeys: 20 })
    .filter((value) => JSON.stringify(value).isWellFormed())
    .map(canonicalize);
/** Any order of usual texts, parts of them and values. */
const usualPieces = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...texts), fc.constantFrom(...texts.map((text) => text.slice(1, -1))), json()))
    .map((pieces) => pieces.join(''));

const FACTS = canonicalize({
  agent: { capabilities: [], id: 'agent-7', registered: false, status: 'UNREGISTERED', tags: [] },
  context: { ticket: 'OPS-1' },
  intent: { action: 'read', confidence: 1, flags: [], normalized: 'data.read.report' },
});
const stored = (facts: string): Buffer => Buffer.from(packFacts(facts));

describe('stored facts', () => {
  it('are unpacked byte for byte', () => {
    const facts = fc.oneof(json(), usualPieces(FACTS_TEXTS));
    fc.assert(fc.property(facts, (text) => unpackFacts(stored(text)).toString('utf8') === text));
  });

  it('of usual content take less than six tenths of their bytes', () => {
    expect(stored(FACTS).length).to.be.lessThan(0.6 * FACTS.length);
  });

  it('are packed up to a size in bytes, not in characters', () => {
    const ofBytes = (bytes: number): string => `{"agent":{"capabilities":[],"id":"${'é'.repeat((bytes - 36) / 2)}"}`;
    const [most, more] = [ofBytes(MAX_PACKED_BYTES), ofBytes(MAX_PACKED_BYTES + 2)];
    expect(Buffer.byteLength(most)).to.equal(MAX_PACKED_BYTES);
    expect(stored(most).length).to.be.lessThan(MAX_PACKED_BYTES);
    expect(unpackFacts(stored(most)).toString()).to.equal(most);
    expect(packFacts(more)).to.equal(more);
    expect(unpackFacts(stored(more)).toString()).to.equal(more);
  });

  it('of an earlier version are not packed', () => {
    expect(unpackFacts(Buffer.from(FACTS)).toString()).to.equal(FACTS);
  });

  it('are other bytes when any byte was altered', () => {
    const packed = stored(FACTS);
    for (let at = 0; at < packed.length; at += 1) {
      const altered = Buffer.from(packed);
      altered[at] = (altered[at] ?? 0) ^ 0x10;
      expect(unpackFacts(altered).toString(), `byte ${at}`).not.to.equal(FACTS);
    }
    expect(unpackFacts(packed.subarray(0, -3)).toString()).not.to.equal(FACTS);
  });

  // The table and its rules are part of the format: these bytes were written with the first ones.
  it('that were written with this table, or before values followed from others, can be read', () => {
    for (const written of [CODED, FIRST_CODED])
      expect(unpackFacts(Buffer.from(written, 'base64')).toString()).to.equal(FACTS);
  });

  it('leave out values that follow from others', () => {
    const facts = canonicalize({
      intent: {
        action: 'read',
        confidence: 1,
        coverage: 1,
        data_classes: [],
        depth: 3,
        domain: 'crm',
        effect: 'read',
        entities: { emails: [], hosts: [], identifiers: [], money: [], paths: [], urls: [] },
        extent: 'one',
        flags: [],
        normalized: 'crm.read.customers.7',
        object: 'customers.7',
        parsed: false,
        places: [],
        requested: { intent: 'crm.read.customers.7' },
        resource: 'crm/customers/7',
        risk: { factors: [], level: 'low', score: 0 },
        traits: [],
        verb: 'read',
      },
      key: { bound: false, environment: 'live', id: 'k', tags: [] },
      organisation: { slug: 'default' },
      time: { date: '2026-11-23', hour: 13, minute_of_day: 803, now: '2026-11-23T13:23:43.256Z', weekday: 1 },
    });
    const packed = packFacts(facts);
    expect(packed.split('customers')).to.have.length(2);
    expect(packed.split('2026-11-23')).to.have.length(2);
    expect(unpackFacts(stored(facts)).toString()).to.equal(facts);
  });

  it('that a development version compressed can be read', () => {
    expect(unpackFacts(Buffer.from(DEFLATED, 'base64')).toString()).to.equal(FACTS);
  });
});

const RECORD = canonicalize({
  agentId: 'agent-7',
  eventType: 'custos.decision',
  occurredAt: '2026-11-23T13:23:43.256Z',
  payload: {
    body: { agent_id: 'agent-7', allowed: true, decision_id: 'dec_1', evaluated_at: '2026-11-23T13:23:43.256Z' },
    environment: 'live',
    organisation: 'default',
    proofId: 'prf_1',
  },
}).slice(0, -1);

const WHOLE_RECORD = canonicalize({
  agentId: 'agent-7',
  eventType: 'custos.decision',
  occurredAt: '2026-11-23T13:23:43.256Z',
  payload: {
    body: {
      agent_id: 'agent-7',
      allowed: true,
      decision_id: 'dec_01m849790r0123456789abcdef',
      evaluated_at: '2026-11-23T13:23:43.256Z',
      expires_at: '2026-11-23T14:23:43.256Z',
      factsDigest: 'ab',
      reasons: [{ code: 'READ_OPEN', effect: 'ALLOW', message: 'reads are open', policy: 'reads', rule: 'open' }],
      request_id: 'req_01m84979zz0123456789abcdef',
      trust: { as_of: { day: '2026-11-23', signals: 0 } },
    },
    environment: 'live',
    organisation: 'default',
    proofId: 'prf_01m849790r0123456789abcdef',
  },
}).slice(0, -1);

describe('the stored record of a decision', () => {
  const storedRecord = (record: string): Buffer => Buffer.from(packRecord(record));

  it('is unpacked byte for byte', () => {
    const records = fc.oneof(json(), usualPieces(RECORD_TEXTS));
    fc.assert(fc.property(records, (text) => unpackRecord(storedRecord(text)).toString('utf8') === text));
  });

  it('is canonical JSON when it is long, or of an earlier version', () => {
    const long = canonicalize({ agentId: 'x'.repeat(40_000) });
    expect(packRecord(long)).to.equal(long);
    expect(unpackRecord(Buffer.from(RECORD)).toString()).to.equal(RECORD);
  });

  it('is other bytes when any byte was altered', () => {
    const packed = storedRecord(RECORD);
    for (let at = 0; at < packed.length; at += 1) {
      const altered = Buffer.from(packed);
      altered[at] = (altered[at] ?? 0) ^ 0x01;
      expect(unpackRecord(altered).toString(), `byte ${at}`).not.to.equal(RECORD);
    }
  });

  it('is read without an error whatever bytes it holds', () => {
    const codes = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
    const values = [
      '+275760-09-13T00:00:00.000Z"',
      '2026-11-23T13:23:43.256Z"',
      'a.b.c"',
      '"',
      'dec_"',
      '\u0001\u0001',
    ];
    const pieces = fc.array(fc.oneof(fc.constantFrom(...codes, ...values), fc.string()), { maxLength: 12 });
    fc.assert(
      fc.property(fc.constantFrom('\u0003', '\u0004'), pieces, (mark, some) => {
        unpackRecord(Buffer.from(mark + some.join('')));
        unpackFacts(Buffer.from(mark + some.join('')));
      }),
      { numRuns: 2_000 },
    );
    const last = '\u0002a\u0003+275760-09-13T00:00:00.000Z\u0005\u0001\u0008\u0001';
    expect(unpackRecord(Buffer.from(`\u0004${last}`)).toString()).to.equal(`\u0004${last}`);
  });

  // Searches in packed records rely on it (stored-text.ts).
  it('has its values whole: no usual text begins or ends within one', () => {
    for (const text of RECORD_TEXTS) expect(text).to.match(/^["{},\]].*[":]$/);
  });

  // The table and its rules are part of the format: these bytes were written with the first ones.
  it('that was written with this table, or before values followed from others, can be read', () => {
    for (const written of [CODED_RECORD, FIRST_CODED_RECORD])
      expect(unpackRecord(Buffer.from(written, 'base64')).toString()).to.equal(RECORD);
    expect(unpackRecord(Buffer.from(CODED_WHOLE, 'base64')).toString()).to.equal(WHOLE_RECORD);
  });

  it('leaves out the ids and times that follow from others', () => {
    const packed = packRecord(WHOLE_RECORD);
    expect(packed).not.to.include('01m84979');
    expect(packed).not.to.include('T14:23:43');
    expect(packed.match(/2026-11-23/g)).to.have.length(1);
    expect(unpackRecord(Buffer.from(packed)).toString()).to.equal(WHOLE_RECORD);
  });

  it('has other ids and times as they are', () => {
    for (const [from, to] of [
      ['T14:23:43', 'T14:23:44'],
      ['T14:23:43.256Z', 'never'],
      ['req_01m84979', 'asked-by-me-'],
      ['prf_0', 'prf_1'],
      ['"day":"2026-11-23', '"day":"2026-11-22'],
    ] as const) {
      const record = WHOLE_RECORD.replace(from, to);
      expect(record).not.to.equal(WHOLE_RECORD);
      expect(unpackRecord(storedRecord(record)).toString()).to.equal(record);
    }
  });
});

describe('packed texts', () => {
  const AFTER = '","again":"';
  const packer = createTextPacker(['{"first":"', AFTER], {
    again: { from: 'first', by: [(value) => value, (value) => value.toUpperCase()] },
  });

  it('write a value that repeats another once', () => {
    const text = `{"first":"one and the same${AFTER}one and the same"}`;
    const packed = packer.pack(text) ?? '';
    expect(packed.split('one and the same')).to.have.length(2);
    expect(packer.unpack(packed, 100)).to.equal(text);
  });

  it('tell apart usual texts that are searched in one place, and end with a part of one', () => {
    const alike = createTextPacker(['],"id":"'], {});
    for (const text of ['},"id":"', '],"id":"', '],"id":', '],'])
      expect(alike.unpack(alike.pack(text) ?? '', 100)).to.equal(text);
    expect(alike.pack('],"id":"')).to.have.length(1);
    // What a longer text has left behind is not read.
    expect(alike.pack('],"id')).to.equal('],"id');
  });

  it('know a second way by which a value follows', () => {
    const text = `{"first":"this${AFTER}THIS one"}`;
    const packed = packer.pack(text) ?? '';
    expect(packed).not.to.include('THIS');
    expect(packer.unpack(packed, 100)).to.equal(text);
    expect(packer.unpack(packed.replace('\u0001\u0001', '\u0001\u0001\u0001'), 100)).to.equal(undefined);
  });

  it('can be read when the repeated value goes on, is a part or is absent', () => {
    for (const text of [
      `{"first":"a${AFTER}ab"}`,
      `{"first":"ab${AFTER}a"}`,
      `{"first":"${AFTER}"}`,
      `${AFTER}a"}`,
      `{"first":"a${AFTER}a${AFTER}a`,
    ])
      expect(packer.unpack(packer.pack(text) ?? '', 100), text).to.equal(text);
  });

  it('can be read when a value that is repeated ends within the next usual text', () => {
    const crossing = createTextPacker(['{"first":"', '}then":"', AFTER], {
      again: { from: 'first', by: [(value) => value] },
    });
    const text = `{"first":"one}then":"two${AFTER}one}then"}`;
    const packed = crossing.pack(text) ?? '';
    expect(packed.endsWith('\u0001"}')).to.equal(true);
    expect(crossing.unpack(packed, 100)).to.equal(text);
  });

  it('with an unknown code, and longer ones than allowed, are not read', () => {
    expect(packer.unpack('\u0005', 100)).to.equal(undefined);
    expect(packer.unpack('\u0003\u0001', 100)).to.equal(undefined);
    expect(packer.unpack('\u0002'.repeat(11), 100)).to.equal(undefined);
  });

  it('have no control characters of their own', () => {
    expect(packer.pack('{"first":"\u0003')).to.equal(undefined);
  });
});

const DEFLATED = 'ASPsNkjZZU6+E+EuUCrJTM5OBVntHxCsC3YeLG0SzMO4sgYoO+uBsqheUWpBflGJUm0tAA==';
const FIRST_CODED =
  'AgJhZ2VudC03HycidGlja2V0IjoiT1BTLTEifSwiaW50ZW50Ijp7ImFjdGlvbiI6InJlYWQfLTEsImZsYWdzIjpbHzlkYXRhLnJlYWQucmVwb3J0In19';
const FIRST_CODED_RECORD = 'AwJhZ2VudC03AzIwMjYtMTEtMjNUMTM6MjM6NDMuMjU2WgQBBmRlY18xBQEccHJmXzEifQ==';
const CODED =
  'AwJhZ2VudC03HycidGlja2V0IjoiT1BTLTEifSwiaW50ZW50Ijp7ImFjdGlvbiI6InJlYWQfLTEsImZsYWdzIjpbHzlkYXRhLnJlYWQucmVwb3J0In19';
const CODED_RECORD = 'BAJhZ2VudC03AzIwMjYtMTEtMjNUMTM6MjM6NDMuMjU2WgQBBmRlY18xBQEcASJ9';
const CODED_WHOLE =
  'BAJhZ2VudC03AzIwMjYtMTEtMjNUMTM6MjM6NDMuMjU2WgQBBgEwMTIzNDU2Nzg5YWJjZGVmBQEIAQlhYiIsInJlYXNvbnMiOlt7ImNvZGUiOiJSRUFEX09QRU4VcmVhZHMgYXJlIG9wZW4XcmVhZHMYb3BlbhkBenowMTIzNDU2Nzg5YWJjZGVmGgEfMjB9fX0sImVudmlyb25tZW50IjoibGl2ZR8rZGVmYXVsdB8sASJ9';
