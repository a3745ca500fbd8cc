// Reads the policy folder and activates what it says for the whole installation: one worker at a time, all or nothing.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Database, Sql, Statement } from '../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import { writeToAllLogs } from '../shared/domain/ledger/service-record.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Finding } from '../shared/core/policy/types.ts';
import { insertSealed, sealedColumns, type SealedRow, updateSealed } from '../shared/platform/db/seals/rows.ts';
import { readPolicyFolder, type PolicyFolder, stampOfFolder } from '../shared/domain/policy-sets/folder.ts';
import { type Admit, admitBySize } from './policy-admission.ts';

/** How often the folder is looked at. Two equal readings in a row are believed, so that half a write is not. */
const LOOK_EVERY_MS = 250;
/** Looking may take this share of the worker's time; very large folders are looked at less often. */
const MOST_SHARE = 0.1;

/** ... but at least this often. */
const MOST_REST_MS = 1_000;
/** A file system that has not answered by then hangs: the lock goes to another worker, which may see it differently. */
const READ_DEADLINE_MS = 10_000;

const STORE: Statement = {
  name: 'policy-set-store',
  text: 'INSERT INTO policy_set (digest, canonical, created_at) VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING',
};
const ORGANISATIONS: Statement = { name: 'policy-organisations', text: 'SELECT slug FROM organisation' };
const ENSURE_STATE: Statement = {
  name: 'policy-state-ensure',
  text: 'INSERT INTO policy_state DEFAULT VALUES ON CONFLICT DO NOTHING',
};
const LOCK_STATE: Statement = { name: 'policy-state-lock', text: 'SELECT FROM policy_state FOR UPDATE' };
const READ_STATE: Statement = {
  name: 'policy-state-in-force',
  text: `SELECT ${sealedColumns('policy_state', 's')} FROM policy_state s`,
};
const NEXT_ACTIVATION: Statement = {
  name: 'policy-activation-next',
  text: "SELECT nextval(pg_get_serial_sequence('policy_activation', 'seq'))::text AS seq",
};
const CONFIRM: Statement = {
  name: 'policy-state-confirm',
  text: 'UPDATE policy_state SET read_at = $1, read_ok = true, findings = $2',
};
const REFUSE: Statement = {
  name: 'policy-state-refuse',
  text: 'UPDATE policy_state SET read_at = $1, read_ok = false, findings = $2',
};

export interface PolicyReaderDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly policyDir: string;
  readonly nowMs: () => number;
  /** This machine's clock, by which its file system dates files. */
  readonly machineMs: () => number;
  readonly logger: Logger;
  /** Looks at the folder and reads it; by default from the file system. */
  readonly folder?: {
    readonly stamp: typeof stampOfFolder;
    readonly read: typeof readPolicyFolder;
    readonly deadlineMs: number;
  };
}

export interface PolicyReader {
  close(): Promise<void>;
}

interface ApplyOptions {
  /** Ends the checking of the folder, and rejects. */
  readonly signal?: AbortSignal;
  /** Asked once the folder is checked, which may take seconds; what it rejects with keeps the folder from being applied. */
  readonly mayApply?: () => Promise<unknown>;
  /** How the folder is checked. */
  readonly admit?: Admit;
}

/**
 * Puts what the folder says into force, or says why not; the set that was in force stays when it is refused.
 * @returns whether it is in force now
 */
