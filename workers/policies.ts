// Reads the policy folder and activates its set for the whole installation: one worker at a time, all or nothing.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../shared/platform/db/database.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import { writeToAllLogs } from '../shared/domain/ledger/service-record.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Finding } from '../shared/core/policy/types.ts';
import {
  activatePolicySet,
  FOLDER_AUTHOR,
  holdPolicyState,
  isForgedState,
} from '../shared/domain/policy-sets/activate.ts';
import { readPolicyFolder, type PolicyFolder, stampOfFolder } from '../shared/domain/policy-sets/folder.ts';
import { runAlone } from './alone.ts';
import type { Loop } from './loop.ts';
import { type Admit, admitBySize } from './policy-admission.ts';

/** Poll interval of the folder. It must read equal twice in a row (debounce), so that a half-written folder is not used. */
const POLL_EVERY_MS = 250;
/** Polling may take this share of the worker's time; very large folders are polled less often. */
const MAX_SHARE = 0.1;
/** Longest pause between two polls. */
const MAX_PAUSE_MS = 1_000;
/** A file system that does not answer in this time counts as hanging. Another worker gets the lock; its mount may work. */
const READ_DEADLINE_MS = 10_000;

const ORGANISATIONS = 'SELECT slug FROM organisation';
const CONFIRM = 'UPDATE policy_state SET read_at = $1, read_ok = true, findings = $2';
const REFUSE = 'UPDATE policy_state SET read_at = $1, read_ok = false, findings = $2';

export interface PolicyReaderDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly policyDir: string;
  readonly nowMs: () => number;
  /** This machine's clock, which dates files of its file system. */
  readonly machineMs: () => number;
  readonly logger: Logger;
  /** Access to the folder; by default the file system. */
  readonly folder?: {
    readonly stamp: typeof stampOfFolder;
    readonly read: typeof readPolicyFolder;
    readonly deadlineMs: number;
  };
}

interface ApplyOptions {
  /** Cancels the check of the folder; the call then rejects. */
  readonly signal?: AbortSignal;
  /** Called after the check, which may take seconds. When it rejects, the folder is not applied. */
  readonly mayApply?: () => Promise<unknown>;
  /** How the folder is checked. */
  readonly admit?: Admit;
}

/**
 * Activates the set of the folder, or stores why it is refused. The previous set stays in force when it is refused.
 * @returns whether the set of the folder is in force
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
  const read = { read_at: at, read_ok: true, findings: JSON.stringify(warnings) };
  const activated = await db.transaction(async (sql) => {
    const held = await holdPolicyState(sql);
    if (held.inForce?.digest === digest) {
      await sql.query(CONFIRM, [at, read.findings]);
      return false;
    }
    const activation = { digest, canonical, author: FOLDER_AUTHOR, reason: null, source: 'folder' as const };
    await activatePolicySet(sql, held, { ...activation, atMs: at.getTime() }, read);
    return true;
  });
  if (activated) logger.info({ digest, policies }, 'policy set activated');
  for (const { file, line, column, code, message } of warnings)
    logger.warn({ file, line, column, code }, `policy folder: ${file}:${line}:${column} ${message}`);
  return true;
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

/** Whether the row of the set in force was changed past the service. False while the database is away; the next poll repeats it. */
async function stateIsForged(db: Database): Promise<boolean> {
  const rows = await db.select('policy_state', { where: {} }).catch(() => undefined);
  if (rows === undefined) return false;
  const [state] = rows;
  return state === undefined || isForgedState(db, state);
}

/** Results of earlier polls: the fingerprints that were read and applied, and the stamp of the applied one. */
interface Previous {
  seen: string;
  applied: string;
  stamp: string | undefined;
  /** Whether the applied folder is in force. */
  isInForce: boolean;
  /** Durations of the last two polls. */
  pollsMs: readonly [last: number, before: number];
}

const NOTHING_READ: Previous = {
  seen: '',
  applied: '',
  stamp: undefined,
  isInForce: false,
  pollsMs: [0, Number.POSITIVE_INFINITY],
};

class FolderHangs extends Error {}

/** Starts to read the folder as soon as no other worker does. */
export function startPolicyReader(deps: PolicyReaderDeps): Loop {
  const { databaseUrl, policyDir, logger } = deps;
  const folderOf = deps.folder ?? { stamp: stampOfFolder, read: readPolicyFolder, deadlineMs: READ_DEADLINE_MS };
  /** A read that has not returned. No other one starts meanwhile, because each would block a thread of the process. */
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
    // Without the path: every caller of /ready sees findings. The log line has the path.
    refuse(deps, [{ file: '.', line: 1, column: 1, pointer: '', code: 'NOT_JSON', message }]);

  const lookAndRead = async (
    previous: Previous,
  ): Promise<{ folder: PolicyFolder; stamp: string | undefined } | undefined> => {
    // Without a stamp the folder must be read; that also reports the error.
    const stamp = await folderOf.stamp(policyDir, deps.machineMs()).catch(() => undefined);
    if (stamp !== undefined && stamp === previous.stamp) return undefined;
    previous.stamp = undefined;
    return { folder: await folderOf.read(policyDir), stamp };
  };

  const readAndApply = async (previous: Previous, options: ApplyOptions): Promise<void> => {
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
      previous.pollsMs = [performance.now() - startedMs, previous.pollsMs[0]];
    }
    if (looked === undefined) {
      // The next poll reads the whole folder and activates it again.
      if (previous.isInForce && (await stateIsForged(deps.db))) [previous.stamp, previous.applied] = [undefined, ''];
      return;
    }
    const { folder, stamp } = looked;
    const settled = folder.fingerprint === previous.seen;
    previous.seen = folder.fingerprint;
    if (folder.fingerprint !== previous.applied) {
      if (!settled && previous.applied !== '') return;
      previous.isInForce = await applyFolder(deps, folder, options);
      previous.applied = folder.fingerprint;
    }
    // The stamp was taken before the read, so a later change has another stamp.
    previous.stamp = stamp;
  };

  let previous = NOTHING_READ;
  return runAlone({
    databaseUrl,
    lock: ADVISORY_LOCKS.policyReader,
    name: 'custos-policy-reader',
    logger,
    mayRequest: () => hanging,
    async turn({ isFirst, ensureHeld, signal }) {
      hanging = undefined;
      if (isFirst) previous = { ...NOTHING_READ };
      // A lost connection means a lost lock, and another worker may have activated a newer folder.
      await readAndApply(previous, { signal, mayApply: ensureHeld });
      // From the shorter of the last two polls: the other may have waited while this process loaded a set.
      const pauseMs = Math.max(POLL_EVERY_MS, Math.min(...previous.pollsMs) / MAX_SHARE);
      return Math.min(pauseMs, MAX_PAUSE_MS);
    },
  });
}
