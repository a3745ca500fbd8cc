// Checks of `custos doctor` on the service: secrets, keys, policies, waiting work, workers, logs and Redis.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { Config } from '../../shared/platform/config/table.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { AHEAD_SECONDS, type Backlog, readBacklog, readQueues } from '../../shared/domain/installation/backlog.ts';
import {
  placesText,
  processesAlive,
  type ProcessRole,
  readProcesses,
} from '../../shared/platform/process/heartbeat.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { loadCanonicalSet } from '../../shared/core/policy/stored-set.ts';
import { compileLexicon, compileStoredLexicon, leftOutOf } from '../../shared/core/intent/lexicon/lexicon.ts';
import { compareSecretFingerprint, PEPPER, SecretMismatchError } from '../../shared/platform/db/fingerprints.ts';
import { readLateAudits } from '../../shared/domain/ledger/audit-lag.ts';
import { logProblems } from '../../shared/domain/ledger/log-states.ts';
import { countWaitingKeys } from '../../shared/domain/keys/previous-pepper.ts';
import { checkSealedRows } from '../../shared/platform/db/seals/check.ts';
import { PEPPER_FILE, PEPPER_PREVIOUS_FILE } from '../../shared/platform/embedded/secrets.ts';
import { readKeyFile } from '../../shared/domain/ledger/key-file.ts';
import { stageViews } from '../../shared/domain/drafts/stage-views.ts';
import { changeRulesOf } from '../../shared/domain/policy-sets/change-rules.ts';
import { pendingProposals } from '../../shared/domain/policy-sets/proposals.ts';
import { readPolicyFolder, TooManyFiles } from '../../shared/domain/policy-sets/folder.ts';
import { admitPolicySet } from '../../shared/core/policy/admit.ts';
import { keyIdOf } from '../../shared/core/proof/keys.ts';
import { countDeadJobs } from '../../shared/platform/queues/dead-jobs.ts';
import type { Queues } from '../../shared/platform/queues/queues.ts';
import { evictionProblem } from '../../shared/platform/queues/redis.ts';
import { reasonOf as whyUnreadable } from '../policy/place.ts';
import { ageText, type Diagnosis, isOlder, ok, problem, reasonOf, skipped, warning } from './check.ts';

const OLDEST_REDIS = '6.2.0';
const REDIS_TIMEOUT_MS = 2_000;
/** A key that expires within this time should be rotated now. */
const EXPIRES_SOON = '14 days';
/** Work that waits longer than this is overdue; the alert rules in docs/operations use the same threshold. */
const LATE_SECONDS = 10;

const ADMIN_KEYS = `SELECT count(*) FILTER (WHERE expires_at IS NULL OR expires_at > now())::int AS usable,
      count(*) FILTER (WHERE expires_at IS NULL OR expires_at > now() + interval '${EXPIRES_SOON}')::int AS lasting
    FROM api_key JOIN organisation ON organisation.id = api_key.organisation_id AND organisation.is_operator
    WHERE api_key.environment = 'live' AND 'admin:*' = ANY (scopes) AND revoked_at IS NULL`;
const POLICY_STATE = "SELECT active_digest, coalesce(source, 'folder') AS source FROM policy_state";

/** The set of the installation, and some of organisations. An altered text is not evaluated, which the audit reports. */
const SETS_IN_FORCE = `SELECT text.digest, text.canonical, own.slug FROM (
      SELECT active_digest AS digest, NULL AS slug FROM policy_state
      UNION ALL (SELECT p.active_digest, o.slug FROM organisation_policy p JOIN organisation o ON o.id = p.organisation_id
        WHERE p.active_digest IS NOT NULL ORDER BY o.slug LIMIT 20)
    ) AS own JOIN policy_set_text AS text USING (digest) WHERE encode(sha256(text.canonical), 'hex') = text.digest`;
const ANOTHER_SET =
  'bring the policies up to date ("custos policy check" lists what is missing), then put them into force: "custos policy push", or "custos policy follow-folder"';

/** The peppers of this installation, from settings or from the data folder of the embedded database. */
export function peppersOf(config: Config): Partial<Record<'pepper' | 'previous', string>> {
  const stored = (name: string): string | undefined => {
    const file = dataFile(config, name);
    return file === undefined ? undefined : readFileSync(file, 'utf8').trim();
  };
  const pepper = config.pepper ?? stored(PEPPER_FILE);
  const previous = config.pepperPrevious ?? stored(PEPPER_PREVIOUS_FILE);
  return { ...(pepper !== undefined && { pepper }), ...(previous !== undefined && { previous }) };
}

/**
 * An existing file of the data folder. With DATABASE_URL no process reads the secrets there, and the folder may be left
 * over from a trial of the embedded database, so there is none then.
 */