export async function applyFolder(
  deps: Pick<PolicyReaderDeps, 'db' | 'nowMs' | 'logger'>,
  folder: PolicyFolder,
  { signal, mayApply, admit = admitBySize }: ApplyOptions = {},
): Promise<boolean> {
  const { db, nowMs, logger } = deps;
  const organisations = (await db.query<{ slug: string }>(ORGANISATIONS, [])).map(({ slug }) => slug);
  const { set, errors, warnings } = await admit({ ...folder, organisations }, signal);
  await mayApply?.();
  const at = new Date(nowMs());
  if (set === undefined) {
    await refuse(deps, errors);
    return false;
  }
  const { digest, canonical, policies } = set;
  const findings = JSON.stringify(warnings);
  const activated = await db.transaction(async (sql) => {
    // It is there, unless somebody has deleted it.
    await sql.query(ENSURE_STATE, []);
    await sql.query(LOCK_STATE, []);
    const [state] = await sql.query<SealedRow<'policy_state'>>(READ_STATE, []);
    if (state === undefined) throw new Error('the row that says which policy set is in force is gone');
    const previousDigest = isForged(sql, state) ? null : state.active_digest;
    if (previousDigest === digest) {
      await sql.query(CONFIRM, [at, findings]);
      return false;
    }
    await sql.query(STORE, [digest, Buffer.from(canonical.buffer, canonical.byteOffset, canonical.byteLength), at]);
    const inForce = { active_digest: digest, activated_at: at };
    const unsealed = { read_at: at, read_ok: true, findings };
    // Whatever the row said: what the folder says is in force from now on.
    await updateSealed(sql, 'policy_state', state, inForce, unsealed);
    const [next] = await sql.query<{ seq: string }>(NEXT_ACTIVATION, []);
    if (next === undefined) throw new Error('a sequence gave no number');
    const activation = { seq: next.seq, digest, previous_digest: previousDigest, activated_at: at };
    await insertSealed(sql, 'policy_activation', activation);
    await writeToAllLogs(sql, 'custos.policy_set', { change: 'activated', digest, previousDigest }, at.getTime());
    return true;
  });
  if (activated) logger.info({ digest, policies }, 'policy set activated');
  for (const { file, line, column, code, message } of warnings)
    logger.warn({ file, line, column, code }, `policy folder: ${file}:${line}:${column} ${message}`);
  return true;
}

/** Whether the row is not as this service wrote it; one that has never named a set is as the migration made it. */
function isForged(sql: Sql, state: SealedRow<'policy_state'>): boolean {
  const isUnused = state.active_digest === null && state.version === 1 && state.seal_floor === null;
  return !isUnused && !sql.seals.isGenuine('policy_state', state);
}

async function refuse(
  deps: Pick<PolicyReaderDeps, 'db' | 'nowMs' | 'logger'>,
  findings: readonly Finding[],
): Promise<void> {
  const { db, nowMs, logger } = deps;
  for (const { file, line, column, code, message } of findings) {
    logger.error({ file, line, column, code }, `policy folder refused: ${file}:${line}:${column} ${message}`);
  }
  const at = nowMs();
  await db.transaction(async (sql) => {
    await sql.query(REFUSE, [new Date(at), JSON.stringify(findings)]);
    await writeToAllLogs(sql, 'custos.policy_set', { change: 'refused', findings }, at);
  });
}

/** Whether somebody else has changed what is in force. A database that is away is asked again with the next look. */
async function stateIsForged(db: Database): Promise<boolean> {
  const rows = await db.query<SealedRow<'policy_state'>>(READ_STATE, []).catch(() => undefined);
  if (rows === undefined) return false;
  const [state] = rows;
  return state === undefined || isForged(db, state);
}

/** What the last looks found: fingerprints that were read and put into force, and the stamp that stands for the latter. */
interface Previous {
  seen: string;
  applied: string;
  stamp: string | undefined;
  /** Whether what was applied is in force. */
  isInForce: boolean;
  /** How long the last two looks took. */
  looksMs: readonly [last: number, before: number];
}

class FolderHangs extends Error {}

