// The authenticator against a table in memory: its cache, its races, and that every guess costs the same.
import { expect } from 'chai';
import { TEST_SEALS } from '../../support/seals.ts';
import { type Change, type ChangeListener } from '../../../shared/platform/db/changes.ts';
import { ApiError } from '../../../shared/kernel/errors.ts';
import { createAuthenticator, KNOWN_FOR_MS } from '../../../shared/domain/keys/authenticator.ts';
import { formatKey, generateKey } from '../../../shared/domain/keys/format.ts';
import { createSecretHasher } from '../../../shared/domain/keys/secrets.ts';
import { isOperatorsKey, type OfOrganisation } from '../../../shared/domain/keys/operator.ts';
import type { AuthenticatedKey } from '../../../shared/domain/keys/types.ts';

const PEPPER = 'a pepper for tests, of no use elsewhere';

/** A key of the table in memory. */
type StoredKey = Omit<AuthenticatedKey, 'scopes' | 'agentIds' | 'expiresAtMs' | keyof OfOrganisation> & {
  readonly isOperator: boolean;
  readonly secretHmac: Buffer;
  readonly secretPepper: string | null;
  readonly scopes: readonly string[];
  readonly agentIds: readonly string[] | null;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
};

/** The row of a key joined with its organisation, as the look-up reads them. */
function rowOf(key: StoredKey): object {
  const at = new Date(0);
  const row = {
    key_id: key.keyId,
    organisation_id: key.organisationId,
    environment: key.environment,
    name: key.name,
    secret_hmac: key.secretHmac,
    scopes: key.scopes,
    agent_ids: key.agentIds,
    tier: key.tier,
    created_at: at,
    created_by: null,
    expires_at: key.expiresAt,
    revoked_at: key.revoked ? at : null,
    replaced_by: null,
    version: 1,
    secret_pepper: key.secretPepper,
    keeps_obligations: null,
    tags: key.tags,
  };
  const { organisationId: id, organisationSlug: slug, organisationTier: tier, isOperator: is_operator } = key;
  const owner = { id, slug, name: slug, tier, is_operator, created_at: at };
  const beside = { ...owner, seal: TEST_SEALS.sealOf('organisation', owner), seal_floor: null };
  return {
    ...row,
    lineage: key.lineage,
    seal: TEST_SEALS.sealOf('api_key', row),
    seal_floor: null,
    ...Object.fromEntries(Object.entries(beside).map(([column, value]) => [`o_${column}`, value])),
  };
}

function setUp() {
  const real = createSecretHasher(PEPPER);
  const work = { queries: 0, hashes: 0, comparisons: 0 };
  const table = new Map<string, StoredKey>();
  const listeners: ChangeListener[] = [];
  const clock = { now: 1_000_000, mono: 0 };
  const uses: [string, number][] = [];
  let fresh: Promise<void> | undefined;
  let gate: Promise<void> | undefined;
  const authenticator = createAuthenticator({
    db: {
      seals: TEST_SEALS,
      transaction: () => Promise.reject(new Error('nothing is written here')),
      async query<Row extends object>(_statement: unknown, values: readonly unknown[]): Promise<Row[]> {
        work.queries += 1;
        // The row is read when the statement is sent; the answer may come later.
        const row = table.get(String(values[0]));
        if (gate !== undefined) await gate;
        return (row === undefined ? [] : [rowOf(row)]) as unknown as Row[];
      },
    },
    changes: { subscribe: (listener) => void listeners.push(listener), ensureFresh: () => fresh },
    pepper: PEPPER,
    clock: { nowMs: () => clock.now, monotonicMs: () => clock.mono },
    onUse: (keyId, atMs) => uses.push([keyId, atMs]),
    hasher: {
      hash(secret) {
        work.hashes += 1;
        return real.hash(secret);
      },
      matches(presented, stored) {
        work.comparisons += 1;
        return real.matches(presented, stored);
      },
    },
  });
  const add = (change: Partial<StoredKey> = {}) => {
    const made = generateKey('live');
    table.set(made.keyId, {
      keyId: made.keyId,
      name: 'one',
      environment: 'live',
      secretHmac: real.hash(made.secret),
      secretPepper: null,
      scopes: ['intents:write'],
      agentIds: null,
      keepsObligations: new Set(),
      tags: ['finance'],
      tier: 4,
      expiresAt: null,
      revoked: false,
      lineage: made.keyId,
      organisationId: 'org_1',
      organisationSlug: 'first',
      organisationTier: 7,
      isOperator: true,
      ...change,
    });
    return made;
  };
  return {
    table,
    work,
    clock,
    uses,
    add,
    authenticate: (key: string, beforeLookUp?: () => void) =>
      authenticator.authenticate({ authorization: `Bearer ${key}` }, beforeLookUp),
    announce: (change: Change | 'reset') => {
      for (const listener of listeners) listener(change);
    },
    setFresh: (promise: Promise<void> | undefined): void => void (fresh = promise),
    setGate: (promise: Promise<void> | undefined): void => void (gate = promise),
  };
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'accepted';
}