function dataFile(config: Config, name: string): string | undefined {
  const file = path.join(config.dataDir, name);
  return config.databaseUrl === undefined && existsSync(file) ? file : undefined;
}

/** Keys that are stored under an earlier pepper. */
export async function checkWaitingKeys(db: Database, config: Config): Promise<Diagnosis[]> {
  const { previous } = peppersOf(config);
  const { waiting, lost } = await countWaitingKeys(db, previous);
  const found: Diagnosis[] = [];
  const check = 'previous pepper';
  if (lost > 0)
    found.push(
      warning(
        check,
        `${lost} keys are stored under an unknown pepper and do not work`,
        'set CUSTOS_PEPPER_PREVIOUS to it, or create new keys',
      ),
    );
  if (previous !== undefined)
    found.push(
      waiting > 0
        ? ok(check, `${waiting} keys are still stored under the previous pepper, until their first use`)
        : ok(check, 'no key needs it any longer: remove CUSTOS_PEPPER_PREVIOUS, or the file pepper-previous'),
    );
  return found;
}

/** Rows that grant authority and are refused, because their seal is wrong. */
export async function checkRows(db: Database, pepper: string): Promise<Diagnosis[]> {
  const check = 'sealed rows';
  // Under another pepper all seals are wrong; checkSecrets reports the pepper.
  if ((await compareSecretFingerprint(db, PEPPER, pepper)) === 'other') return [];
  const { checked, refused } = await checkSealedRows(db);
  if (refused.length === 0) return [ok(check, `all ${checked} rows that grant authority are as Custos wrote them`)];
  const tables = [...new Set(refused.map(({ table }) => table))].join(', ');
  return [
    problem(
      check,
      `${refused.length} rows that grant authority are refused: ${tables}`,
      '"custos seals check" lists them',
    ),
  ];
}

/** Compares the secrets of this installation with those that the database was created with. */
export async function checkSecrets(db: Database, config: Config): Promise<Diagnosis[]> {
  const found: Diagnosis[] = [];
  const compare = async (check: string, name: string, secret: string | Uint8Array): Promise<void> => {
    const state = await compareSecretFingerprint(db, name, secret);
    if (state === 'other') found.push(problem(check, new SecretMismatchError(name).message, `set the right ${name}`));
    else
      found.push(
        ok(check, state === 'same' ? 'is the one that the database was created with' : 'the database has none yet'),
      );
  };
  const { pepper } = peppersOf(config);
  if (pepper !== undefined) await compare('pepper', 'CUSTOS_PEPPER', pepper);
  const keyFile = config.signingKeyFile ?? dataFile(config, 'signing-key.pem');
  if (keyFile !== undefined) {
    const key = await readKeyFile('CUSTOS_SIGNING_KEY_FILE', keyFile);
    await compare('log key of the database', 'CUSTOS_SIGNING_KEY_FILE', keyIdOf(key));
  }
  return found;
}

export async function checkAdminKeys(db: Database): Promise<Diagnosis[]> {
  const [row] = await db.query<{ usable: number; lasting: number }>(ADMIN_KEYS, []);
  const { usable = 0, lasting = 0 } = row ?? {};
  const create = 'npx custos keys create --name operator --scope "admin:*"';
  if (usable === 0) return [problem('admin key', 'the operator has no valid admin key', `create one: ${create}`)];
  const seen =
    usable === 1 ? 'the operator has 1 valid live admin key' : `the operator has ${usable} valid live admin keys`;
  if (lasting === 0)
    return [warning('admin key', `${seen}; all expire within ${EXPIRES_SOON}`, `create another: ${create}`)];
  return [ok('admin key', seen)];
}

/** Compares the policy folder with the set in force. */
export async function checkPolicies(db: Database, config: Config): Promise<Diagnosis[]> {
  const check = 'policy set';
  const [state] = await db.query<{ active_digest: string | null; source: string }>(POLICY_STATE, []);
  const active = state?.active_digest ?? undefined;
  const folder = await folderDigest(config.policyDir);
  if (typeof folder !== 'string') return [...folder, ...inForce(active)];
  if (active === undefined)
    return [
      problem(check, 'none is in force: every request is refused', 'start a worker, which reads the policy folder'),
    ];
  if (folder !== active && state?.source !== 'folder')
    return [
      ok(
        check,
        `${active.slice(0, 12)} is in force by a push or a rollback; the folder (${folder.slice(0, 12)}) is not followed`,
      ),
    ];
  if (folder !== active)
    return [
      warning(
        check,
        `the set of ${config.policyDir} (${folder.slice(0, 12)}) is not the one in force (${active.slice(0, 12)})`,
        'wait two seconds after an edit; otherwise check that workers run and read this folder',
      ),
    ];
  return [ok(check, `${active.slice(0, 12)} is in force, as in the folder`)];
}

