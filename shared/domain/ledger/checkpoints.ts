// Signs the heads of logs. A log that contradicts an earlier checkpoint is halted: it still takes records, and is no longer signed.
import type { KeyObject } from 'node:crypto';
import type { Database, Sql } from '../../platform/db/database.ts';
import { holdSecretFingerprint, SIGNING_KEY } from '../../platform/db/fingerprints.ts';
import { BY_INDEX_ONLY } from '../../platform/db/plans.ts';
import { peekIfCheckpoint, type TreeHead, writeCheckpoint } from '../../core/proof/checkpoint.ts';
import { keyIdOf, publishKey } from '../../core/proof/keys.ts';
import type { Environment } from '../../kernel/vocabulary.ts';
import type { CheckpointKeeper } from './kept.ts';
import { publishLogKey } from './published-keys.ts';
import { MissingNodeError, readRoot, readRoots } from './nodes.ts';

export interface CheckpointerDeps {
  readonly db: Database;
  /** The log key: Ed25519. */
  readonly key: KeyObject;
  readonly keeper: CheckpointKeeper;
  readonly nowMs: () => number;
  /** Called when a log is halted: it contradicts an earlier checkpoint, or no operator began its generation. */
  readonly onHalt: (origin: string, reason: string) => void;
  /** Called when the logs have another key by now: this process can sign nothing more. */
  readonly onReplaced: () => void;
}

export interface Checkpointer {
  /** Signs and publishes the present head of a log, unless it is published already or the log is halted. */
  publish(organisationId: string, environment: Environment): Promise<void>;
}

// The lock keeps other workers from signing the same head, and the head from moving. Sequential scans are off, as in append.ts: plans
// that were made for a handful of nodes stay cached while there are a million.
const LOCK = `SELECT log_id, generation, size::text AS size, origin, halted_reason, ${BY_INDEX_ONLY} FROM log WHERE organisation_id = $1 AND environment = $2
    ORDER BY generation DESC LIMIT 1 FOR UPDATE`;
const LAST = 'SELECT size::text AS size, note FROM checkpoint WHERE log_id = $1 ORDER BY checkpoint.size DESC LIMIT 1';
const HALT = 'UPDATE log SET halted_reason = $2 WHERE log_id = $1';
const INSERT = 'INSERT INTO checkpoint (log_id, size, root, note, signed_at) VALUES ($1, $2, $3, $4, $5)';

interface LogRow {
  log_id: number;
  generation: number;
  size: string;
  origin: string;
  halted_reason: string | null;
}

interface Halted {
  readonly origin: string;
  readonly reason: string;
}

/** The head of an earlier checkpoint, undefined when its note is none, and its source for messages. */
interface Earlier {
  readonly head: TreeHead | undefined;
  readonly from: string;
}

/** The root of the log if it extends all of these; undefined when one of them must be examined. */
async function rootGrownFrom(sql: Sql, log: LogRow, earlier: readonly Earlier[]): Promise<Uint8Array | undefined> {
  const size = Number(log.size);
  const heads = earlier.flatMap(({ head }) => head ?? []);
  if (heads.length < earlier.length || heads.some((head) => head.size > size)) return undefined;
  try {
    const roots = await readRoots(sql, log.log_id, [...heads.map((head) => head.size), size]);
    const areSame = heads.every((head, i) => roots[i] !== undefined && head.root.equals(roots[i]));
    return areSame ? roots.at(-1) : undefined;
  } catch (error) {
    if (error instanceof MissingNodeError) return undefined;
    throw error;
  }
}

/** Why the log does not extend an earlier checkpoint; undefined: it does. */
async function forkOf(sql: Sql, log: LogRow, { head, from }: Earlier): Promise<string | undefined> {
  if (head === undefined) return `${from} is no checkpoint`;
  const size = Number(log.size);
  if (head.size > size)
    return `${from} has ${head.size} leaves and the log only ${size}: it was restored from an older backup, or leaves are lost`;
  try {
    const root = await readRoot(sql, log.log_id, head.size);
    if (head.root.equals(root)) return undefined;
    return `${from} of size ${head.size} has another root than the log has at that size: leaves were changed`;
  } catch (error) {
    if (error instanceof MissingNodeError)
      return `${from} of size ${head.size} cannot be compared, because nodes are missing: ${error.message}`;
    throw error;
  }
}

export function createCheckpointer(deps: CheckpointerDeps): Checkpointer {
  const { db, key, keeper, nowMs, onHalt, onReplaced } = deps;
  const keyId = keyIdOf(key);

  const vkeys = new Map<string, string>();
  const vkeyOf = (origin: string): string => {
    const vkey = vkeys.get(origin) ?? publishKey(key, { origin, use: 'log' }).vkey;
    vkeys.set(origin, vkey);
    return vkey;
  };

  const sign = async (sql: Sql, log: LogRow, root: Uint8Array, lastSize: number | undefined): Promise<void> => {
    const size = Number(log.size);
    const { origin } = log;
    const at = nowMs();
    const note = writeCheckpoint({ origin, size, root, key, timeMs: at });
    // Kept before it is published, so that every checkpoint that anyone has seen is kept.
    await keeper.keep(origin, note);
    await publishLogKey(sql, { logId: log.log_id, keyId, vkey: vkeyOf(origin), lastSize, atMs: at });
    await sql.query(INSERT, [log.log_id, size, Buffer.from(root), note, new Date(at)]);
  };

  return {
    async publish(organisationId, environment) {
      const done = await db.transaction(async (sql): Promise<Halted | 'replaced' | undefined> => {
        const [log] = await sql.query<LogRow>(LOCK, [organisationId, environment]);
        if (log === undefined || log.size === '0' || log.halted_reason !== null) return undefined;
        const [last] = await sql.query<{ size: string; note: string }>(LAST, [log.log_id]);
        if (last?.size === log.size) return undefined;
        const halt = async (reason: string): Promise<Halted> => {
          await sql.query(HALT, [log.log_id, reason]);
          return { origin: log.origin, reason };
        };
        const kept = await keeper.read(log.origin);
        // A row of the table would be enough to leave a halted log behind.
        if (log.generation > 1 && kept === undefined && !(await keeper.isBegun(log.origin)))
          return halt('it was not begun by "custos log fork", or not on a machine with the folder of kept checkpoints');
        const earlier: Earlier[] = [];
        if (kept !== undefined)
          earlier.push({ head: peekIfCheckpoint(kept), from: 'the checkpoint kept outside the database' });
        if (last !== undefined && last.note !== kept)
          earlier.push({ head: peekIfCheckpoint(last.note), from: 'the last published checkpoint' });
        const root = await rootGrownFrom(sql, log, earlier);
        if (root === undefined)
          for (const one of earlier) {
            const reason = await forkOf(sql, log, one);
            if (reason !== undefined) return halt(reason);
          }
        // Held until the commit: a key that is replaced meanwhile ends at this size, or does not sign it. The rotation saw no worker, as when this
        // process was cut off from the database then.
        if ((await holdSecretFingerprint(sql, SIGNING_KEY, keyId)) === 'other') return 'replaced';
        const signed = root ?? (await readRoot(sql, log.log_id, Number(log.size)));
        await sign(sql, log, signed, last === undefined ? undefined : Number(last.size));
        return undefined;
      });
      if (done === 'replaced') onReplaced();
      else if (done !== undefined) onHalt(done.origin, done.reason);
    },
  };
}