/** A key with this id and another secret, and the right checksum. */
function wrongSecret(keyId: string): string {
  return formatKey({ ...generateKey('live'), keyId });
}

describe('the authenticator', () => {
  it('returns a key synchronously from the second time on, and records each use', async () => {
    const s = setUp();
    const made = s.add({ scopes: ['admin:*'], agentIds: ['a'], tier: 6, organisationTier: 5 });
    const first = s.authenticate(made.key);
    expect(first).to.be.instanceOf(Promise);
    const key = await first;
    expect(key).to.deep.include({
      keyId: made.keyId,
      organisationId: 'org_1',
      environment: 'live',
      expiresAtMs: null,
    });
    expect(isOperatorsKey(key), 'bound').to.equal(false);
    expect(isOperatorsKey({ ...key, agentIds: null })).to.equal(true);
    expect(key.tier, "at most the organisation's").to.equal(5);
    expect([...key.scopes]).to.deep.equal(['admin:*']);
    expect(key.agentIds?.has('a')).to.equal(true);
    s.clock.now += 5;
    const second = s.authenticate(made.key) as AuthenticatedKey;
    expect(second.keyId).to.equal(made.keyId);
    expect(s.work.queries).to.equal(1);
    expect(s.uses).to.deep.equal([
      [made.keyId, 1_000_000],
      [made.keyId, 1_000_005],
    ]);
  });

  it('looks a key up again after some minutes, even without a change notice', async () => {
    const s = setUp();
    const made = Array.from({ length: 8 }, () => s.add());
    for (const { key } of made) await s.authenticate(key);
    const isKnown = async (): Promise<number> => {
      const before = s.work.queries;
      for (const { key } of made) await s.authenticate(key);
      return made.length - (s.work.queries - before);
    };
    s.clock.mono = KNOWN_FOR_MS.least - 1;
    expect(await isKnown()).to.equal(made.length);
    for (const { keyId } of made) s.table.set(keyId, { ...(s.table.get(keyId) as StoredKey), revoked: true });
    s.clock.mono = KNOWN_FOR_MS.most;
    for (const { key } of made) expect(await codeOf(() => s.authenticate(key))).to.equal('E1002');
  });

  it('does the same work for an unknown id as for a wrong secret', async () => {
    const s = setUp();
    const made = s.add();
    const work = async (key: string) => {
      const before = { ...s.work };
      expect(await codeOf(() => s.authenticate(key))).to.equal('E1002');
      return {
        queries: s.work.queries - before.queries,
        hashes: s.work.hashes - before.hashes,
        comparisons: s.work.comparisons - before.comparisons,
      };
    };
    const once = { queries: 1, hashes: 1, comparisons: 1 };
    expect(await work(wrongSecret(made.keyId)), 'a wrong secret').to.deep.equal(once);
    expect(await work(generateKey('live').key), 'an unknown id').to.deep.equal(once);
    s.table.set(made.keyId, { ...(s.table.get(made.keyId) as StoredKey), revoked: true });
    expect(await work(wrongSecret(made.keyId)), 'a wrong secret of a revoked key').to.deep.equal(once);
    const repeated = wrongSecret(made.keyId);
    expect(await work(repeated)).to.deep.equal(once);
    expect(await work(repeated), 'a repeated guess').to.deep.equal({ queries: 0, hashes: 0, comparisons: 0 });
  });

  it('refuses a wrong checksum without a look-up', async () => {
    const s = setUp();
    const made = s.add();
    const broken = made.key.slice(0, -1) + (made.key.endsWith('0') ? '1' : '0');
    expect(await codeOf(() => s.authenticate(broken))).to.equal('E1002');
    expect(s.work).to.deep.equal({ queries: 0, hashes: 0, comparisons: 0 });
  });

  it('reports that a key has expired only if the secret matches, and checks the expiry at every use', async () => {
    const s = setUp();
    const made = s.add({ expiresAt: new Date(1_000_100) });
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('accepted');
    s.clock.now = 1_000_099;
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('accepted');
    s.clock.now = 1_000_100;
    expect(await codeOf(() => s.authenticate(made.key)), 'at that moment, from the cache').to.equal('E1003');
    expect(await codeOf(() => s.authenticate(wrongSecret(made.keyId)))).to.equal('E1002');
    const late = s.add({ expiresAt: new Date(999_999) });
    expect(await codeOf(() => s.authenticate(late.key)), 'from the table').to.equal('E1003');
    expect(await codeOf(() => s.authenticate(wrongSecret(late.keyId)))).to.equal('E1002');
    const revoked = s.add({ expiresAt: new Date(999_999), revoked: true });
    expect(await codeOf(() => s.authenticate(revoked.key)), 'revoked takes precedence').to.equal('E1002');
    expect(s.uses.length, 'refusals are not recorded as uses').to.equal(2);
  });

  it('refuses a key whose stored environment differs', async () => {
    const s = setUp();
    const made = s.add({ environment: 'test' });
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('E1002');
  });

  for (const [name, change] of [
    ['a change of the key', (keyId: string) => ({ kind: 'key', subject: [keyId] })],
    ['a change of its organisation', () => ({ kind: 'organisation', subject: ['org_1'] })],
    ['a reset', () => 'reset'],
  ] as [string, (keyId: string) => Change | 'reset'][])
    it(`forgets a key after ${name}`, async () => {
      const s = setUp();
      const made = s.add();
      await s.authenticate(made.key);
      s.table.set(made.keyId, { ...(s.table.get(made.keyId) as StoredKey), revoked: true });
      s.announce({ kind: 'key', subject: ['another'] });
      s.announce({ kind: 'organisation', subject: ['org_2'] });
      s.announce({ kind: 'agent', subject: ['org_1', 'live', made.keyId] });
      expect(await codeOf(() => s.authenticate(made.key)), 'cached').to.equal('accepted');
      s.announce(change(made.keyId));
      expect(await codeOf(() => s.authenticate(made.key))).to.equal('E1002');
      expect(s.work.queries).to.equal(2);
    });

  for (const announced of ['key', 'reset'] as const)
    it(`discards a look-up that was overtaken by a ${announced} change`, async () => {
      const s = setUp();
      const made = s.add();
      let open = (): void => undefined;
      s.setGate(new Promise((resolve) => (open = resolve)));
      const overtaken = s.authenticate(made.key);
      // The statement has read the row. The key is revoked and the change announced before the answer arrives.
      s.table.set(made.keyId, { ...(s.table.get(made.keyId) as StoredKey), revoked: true });
      s.announce(announced === 'reset' ? 'reset' : { kind: 'key', subject: [made.keyId] });
      const later = codeOf(() => s.authenticate(made.key));
      open();
      expect(await codeOf(() => overtaken), 'the running look-up').to.equal('E1002');
      expect(await later, 'one that began after the announcement').to.equal('E1002');
      expect(await codeOf(() => s.authenticate(made.key)), 'nothing stale is cached').to.equal('E1002');
    });

  it('stops retrying and caches nothing when changes overtake every look-up', async () => {
    const s = setUp();
    const made = s.add();
    s.setGate(
      // biome-ignore lint/suspicious/noThenProperty: awaited by every query, and announces a change each time
      { then: (resolve: () => void) => (s.announce('reset'), resolve()) } as unknown as Promise<void>,
    );
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('E6002');
    s.setGate(undefined);
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('accepted');
  });

  it('shares one look-up between concurrent requests', async () => {
    const s = setUp();
    const made = s.add();
    const keys = await Promise.all(Array.from({ length: 64 }, () => s.authenticate(made.key)));
    expect(keys.every((key) => key.keyId === made.keyId)).to.equal(true);
    expect(s.work.queries).to.equal(1);
  });

  it('accepts a key that is created after it was refused: when announced, and within a second in any case', async () => {
    const s = setUp();
    const made = s.add();
    const row = s.table.get(made.keyId) as StoredKey;
    s.table.delete(made.keyId);
    expect(await codeOf(() => s.authenticate(made.key))).to.equal('E1002');
    s.table.set(made.keyId, row);
    s.clock.mono += 999;
    expect(await codeOf(() => s.authenticate(made.key)), 'remembered').to.equal('E1002');
    s.clock.mono += 1;
    expect(await codeOf(() => s.authenticate(made.key)), 'after a second').to.equal('accepted');

    const other = s.add();
    const otherRow = s.table.get(other.keyId) as StoredKey;
    s.table.delete(other.keyId);
    expect(await codeOf(() => s.authenticate(other.key))).to.equal('E1002');
    s.table.set(other.keyId, otherRow);
    s.announce({ kind: 'key', subject: [other.keyId] });
    expect(await codeOf(() => s.authenticate(other.key)), 'when announced').to.equal('accepted');
  });

  it('waits for the change feed before it uses the cache, and fails closed when that fails', async () => {
    const s = setUp();
    const made = s.add();
    await s.authenticate(made.key);
    let delivered = (): void => undefined;
    s.setFresh(new Promise((resolve) => (delivered = resolve)));
    const waiting = s.authenticate(made.key);
    expect(waiting).to.be.instanceOf(Promise);
    s.table.set(made.keyId, { ...(s.table.get(made.keyId) as StoredKey), revoked: true });
    s.announce({ kind: 'key', subject: [made.keyId] });
    delivered();
    expect(await codeOf(() => waiting)).to.equal('E1002');
    const other = s.add();
    s.setFresh(undefined);
    await s.authenticate(other.key);
    s.setFresh(Promise.reject(new ApiError('E6002', 'away')));
    expect(await codeOf(() => s.authenticate(other.key))).to.equal('E6002');
  });

  it('consults the anonymous limit before a look-up, and only then', async () => {
    const s = setUp();
    const made = s.add();
    const refuse = (): void => {
      throw new ApiError('E3001', 'too many');
    };
    expect(await codeOf(() => s.authenticate(made.key, refuse))).to.equal('E3001');
    expect(s.work).to.deep.equal({ queries: 0, hashes: 0, comparisons: 0 });
    await s.authenticate(made.key);
    expect(await codeOf(() => s.authenticate(made.key, refuse)), 'cached').to.equal('accepted');
    expect(await codeOf(() => s.authenticate(`${made.key}x`, refuse)), 'malformed').to.equal('E1002');
  });

  it('keeps no secret: the authenticated key contains neither the key nor its secret', async () => {
    const s = setUp();
    const made = s.add();
    const key = await s.authenticate(made.key);
    expect(JSON.stringify(key, (_, value: unknown) => (value instanceof Set ? [...value] : value))).to.not.contain(
      made.secret,
    );
  });
});