/** Whether this version can load the set in force and those of organisations, and all of their lexicons. */
export async function checkSetsInForce(db: Database): Promise<Diagnosis[]> {
  const rows = await db.query<{ digest: string; canonical: Buffer; slug: string | null }>(SETS_IN_FORCE, []);
  return rows.flatMap(({ digest, canonical, slug }): Diagnosis[] => {
    const check = slug === null ? 'set in force' : `set of ${slug}`;
    const loaded = loadCanonicalSet(canonical.toString('utf8'), { compileLexicon: compileStoredLexicon });
    if (!loaded.ok) {
      const [{ pointer, message } = { pointer: '', message: '' }] = loaded.findings;
      const advice = slug === null ? ANOTHER_SET : 'push its policies again, or put another set into force';
      return [problem(check, `this version can not load ${digest.slice(0, 12)}: ${pointer} ${message}`, advice)];
    }
    const left = leftOutOf(loaded.set.lexicon);
    const [first] = left;
    if (slug !== null) return [];
    if (first === undefined) return [ok(check, `${digest.slice(0, 12)} can be loaded, with all of its lexicon`)];
    return [
      warning(
        check,
        `its lexicon is of another version: ${left.length} of its parts are off or empty, such as ${first.pointer}: ${first.message}`,
        ANOTHER_SET,
      ),
    ];
  });
}

/** What a change of policies needs, and which changes are in progress. */
export async function checkPolicyChanges(db: Database, config: Config, nowMs: number): Promise<Diagnosis[]> {
  const check = 'policy changes';
  const { needsApproval, approvers, quorum = 1, signers } = changeRulesOf(config);
  const pending = await pendingProposals(db, nowMs);
  const stages = await stageViews(db);
  const named = approvers === undefined ? '' : ' of named keys or tags';
  const approval = needsApproval ? `${quorum} approval${quorum === 1 ? '' : 's'}${named}` : 'no approval';
  const signature = signers === undefined ? 'no signature' : `a signature of one of ${signers.size} signers`;
  const [state] = await db.query<{ source: string }>(POLICY_STATE, []);
  const followed = (state?.source ?? 'folder') === 'folder' ? 'the folder is followed' : 'the folder is not followed';
  return [
    ok(
      check,
      `need ${approval} and ${signature}; ${followed}; sets that are staged: ${stages.length}; changes that wait for approval: ${pending.length}`,
    ),
  ];
}

function inForce(active: string | undefined): Diagnosis[] {
  if (active === undefined) return [];
  return [
    warning('policy set', `${active.slice(0, 12)} stays in force until the folder is valid`, 'repair the folder'),
  ];
}

/** The digest of the set in the folder, or why it can't be put into force. */
export async function folderDigest(dir: string): Promise<string | Diagnosis[]> {
  const check = 'policy folder';
  const advice = '"custos policy check" lists all errors';
  try {
    const folder = await readPolicyFolder(dir);
    const { set, errors } = admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs });
    if (set !== undefined) return set.digest;
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    return [problem(check, `${first?.file}:${first?.line}:${first?.column} ${first?.message}${more}`, advice)];
  } catch (error) {
    return [
      problem(
        check,
        `${dir} can't be read: ${error instanceof TooManyFiles ? error.reason : (whyUnreadable(error) ?? reasonOf(error))}`,
        'set CUSTOS_POLICY_DIR to the folder',
      ),
    ];
  }
}

/** What waits in the outbox, which holds what is in no queue yet, and in the queues. */
const WORK = {
  outbox: 'accepted work',
  intents: 'intent',
  trust: 'trust signal',
  proofs: 'record',
  webhooks: 'message',
} as const satisfies Readonly<Record<'outbox' | keyof Backlog['queues'], string>>;

const RESUME = 'set CUSTOS_QUEUE_ADMIN=on, and resume it on the board of the queues (/dashboard/queues/board)';

