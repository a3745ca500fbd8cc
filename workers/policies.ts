// Reads the policy folder and activates its set for the whole installation: one worker at a time, all or nothing.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, EntitySql } from '../shared/platform/db/database.ts';
import { ApiError } from '../shared/kernel/errors.ts';
import { ADVISORY_LOCKS } from '../shared/platform/db/locks.ts';
import { writeToAllLogs } from '../shared/domain/ledger/service-record.ts';
import type { Logger } from '../shared/platform/observe/logger.ts';
import type { Finding } from '../shared/core/policy/types.ts';
import {
  activatePolicySet,
  FOLDER_AUTHOR,
  holdPolicyState,
  isForgedState,
  restoreIfForged,
  storePolicySet,
} from '../shared/domain/policy-sets/activate.ts';
import { type ChangeResult, changePolicySet, checkedSignature } from '../shared/domain/policy-sets/change.ts';
import type { ChangeRules } from '../shared/domain/policy-sets/change-rules.ts';
import {
  readPolicyFolder,
  type PolicyFolder,
  SIGNATURE_FILE,
  stampOfFolder,
  TooManyFiles,
} from '../shared/domain/policy-sets/folder.ts';
import { runAlone } from './alone.ts';
import type { Loop } from './loop.ts';
import { type Admit, admitBySize, type Admitted } from '../shared/domain/policy-sets/admission.ts';

/** Poll interval of the folder. It must read equal twice in a row (debounce), so that a half-written folder is not used. */
const POLL_EVERY_MS = 250;
/** Polling may take this share of the worker's time; folders of more than some dozen files are polled less often. */
const MAX_SHARE = 0.01;
/** Longest pause between two polls, and between two looks at the row of the set in force. */
const MAX_PAUSE_MS = 1_000;
/** Until a folder of too many files is looked at again. */
const TOO_LARGE_PAUSE_MS = 10_000;
/** A file system that does not answer in this time counts as hanging. Another worker gets the lock; its mount may work. */
const READ_DEADLINE_MS = 10_000;

const ORGANISATIONS = 'SELECT slug FROM organisation';
const CONFIRM = 'UPDATE policy_state SET read_at = $1, read_ok = true, findings = $2, folder_digest = $3';
const REFUSE = 'UPDATE policy_state SET read_at = $1, read_ok = false, findings = $2, folder_digest = NULL';
/** Without settings: an edit of the folder comes into force at once. */
const NO_RULES: ChangeRules = { needsApproval: false, approvalTtlMs: 0, signers: undefined };

