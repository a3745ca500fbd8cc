// Set-up for tests of keys: the key routes on the real edge over a real database, with a clock that tests can advance.
import { expect } from 'chai';
import { agentRoutes } from '../../ingress/routes/agents.ts';
import { createIdempotency } from '../../ingress/request/idempotency.ts';
import type { Limiter } from '../../ingress/request/limit.ts';
import { createLimiter } from '../../ingress/request/key-limit.ts';
import { keyRoutes } from '../../ingress/routes/keys.ts';
import { type ChangeFeed, startChangeFeed } from '../../shared/platform/db/changes.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { createAuthenticator } from '../../shared/domain/keys/authenticator.ts';
import { ensureBootstrap } from '../../shared/domain/keys/bootstrap.ts';
import { generateKey } from '../../shared/domain/keys/format.ts';
import { createLastUsed, type LastUsed } from '../../shared/domain/keys/last-used.ts';
import { createOrganisation } from '../../shared/domain/keys/organisations.ts';
import { createSecretHasher } from '../../shared/domain/keys/secrets.ts';
import { createKey, type KeySpec } from '../../shared/domain/keys/store.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, openTestDatabase } from '../support/database.ts';
import { TEST_PEPPER } from '../support/process.ts';
import { startSample } from '../support/sample-app.ts';

/** No attributes are declared. */
const NO_SET = {
  installation(): never {
    throw new Error('no policy set is in force');
  },
};

export interface KeyService {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly changes: ChangeFeed;
  readonly lastUsed: LastUsed;
  readonly baseUrl: string;
  /** Id of the operator's organisation. */
  readonly operatorId: string;
  /** Sends the bootstrap key. */
  readonly admin: Client;
  readonly adminKeyId: string;
  /** Names of the statements that ran outside transactions. */
  readonly statements: string[];
  /** Advances the clock of the service. */
  advance(ms: number): void;
  nowMs(): number;
  /** Stores a key directly and returns its text. */
  addKey(spec?: Partial<KeySpec>): Promise<string>;
  addOrganisation(slug: string, tier?: number): Promise<string>;
  as(key: string): Client;
  close(): Promise<void>;
}

export interface KeyServiceOptions {
  /** Default: no limits. */
  readonly limiter?: Limiter;
  readonly databaseUrl?: string;
  /** Default: long timeouts for statements and connections, so that a busy machine causes no failure. False: as in production. */
  readonly patient?: boolean;
}

export async function startKeyService(options: KeyServiceOptions = {}): Promise<KeyService> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined;
  const url = options.databaseUrl ?? database?.url ?? '';
  const background: unknown[] = [];
  const onError = (error: unknown): void => void background.push(error);
  const opened = await openTestDatabase(url, { patient: options.patient ?? true, onError });
  const statements: string[] = [];
  const db: Database = {
    ...opened,
    query(statement, values) {
      statements.push(statement);
      return opened.query(statement, values);
    },
  };
  let offsetMs = 0;
  const clock = { nowMs: () => Date.now() + offsetMs, monotonicMs: () => performance.now() };
  const bootstrapKey = generateKey('live');
  const { organisation } = await ensureBootstrap({ db, pepper: TEST_PEPPER, bootstrapKey: bootstrapKey.key, clock });
  const changes = await startChangeFeed({ db, databaseUrl: url, monotonicMs: clock.monotonicMs, onError });
  const lastUsed = createLastUsed({ db, onError, intervalMs: 3_600_000 });
  const hasher = createSecretHasher(TEST_PEPPER);
  const { authenticate } = createAuthenticator({ db, changes, pepper: TEST_PEPPER, clock, onUse: lastUsed.record });
  const sample = await startSample({
    routes: [
      ...keyRoutes({ db, hasher, nowMs: clock.nowMs, settle: () => changes.refresh() }),
      ...agentRoutes({
        db,
        nowMs: clock.nowMs,
        settle: () => changes.refresh(),
        trustDailyCap: 10_000,
        policies: NO_SET,
      }),
    ],
    authenticate,
    limiter: options.limiter ?? createLimiter({ enabled: false, monotonicMs: clock.monotonicMs, onError }),
    idempotency: createIdempotency({
      db,
      pepper: Buffer.from(TEST_PEPPER),
      monotonicMs: clock.monotonicMs,
      deletionMs: Date.now,
    }),
    clock,
  });
  const admin = createClient(sample.baseUrl, bootstrapKey.key, { hasOwnDocument: true });

  return {
    db,
    databaseUrl: url,
    changes,
    lastUsed,
    baseUrl: sample.baseUrl,
    operatorId: organisation.id,
    admin,
    adminKeyId: bootstrapKey.keyId,
    statements,
    advance: (ms) => (offsetMs += ms),
    nowMs: clock.nowMs,
    async addKey(spec = {}) {
      const made = await createKey(db, hasher, {
        organisationId: organisation.id,
        environment: 'live',
        name: 'added',
        scopes: ['intents:write'],
        agentIds: null,
        tier: 7,
        createdAtMs: clock.nowMs(),
        createdBy: null,
        expiresAtMs: null,
        ...spec,
      });
      return made.key;
    },
    async addOrganisation(slug, tier = 7) {
      return (await createOrganisation(db, { slug, name: slug, tier }, clock.nowMs())).id;
    },
    as: (key) => admin.withKey(key),
    async close() {
      admin.close();
      await sample.close();
      await lastUsed.close();
      await changes.close();
      await opened.close();
      await database?.drop();
    },
  };
}

const KEYS = '/v1/auth/keys';

interface CreatedKey {
  readonly keyId: string;
  readonly key: string;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

export interface KeyActions {
  /** Creates a key as the admin over HTTP. */
  make(body?: object): Promise<CreatedKey>;
  list(client?: Client): Promise<{ keyId: string }[]>;
  /** The error code of a request with this key, or `accepted`. */
  codeWith(key: string): Promise<string>;
}

export function keyActions({ admin, as }: Pick<KeyService, 'admin' | 'as'>): KeyActions {
  return {
    async make(body = {}) {
      const answer = await admin.post(KEYS, { name: 'one', scopes: ['agents:read'], ...body });
      expect(answer.status, answer.text).to.equal(201);
      return answer.json as CreatedKey;
    },
    list: async (client = admin) => (await client.get(`${KEYS}?limit=200`)).json.items as { keyId: string }[],
    codeWith: async (key) => (await as(key).get('/v1/agents')).json.code ?? 'accepted',
  };
}