/** Accepted work that waits, and queues that somebody paused. */
export async function checkWork(db: Database, queues: Pick<Queues, 'counts'>): Promise<Diagnosis[]> {
  const backlog = await readBacklog(db);
  const read = await readQueues(queues, backlog.queues);
  const paused = read.filter(({ jobs }) => jobs?.isPaused === true).map(({ queue }) => queue);
  const waiting = { outbox: backlog.outbox, ...backlog.queues };
  const waits = (Object.keys(WORK) as (keyof typeof WORK)[]).map((check): Diagnosis => {
    if (waiting[check] === 0) return ok(check, `no ${WORK[check]} is waiting`);
    const seen = `the oldest ${WORK[check]} has waited for ${ageText(waiting[check])}`;
    if (waiting[check] <= LATE_SECONDS) return ok(check, seen);
    const isPaused = paused.some((queue) => queue === check);
    return problem(check, seen, isPaused ? RESUME : 'check that workers run, and read their logs');
  });
  const dead = [...(await countDeadJobs(db))];
  const jobs = dead.map(([queue, count]) => `${count} in ${queue}`).join(', ');
  return [
    ...waits,
    ...(read.some(({ jobs }) => jobs === undefined) ? [skipped('queues', 'their store does not answer')] : []),
    ...(backlog.ahead > AHEAD_SECONDS
      ? [
          warning(
            'backlog',
            `the oldest work waits since a time ${ageText(backlog.ahead)} ahead: the database's clock was set back`,
            'check that workers run, and read their logs',
          ),
        ]
      : []),
    ...paused.map((queue) => problem('queues', `${queue} is paused: workers take no job of it`, RESUME)),
    dead.length === 0
      ? ok('dead jobs', 'none')
      : warning(
          'dead jobs',
          `failed for good: ${jobs}`,
          'retry or discard them on the page Dead jobs of the dashboard',
        ),
  ];
}

const WITHOUT: Readonly<Record<ProcessRole, readonly [what: string, advice: string]>> = {
  ingress: ['no ingress process is alive: no request is answered', 'start ingress, or find out why it ends'],
  workers: ['no worker process is alive: accepted work waits', 'start workers, or find out why they end'],
};

/**
 * Whether ingress answers requests, and workers carry out what was accepted. An installation of which no process was seen for an hour, or
 * whose processes ended in order, may be checked before it is started: then it is only a warning.
 */
export async function checkProcesses(db: Database): Promise<Diagnosis[]> {
  const runs = (await readProcesses(db)).length > 0;
  return Promise.all(
    (['ingress', 'workers'] as const).map(async (role) => {
      const alive = await processesAlive(db, role);
      if (alive.length > 0) return ok(role, placesText(alive));
      return (runs ? problem : warning)(role, ...WITHOUT[role]);
    }),
  );
}

export async function checkLogs(db: Database): Promise<Diagnosis[]> {
  const check = 'audit';
  const late = await readLateAudits(db);
  const problems = await logProblems(db);
  const advice = 'see docs/guides/run-in-production.md, "When the audit found something" and "Backup and restore"';
  return [
    ...(late === undefined ? [] : [warning(check, late, 'see CustosAuditBehind in docs/operations/runbook.md')]),
    ...(problems.length === 0
      ? [ok(check, 'the logs have no open findings')]
      : problems.map((sentence) => problem(check, sentence, advice))),
  ];
}

export async function checkRedis(config: Config): Promise<Diagnosis[]> {
  const { redisUrl } = config;
  if (redisUrl === undefined) return [skipped('redis', 'REDIS_URL is not set: PostgreSQL carries the queues')];
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: REDIS_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    retryStrategy: () => null,
  });
  // The first error has the cause; later ones only report that the connection has ended.
  let first: unknown;
  client.on('error', (error) => (first ??= error));
  try {
    await client.connect();
    const info = await client.info();
    const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? '0';
    const found: Diagnosis[] = [
      isOlder(version, OLDEST_REDIS)
        ? problem('redis', `Redis ${version} is too old`, `use Redis ${OLDEST_REDIS} or later`)
        : ok('redis', `Redis ${version}`),
    ];
    const refuses = whyRefused(info);
    if (refuses !== undefined)
      found.push(
        problem('redis', `it refuses writes: ${refuses}`, 'until then nothing that was accepted is carried out'),
      );
    const eviction = await evictionProblem(redisUrl);
    found.push(
      eviction === undefined
        ? ok('redis eviction', 'keys are never evicted')
        : problem('redis eviction', eviction, 'set maxmemory-policy noeviction'),
    );
    if (!/^aof_enabled:1/m.test(info))
      found.push(
        warning(
          'redis persistence',
          'Redis has no append-only file: after a crash the sweeper must queue open work again',
          'set appendonly yes',
        ),
      );
    return found;
  } catch (error) {
    return [
      problem('redis', `Redis does not answer: ${reasonOf(first ?? error)}`, 'start Redis, or correct REDIS_URL'),
    ];
  } finally {
    client.disconnect();
  }
}

/** Why a Redis that answers takes no jobs, from its INFO. */
function whyRefused(info: string): string | undefined {
  const valueOf = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  if (valueOf('role') === 'slave') return 'it is a replica; name the primary in REDIS_URL, or promote it';
  const [most, used] = [Number(valueOf('maxmemory')), Number(valueOf('used_memory'))];
  return most > 0 && used >= most ? 'its memory is full; raise maxmemory' : undefined;
}
