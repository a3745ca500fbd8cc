// For tests of the whole ingress: the real service in this process with its own database and active policies.
import path from 'node:path';
import { lexiconFile, smallLexicon } from './lexicon.ts';
import type { WaitOptions } from '../../ingress/waits/waits.ts';
import { type RunningIngress, startIngress } from '../../ingress/service.ts';
import { readConfig, requireIngress } from '../../shared/platform/config/config.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { ensureBootstrap } from '../../shared/domain/keys/bootstrap.ts';
import { generateKey } from '../../shared/domain/keys/format.ts';
import { createOrganisation } from '../../shared/domain/keys/organisations.ts';
import { createSecretHasher } from '../../shared/domain/keys/secrets.ts';
import { createKey, type KeySpec } from '../../shared/domain/keys/store.ts';
import { createLogger } from '../../shared/platform/observe/logger.ts';
import { findRoot } from '../../shared/platform/config/root.ts';
import { compileLexicon, compileStoredLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import { applyFolder } from '../../workers/policies.ts';
import { loadingWith, type LoadSet } from '../../shared/domain/policy-sets/active-set.ts';
import { type Admit, admitHere } from '../../shared/domain/policy-sets/admission.ts';
import { LEXICON_FOLDER } from '../../shared/core/policy/lexicon-files.ts';
import { type PolicyFolder, readPolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import { type Client, createClient } from './client.ts';
import { testKeyFiles } from './keys.ts';
import { adminUrlOf, copiesOf, openTestDatabase, PATIENCE, type TestDatabase } from './database.ts';
import { TEST_PEPPER, type TestEnv } from './process.ts';
import { runSql } from './sql.ts';
import { waitFor } from './wait.ts';

/** Policies by file name, as objects. */
export type PolicyFiles = Readonly<Record<string, object>>;

/** The lexicon: the shipped one, or a small one for tests that read no texts. */
export type Words = 'shipped' | 'few';

export interface ServiceOptions {
  /** Default: the shipped policies. */
  readonly policies?: PolicyFiles;
  /** Default: shipped. */
  readonly words?: Words;
  /** Settings in addition to PORT=0 and disabled rate limits. */
  readonly env?: TestEnv;
  /** Default: a new database, dropped at the end. */
  readonly databaseUrl?: string;
  /** Default: long timeouts for statements and connections, so that a busy machine does not fail tests. False: as in production. */
  readonly patient?: boolean;
  /** Of requests that wait. Default: those of production. */
  readonly waitOptions?: WaitOptions;
  /** Default: performance.now. */
  readonly monotonicMs?: () => number;
  /** Receives the log lines. Default: nothing is logged. */
  readonly log?: (line: string) => void;
}

/** Statements that prepare many rows are no promise of the service: only those that hang are to fail. */
const SUPERUSER_TIMEOUT_MS = 60_000;

export interface Service {
  readonly ingress: RunningIngress;
  /** A separate pool for the test, with the same rights as the service. */
  readonly db: Database;
  readonly databaseUrl: string;
  readonly operatorId: string;
  /** A client with the bootstrap key: live, admin:*, of the operator. */
  readonly admin: Client;
  readonly adminKey: string;
  nowMs(): number;
  /** Moves the wall clock of the service forward. */
  advance(ms: number): void;
  /** A client with a new key. Default: live, intents:write, of the operator. */
  client(spec?: Partial<KeySpec>): Promise<Client>;
  addKey(spec?: Partial<KeySpec>): Promise<{ key: string; keyId: string }>;
  addOrganisation(slug: string): Promise<string>;
  /** Activates policies and waits until this ingress evaluates them. */
  apply(policies?: PolicyFiles): Promise<string>;
  /** Runs one statement as the superuser and returns its rows, so that a test may read and change everything. */
  rows<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Moves the service's clock past midnight if that is near: trust is computed per day, and a test must not span two days. */
export function leaveMidnight(service: Service): void {
  const leftMs = DAY_MS - (service.nowMs() % DAY_MS);
  if (leftMs < 600_000) service.advance(leftMs);
}

export const SHIPPED_POLICIES = path.join(findRoot(), 'policies');

/** Creates a policy folder with these files, or the shipped ones, and a lexicon. */
export async function folderOf(policies: PolicyFiles | undefined, words: Words = 'shipped'): Promise<PolicyFolder> {
  const lexicon = words === 'shipped' ? lexiconFile() : smallLexicon();
  if (policies !== undefined)
    return {
      policies: Object.entries(policies).map(([name, policy]) => ({
        path: name,
        text: JSON.stringify(policy, null, 2),
      })),
      lexicon,
      refused: [],
      fingerprint: JSON.stringify(policies),
    };
  const folder = await readPolicyFolder(SHIPPED_POLICIES);
  const isPolicy = ({ path: name }: { readonly path: string }): boolean => !name.startsWith(`${LEXICON_FOLDER}/`);
  return words === 'shipped' ? folder : { ...folder, lexicon, policies: folder.policies.filter(isPolicy) };
}

interface Bootstrapped {
  readonly key: string;
  readonly operatorId: string;
}

/** Creates the first organisation and admin key of a database. */
export async function bootstrap(db: Database): Promise<Bootstrapped> {
  const { key } = generateKey('live');
  const { organisation } = await ensureBootstrap({
    db,
    pepper: TEST_PEPPER,
    bootstrapKey: key,
    clock: { nowMs: Date.now },
  });
  return { key, operatorId: organisation.id };
}

/** The same for a database without an open connection: opens one with seals and closes it afterwards. */
export async function bootstrapAt(url: string): Promise<Bootstrapped> {
  const db = await openTestDatabase(url);
  try {
    return await bootstrap(db);
  } finally {
    await db.close();
  }
}

const loading = loadingWith(compileStoredLexicon);
const loadedSets = new Map<string, ReturnType<LoadSet>>();
const MAX_LOADED = 8;

/**
 * Services and workers of a test run mostly have the shipped policies, and loading them takes half of the processor time of a start. Only a
 * text that was loaded before, to the last character, gives the same set again.
 */
export const loadStored: LoadSet = async (canonical, digest) => {
  const name = `${digest} ${canonical}`;
  const loaded = loadedSets.get(name) ?? loading(canonical, digest);
  loadedSets.delete(name);
  loadedSets.set(name, loaded);
  const [oldest] = loadedSets.keys();
  if (loadedSets.size > MAX_LOADED && oldest !== undefined) loadedSets.delete(oldest);
  return loaded;
};
/** Its members are in another order than those of a stored set. */
const last: { lexicon?: ReturnType<typeof compileLexicon> } = {};
/** The compiler finds the last lexicon again while it is in use. */
const compileFile: typeof compileLexicon = (json) => (last.lexicon = compileLexicon(json));
const admit: Admit = async (folder) => admitHere(folder, compileFile);

const SILENT = createLogger({ name: 'test', level: 'silent', pretty: false });

/** Creates the first organisation of a database, and activates policies in it. */
async function activate(url: string, policies: PolicyFiles | undefined, words: Words): Promise<Bootstrapped> {
  const db = await openTestDatabase(url);
  const made = await bootstrap(db);
  await applyFolder({ db, nowMs: Date.now, logger: SILENT }, await folderOf(policies, words), { admit });
  await db.close();
  return made;
}

const filled = new Map<string, () => Promise<TestDatabase & Bootstrapped>>();

/**
 * A database with an organisation, and with policies active. All with the same policies and words are copies of one and share its organisation
 * and key, because checking policies is slow.
 */
async function databaseWith(policies: PolicyFiles | undefined, words: Words): Promise<TestDatabase & Bootstrapped> {
  const name = JSON.stringify([words, policies]);
  let copy = filled.get(name);
  if (copy === undefined) {
    let made: Bootstrapped | undefined;
    const copies = copiesOf(async ({ url }) => {
      made = await activate(url, policies, words);
    });
    copy = async () => {
      const database = await copies();
      if (made === undefined) throw new Error('the first database was not filled');
      return { ...database, ...made };
    };
    filled.set(name, copy);
  }
  return copy();
}

/**
 * A database with an organisation, the shipped policies and few words active: ingress processes on it need no worker to become ready.
 */
export const createReadyDatabase = (): Promise<TestDatabase & Bootstrapped> => databaseWith(undefined, 'few');

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { words = 'shipped' } = options;
  const database = options.databaseUrl === undefined ? await databaseWith(options.policies, words) : undefined;
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const root = findRoot();
  const env = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    CUSTOS_PEPPER: TEST_PEPPER,
    CUSTOS_RATE_LIMIT: 'off',
    CUSTOS_LOG_REQUESTS: 'all',
  };
  const config = requireIngress(readConfig({ ...testKeyFiles(), ...env, ...options.env }, { root }));
  const { log } = options;
  const logger =
    log === undefined
      ? SILENT
      : createLogger({ name: 'test', level: 'info', pretty: false, destination: { write: log } });
  const db = await openTestDatabase(databaseUrl);
  const { key: adminKey, operatorId } = database ?? (await bootstrap(db));
  let offsetMs = 0;
  const nowMs = (): number => Date.now() + offsetMs;
  const clock = { nowMs, monotonicMs: options.monotonicMs ?? (() => performance.now()) };
  if (database === undefined)
    await applyFolder({ db, nowMs, logger }, await folderOf(options.policies, words), { admit });
  const ingress = await startIngress({
    config,
    logger,
    root,
    clock,
    loadSet: loadStored,
    waitOptions: options.waitOptions,
    ...(options.patient === false ? {} : { patience: PATIENCE }),
  });
  await ingress.ready();
  const admin = createClient(ingress.address, adminKey);
  const hasher = createSecretHasher(TEST_PEPPER);

  let opened: Promise<Database> | undefined;
  const superuser = (): Promise<Database> =>
    (opened ??= openTestDatabase(adminUrlOf(databaseUrl), { queryTimeoutMs: SUPERUSER_TIMEOUT_MS }));

  const service: Service = {
    ingress,
    db,
    databaseUrl,
    operatorId,
    admin,
    adminKey,
    nowMs,
    advance: (ms) => (offsetMs += ms),
    client: async (spec) => admin.withKey((await service.addKey(spec)).key),
    async addKey(spec = {}) {
      const full: KeySpec = {
        organisationId: operatorId,
        environment: 'live',
        name: 'test',
        scopes: ['intents:write'],
        agentIds: null,
        tier: 7,
        createdAtMs: nowMs(),
        createdBy: null,
        expiresAtMs: null,
        ...spec,
      };
      const { key, row } = await db.transaction((sql) => createKey(sql, hasher, full));
      return { key, keyId: row.keyId };
    },
    addOrganisation: async (slug) => (await createOrganisation(db, { slug, name: slug, tier: 7 }, nowMs())).id,
    async apply(policies) {
      await applyFolder({ db, nowMs, logger }, await folderOf(policies, words), { admit });
      const [state] = await service.rows<{ digest: string }>('SELECT active_digest AS digest FROM policy_state');
      const digest = state?.digest ?? '';
      await waitFor(async () => (await admin.get('/v1/policies')).json.digest === digest, {
        what: `policy set ${digest} to be in force`,
      });
      return digest;
    },
    rows: async (text, values = []) => runSql(await superuser(), text, values),
    async close() {
      admin.close();
      await ingress.close();
      await db.close();
      await (await opened)?.close();
      await database?.drop();
    },
  };
  return service;
}