export interface PolicyReaderDeps {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly policyDir: string;
  readonly nowMs: () => number;
  /** This machine's clock, which dates files of its file system. */
  readonly machineMs: () => number;
  readonly logger: Logger;
  /** Whether edits need an approval or a signature; by default neither. */
  readonly rules?: ChangeRules;
  /** How the folder is checked. */
  readonly admit?: Admit;
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

type ApplyDeps = Pick<PolicyReaderDeps, 'db' | 'nowMs' | 'logger' | 'rules'>;
type FolderResult = ChangeResult['kind'] | 'pinned';

/**
 * Activates the set of the folder, or stores why it is refused. The previous set stays in force when it is refused, while a set that
 * was pushed or rolled back to is in force, and while an approval is open.
 * @returns whether the folder is valid
 */
export async function applyFolder(
  deps: ApplyDeps,
  folder: PolicyFolder,
  { signal, mayApply, admit = admitBySize }: ApplyOptions = {},
): Promise<boolean> {
  const { db, logger } = deps;
  const organisations = (await db.query<{ slug: string }>(ORGANISATIONS, [])).map(({ slug }) => slug);
  const { set, errors, warnings } = await admit({ ...folder, organisations }, signal);
  await mayApply?.();
  if (set === undefined) {
    await refuse(deps, errors);
    return false;
  }
  let result: FolderResult;
  try {
    result = await db.transaction((sql) => applySet(sql, deps, set, { warnings, signature: folder.signature }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'E2001') throw error;
    const message = error.errors?.[0]?.message ?? error.message;
    await refuse(deps, [{ file: SIGNATURE_FILE, line: 1, column: 1, pointer: '', code: 'SIGNATURE', message }]);
    return false;
  }
  const { digest, policies } = set;
  const message = MESSAGES[result];
  if (message !== undefined) logger.info({ digest, policies }, message);
  for (const { file, line, column, code, message } of warnings)
    logger.warn({ file, line, column, code }, `policy folder: ${file}:${line}:${column} ${message}`);
  return true;
}

const MESSAGES: Readonly<Partial<Record<FolderResult, string>>> = {
  activated: 'policy set activated',
  proposed: 'the policy set of the folder waits for approval',
  pinned:
    'the policy set of the folder is not activated: the set in force was pushed ("custos policy follow-folder" changes that)',
};

/** @throws {ApiError} E2001: the signature is not valid */
async function applySet(
  sql: EntitySql,
  { nowMs, rules = NO_RULES }: ApplyDeps,
  { digest, canonical }: NonNullable<Admitted['set']>,
  { warnings, signature }: { readonly warnings: readonly Finding[]; readonly signature: string | undefined },
): Promise<FolderResult> {
  const atMs = nowMs();
  const findings = JSON.stringify(warnings);
  const read = { read_at: new Date(atMs), read_ok: true, findings, folder_digest: digest };
  const held = await restoreIfForged(sql, await holdPolicyState(sql), atMs);
  const change = { digest, canonical, author: FOLDER_AUTHOR, reason: null, source: 'folder' as const };
  if (held.isForged) {
    // No activation is known: the folder decides, as in a new installation, where a set must be signed, too.
    const signed = await checkedSignature(sql, { digest, signature }, rules);
    await activatePolicySet(sql, held, { ...change, ...signed, atMs }, read);
    return 'activated';
  }
  const isPinned = held.inForce !== undefined && held.inForce.source !== 'folder';
  if (isPinned) await storePolicySet(sql, { digest, canonical, atMs });
  const changed = isPinned ? undefined : await changePolicySet(sql, { ...change, signature }, rules, atMs, read);
  const result = changed?.kind ?? 'pinned';
  if (result !== 'activated') await sql.query(CONFIRM, [read.read_at, findings, digest]);
  return isPinned && held.inForce?.digest === digest ? 'unchanged' : result;
}

async function refuse(deps: ApplyDeps, findings: readonly Finding[]): Promise<void> {
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

/** Restores the set in force, whatever the folder has, when it does not come from the folder. */
async function restorePushed({ db, nowMs }: ApplyDeps): Promise<void> {
  await db.transaction(async (sql) => {
    await restoreIfForged(sql, await holdPolicyState(sql), nowMs());
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
  /** Whether the applied folder is valid. */
  isValid: boolean;
  /** Whether the folder had too many files; listing their names takes long. */
  isTooLarge: boolean;
  /** Durations of the last two polls. */
  pollsMs: readonly [last: number, before: number];
  /** When the row of the set in force was last looked at. */
  stateAtMs: number;
}

const NOTHING_READ: Previous = {
  seen: '',
  applied: '',
  stamp: undefined,
  isValid: false,
  isTooLarge: false,
  pollsMs: [0, Number.POSITIVE_INFINITY],
  stateAtMs: Number.NEGATIVE_INFINITY,
};

class FolderHangs extends Error {}

/** Starts to read the folder as soon as no other worker does. */
export function startPolicyReader(deps: PolicyReaderDeps): Loop {
  const { databaseUrl, policyDir, logger, admit = admitBySize } = deps;
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
    const stamp = await folderOf.stamp(policyDir, deps.machineMs()).catch((error: unknown) => {
      if (error instanceof TooManyFiles) throw error;
      return undefined;
    });
    if (stamp !== undefined && stamp === previous.stamp) return undefined;
    previous.stamp = undefined;
    return { folder: await folderOf.read(policyDir), stamp };
  };

  const readAndApply = async (previous: Previous, options: ApplyOptions): Promise<void> => {
    let looked: Awaited<ReturnType<typeof lookAndRead>>;
    const startedMs = performance.now();
    previous.isTooLarge = false;
    try {
      looked = await inTime(lookAndRead(previous));
    } catch (error) {
      if (error instanceof FolderHangs) {
        await refuseFolder('the policy folder cannot be read (it does not answer)');
        throw error;
      }
      const { code } = error as NodeJS.ErrnoException;
      previous.isTooLarge = error instanceof TooManyFiles;
      const message =
        error instanceof TooManyFiles
          ? error.message
          : `the policy folder cannot be read (${code ?? 'no reason given'})`;
      if (previous.applied === message) return;
      logger.error({ err: error }, 'the policy folder cannot be read');
      await refuseFolder(message);
      previous.applied = message;
      return;
    } finally {
      previous.pollsMs = [performance.now() - startedMs, previous.pollsMs[0]];
    }
    if (looked === undefined) {
      if (startedMs - previous.stateAtMs < MAX_PAUSE_MS) return;
      previous.stateAtMs = startedMs;
      // The next poll reads the whole folder and activates it again.
      if (!(await stateIsForged(deps.db))) return;
      if (previous.isValid) [previous.stamp, previous.applied] = [undefined, ''];
      else await restorePushed(deps);
      return;
    }
    const { folder, stamp } = looked;
    const settled = folder.fingerprint === previous.seen;
    previous.seen = folder.fingerprint;
    if (folder.fingerprint !== previous.applied) {
      if (!settled && previous.applied !== '') return;
      previous.isValid = await applyFolder(deps, folder, options);
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
      await readAndApply(previous, { signal, mayApply: ensureHeld, admit });
      if (previous.isTooLarge) return TOO_LARGE_PAUSE_MS;
      // The second of two equal reads follows soon.
      if (previous.seen !== previous.applied) return POLL_EVERY_MS;
      // From the shorter of the last two polls: the other may have waited while this process loaded a set.
      const pauseMs = Math.max(POLL_EVERY_MS, Math.min(...previous.pollsMs) / MAX_SHARE);
      return Math.min(pauseMs, MAX_PAUSE_MS);
    },
  });
}
