// Who may not decide an approval: the rows of keys and their records in the log give the same answer for every two keys.
import { expect } from 'chai';
import fc from 'fast-check';
import { GRACE_MS } from '../../shared/core/verification/moment.ts';
import { readKeys, wereSameHands } from '../../shared/core/verification/keys.ts';
import { areSameHands, readKeyRelations } from '../../shared/domain/approvals/hands.ts';
import { createSecretHasher } from '../../shared/domain/keys/secrets.ts';
import { createKey, type KeyRow, rotateKey } from '../../shared/domain/keys/store.ts';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { adminUrlOf, createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

const HISTORIES = 5;
const steps = fc.array(fc.record({ rotates: fc.boolean(), by: fc.nat(12), which: fc.nat(12) }), {
  minLength: 8,
  maxLength: 12,
});

describe('the groups of related keys', () => {
  let database: TestDatabase;
  let db: Database;
  let organisationId: string;
  before(async () => {
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    organisationId = (await bootstrap(db)).operatorId;
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  /** Makes keys and rotates them, each by an existing key or without an actor. */
  const makeKeys = async (history: readonly { rotates: boolean; by: number; which: number }[]): Promise<string[]> => {
    const hasher = createSecretHasher(TEST_PEPPER);
    const owner = { organisationId, environment: 'live' } as const;
    const made: KeyRow[] = [];
    const open: KeyRow[] = [];
    for (const { rotates, by, which } of history) {
      const nowMs = Date.now();
      const createdBy = made[by]?.keyId ?? null;
      const [old] = rotates && open.length > 0 ? open.splice(which % open.length, 1) : [];
      const { row } = await db.transaction((sql) =>
        old === undefined
          ? createKey(sql, hasher, {
              ...owner,
              name: 'k',
              scopes: ['intents:write'],
              agentIds: null,
              tier: 1,
              createdAtMs: nowMs,
              createdBy,
              expiresAtMs: null,
            })
          : rotateKey(sql, hasher, {
              owner,
              keyId: old.keyId,
              overlapMs: 60_000,
              nowMs,
              createdBy,
              organisationTier: 7,
            }),
      );
      made.push(row);
      open.push(row);
    }
    return made.map(({ keyId }) => keyId);
  };

  it('are the same from the log as from the rows, for any sequence of creations and rotations', async () => {
    let same = 0;
    let apart = 0;
    const agrees = fc.asyncProperty(steps, async (history) => {
      const ids = await makeKeys(history);
      const records = await createEvidenceStore({ db }).keyRecords({ organisationId, environment: 'live' });
      const keys = readKeys(records, { organisation: 'default', environment: 'live', agentId: '' });
      expect(keys.problems).to.deep.equal([]);
      for (const one of ids)
        for (const other of ids) {
          const expected = await db.transaction((sql) => areSameHands(sql, one, other));
          expect(wereSameHands(keys, one, other, { atMs: Date.now() + 2 * GRACE_MS }), `${one} and ${other}`).to.equal(
            expected,
          );
          if (expected) same += 1;
          else apart += 1;
        }
    });
    await fc.assert(agrees, { numRuns: HISTORIES, endOnFailure: true });
    expect(Math.min(same, apart)).to.be.greaterThan(HISTORIES);
  });

  it('include every key when a row of one of the two was deleted, and so its relations', async () => {
    const [first = '', , successor = ''] = await makeKeys([
      { rotates: false, by: 12, which: 0 },
      { rotates: false, by: 12, which: 0 },
      { rotates: true, by: 1, which: 0 },
    ]);
    const stranger = (await makeKeys([{ rotates: false, by: 12, which: 0 }]))[0] ?? '';
    const answers = async (): Promise<boolean[]> => {
      const relations = await readKeyRelations(db, [first, successor, stranger, 'cli:somebody']);
      return [
        relations.areSameHands(first, successor),
        relations.areSameHands(successor, first),
        relations.areSameHands(first, stranger),
        relations.areSameHands('cli:somebody', stranger),
      ];
    };
    expect(await answers()).to.deep.equal([true, true, false, false]);
    const owner = await openTestDatabase(adminUrlOf(database.url));
    await runSql(owner, 'DELETE FROM api_key WHERE key_id = $1', [first]);
    await owner.close();
    expect(await answers()).to.deep.equal([true, true, true, false]);
  });

  it('do not include a key that rotated another one only after its decision', () => {
    const keys = {
      makers: new Map([
        ['asking', null],
        ['deciding', null],
        ['later', 'deciding'],
      ]),
      rotations: [{ from: 'asking', to: 'later', atMs: 1_000_000 }],
      tags: new Map<string, readonly string[]>(),
      ends: new Map<string, object>(),
      problems: [],
    };
    expect(wereSameHands(keys, 'asking', 'deciding', { atMs: 500_000 })).to.equal(false);
    expect(wereSameHands(keys, 'asking', 'deciding', { atMs: 1_000_001 + GRACE_MS })).to.equal(true);
    expect(wereSameHands(keys, 'later', 'deciding', { atMs: 500_000 })).to.equal(true);
  });
});