/** Starts reading, as soon as no other worker does. */
export function startPolicyReader(deps: PolicyReaderDeps): PolicyReader {
  const { databaseUrl, policyDir, logger } = deps;
  const folderOf = deps.folder ?? { stamp: stampOfFolder, read: readPolicyFolder, deadlineMs: READ_DEADLINE_MS };
  const stop = new AbortController();
  const { signal } = stop;
  /** A look at the folder that has not come back; no other is begun, for each would hold a thread of the process. */
  let hanging: Promise<void> | undefined;

  const inTime = async <T>(look: Promise<T>): Promise<T> => {
    const done = look.then(
      () => undefined,
      () => undefined,
    );
    const timer = new AbortController();
    const late = delay(folderOf.deadlineMs, undefined, { signal: timer.signal }).then(() => {
      hanging = done;
      throw new FolderHangs(`the policy folder did not answer within ${folderOf.deadlineMs} ms`);
    });
    try {
      return await Promise.race([look, late]);
    } finally {
      late.catch(() => undefined);
      timer.abort();
    }
  };

  const refuseFolder = (message: string): Promise<void> =>
    // The path stays in the log: findings are shown to whoever asks /ready.
    refuse(deps, [{ file: '.', line: 1, column: 1, pointer: '', code: 'NOT_JSON', message }]);

  const lookAndRead = async (
    previous: Previous,
  ): Promise<{ folder: PolicyFolder; stamp: string | undefined } | undefined> => {
    // When the stamp can't be had only reading can tell, and say what is wrong.
    const stamp = await folderOf.stamp(policyDir, deps.machineMs()).catch(() => undefined);
    if (stamp !== undefined && stamp === previous.stamp) return undefined;
    previous.stamp = undefined;
    return { folder: await folderOf.read(policyDir), stamp };
  };

  const readAndApply = async (previous: Previous, mayApply: () => Promise<unknown>): Promise<void> => {
    let looked: Awaited<ReturnType<typeof lookAndRead>>;
    const startedMs = performance.now();
    try {
      looked = await inTime(lookAndRead(previous));
    } catch (error) {
      if (error instanceof FolderHangs) {
        await refuseFolder('the policy folder cannot be read (it does not answer)');
        throw error;
      }
      const { code } = error as NodeJS.ErrnoException;
      const message = `the policy folder cannot be read (${code ?? 'no reason given'})`;
      if (previous.applied === message) return;
      logger.error({ err: error }, 'the policy folder cannot be read');
      await refuseFolder(message);
      previous.applied = message;
      return;
    } finally {
      previous.looksMs = [performance.now() - startedMs, previous.looksMs[0]];
    }
    if (looked === undefined) {
      // Read whole the next time, and put into force again.
      if (previous.isInForce && (await stateIsForged(deps.db))) [previous.stamp, previous.applied] = [undefined, ''];
      return;
    }
    const { folder, stamp } = looked;
    const settled = folder.fingerprint === previous.seen;
    previous.seen = folder.fingerprint;
    if (folder.fingerprint !== previous.applied) {
      if (!settled && previous.applied !== '') return;
      previous.isInForce = await applyFolder(deps, folder, { signal, mayApply });
      previous.applied = folder.fingerprint;
    }
    // Taken before the reading: what changed meanwhile has another one.
    previous.stamp = stamp;
  };

  /** Holds the lock for as long as its connection lives. */
  const hold = async (client: pg.Client): Promise<void> => {
    const lost = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => reject(new Error('the connection of the policy reader ended')));
    });
    lost.catch(() => undefined);
    const previous: Previous = {
      seen: '',
      applied: '',
      stamp: undefined,
      isInForce: false,
      looksMs: [0, Number.POSITIVE_INFINITY],
    };
    while (!signal.aborted) {
      const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
        ADVISORY_LOCKS.policyReader,
      ]);
      if (rows[0]?.locked === true) break;
      await Promise.race([delay(1_000, undefined, { signal }), lost]);
    }
    while (!signal.aborted) {
      // With the connection the lock is gone, and another worker may have put a newer folder into force.
      await readAndApply(previous, () => client.query('SELECT 1'));
      // Only of looking, and of the last two times the shorter: the other may have waited while this process loaded a set.
      const restMs = Math.max(LOOK_EVERY_MS, Math.min(...previous.looksMs) / MOST_SHARE);
      await Promise.race([delay(Math.min(restMs, MOST_REST_MS), undefined, { signal }), lost]);
    }
  };

  const run = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (!signal.aborted) {
      if (hanging !== undefined) await Promise.race([hanging, stopped]);
      hanging = undefined;
      if (signal.aborted) break;
      const client = new pg.Client({
        connectionString: databaseUrl,
        application_name: 'custos-policy-reader',
        keepAlive: true,
      });
      try {
        await client.connect();
        await hold(client);
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: error }, 'policy reader interrupted; it starts again');
      }
      await client.end().catch(() => undefined);
      if (!signal.aborted) await delay(500, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
