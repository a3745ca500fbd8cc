// Caches of readings and parses are bounded by bytes, so long texts cause earlier eviction.
import { expect } from 'chai';
import type { Database } from '../../../shared/platform/db/database.ts';
import { createParseStore } from '../../../shared/domain/decisions/parses.ts';
import { bytesOfReading, createReadings } from '../../../shared/domain/decisions/readings.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import type { PolicySet } from '../../../shared/core/policy/load.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

// Readings use only the lexicon of a set.
const setOf = (lexicon: Lexicon): PolicySet<Lexicon> => ({ lexicon }) as unknown as PolicySet<Lexicon>;

const OWNER = { organisationId: 'org', environment: 'live' } as const;

describe('the cache of readings', () => {
  const set = setOf(shippedLexicon());
  const asking = { set, organisation: 'acme' };
  const long = (i: number): string => `read:thing${i}/${'production/'.repeat(60)}${'x'.repeat(1_000)}`;

  it('keeps thousands of short ones', () => {
    const readings = createReadings();
    const first = readings.of(asking, 'data.read.first', '/intent');
    for (let i = 0; i < 3_000; i += 1) readings.of(asking, `data.read.thing_${i}`, '/intent');
    expect(readings.of(asking, 'data.read.first', '/intent')).to.equal(first);
  });

  it('evicts the oldest when long ones take 16 MB', () => {
    const readings = createReadings();
    const first = readings.of(asking, 'data.read.first', '/intent');
    const each = bytesOfReading(readings.of(asking, long(0), '/intent'));
    for (let i = 1; i * each < 17 * 1_048_576; i += 1) readings.of(asking, long(i), '/intent');
    expect(readings.of(asking, 'data.read.first', '/intent')).to.not.equal(first);
    expect((17 * 1_048_576) / each, 'fewer than the limit by number').to.be.below(4_000);
  });

  it('counts at least the size of the texts of a reading', () => {
    const reading = createReadings().of(asking, long(1), '/intent');
    const assessed = reading.withRisk({ level: 'low', score: 0, factors: [] });
    const texts = JSON.stringify(reading.unassessed).length + assessed.canonical.length + assessed.member.length;
    expect(bytesOfReading(reading)).to.be.at.least(texts);
  });

  it('evicts stored parses by their bytes, too', async () => {
    let queries = 0;
    const answer = JSON.stringify({ ...parseIntent('read the report', set.lexicon), padding: 'x'.repeat(100_000) });
    const db = {
      query: () => {
        queries += 1;
        return Promise.resolve([{ agent_id: 'a', normalized: 'n', created_at: new Date(), answer }]);
      },
    } as unknown as Database; // read() uses nothing else of it
    const parses = createParseStore({ db, nowMs: Date.now });
    await parses.read(OWNER, 'first');
    await parses.read(OWNER, 'first');
    expect(queries).to.equal(1);
    for (let i = 0; i < 200; i += 1) await parses.read(OWNER, `other_${i}`);
    // It was read once; `first`, which was read twice, may outlast it.
    await parses.read(OWNER, 'other_0');
    expect(queries).to.equal(202);
  });

  it('has no stored parse any more that retention may have deleted', async () => {
    const createdAt = new Date('2026-01-01T00:00:00Z');
    const row = {
      agent_id: 'a',
      normalized: 'n',
      created_at: createdAt,
      answer: JSON.stringify(parseIntent('x', set.lexicon)),
    };
    let rows = [row];
    const db = { query: () => Promise.resolve(rows) } as unknown as Database;
    let ageMs = 0;
    const parses = createParseStore({ db, nowMs: () => createdAt.getTime() + ageMs });
    expect(await parses.read(OWNER, 'first')).to.include({ agentId: 'a' });
    ageMs = 86_400_000;
    expect(await parses.read(OWNER, 'other')).to.include({ agentId: 'a' });
    rows = [];
    expect(await parses.read(OWNER, 'first'), 'it was read when it was young').to.equal(undefined);
    expect(await parses.read(OWNER, 'other'), 'it was read when it was old').to.equal(undefined);
  });
});
