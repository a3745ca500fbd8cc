// Finds intents whose evaluation ends its process. A batch is on record as a trial while it is evaluated; the transaction that decides it
// deletes the trial. So claimed intents of a trial are those of a process that ended: they are tried again in smaller and smaller groups,
// until one that ends its process is alone, and is given up.
import { randomUUID } from 'node:crypto';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Database, Sql } from '../../platform/db/database.ts';
import type { ClaimedIntent } from './intent-batch.ts';

/** Intents that are evaluated together after so many ends of their process. After one more they are given up. */
const TOGETHER = [Number.POSITIVE_INFINITY, 25, 4, 1] as const;

export interface Trial {
  readonly intents: readonly ClaimedIntent[];
  /** Whether claimed intents were left out, which the end of the transaction releases. */
  readonly isPart: boolean;
  /** Ends of the process while these were evaluated. */
  readonly crashes: number;
  /** Whether they were given up. */
  readonly isOver: boolean;
  /** In the transaction that decides the intents. */
  end(sql: Sql): Promise<void>;
  /** After a rollback in a process that lives. */
  undo(): Promise<void>;
}

const FIND = `SELECT trial_id AS "trialId", intent_ids AS "intentIds", crashes FROM intent_trial WHERE organisation_id = $1 AND environment = $2`;
// It needs no wait for the disk: when PostgreSQL itself ends, no intent was the cause. Trials of intents that were decided otherwise are
// deleted after a day.
const BEGIN = `WITH old AS (DELETE FROM intent_trial WHERE begun_at < now() - interval '1 day')
    INSERT INTO intent_trial (trial_id, organisation_id, environment, intent_ids, crashes)
    SELECT $3::text, $1, $2, $4::text[], $5::smallint FROM set_config('synchronous_commit', 'off', true)`;
const END = 'DELETE FROM intent_trial WHERE trial_id = ANY ($1::text[])';
/** The members that were not claimed stay in their trial, for the worker that claims them. */
const LEAVE = `UPDATE intent_trial SET intent_ids = ARRAY(SELECT unnest(intent_ids) EXCEPT SELECT unnest($2::text[])) WHERE trial_id = ANY ($1::text[])`;
const EMPTY = `DELETE FROM intent_trial WHERE trial_id = ANY ($1::text[]) AND intent_ids = '{}'`;

interface TrialRow {
  readonly trialId: string;
  readonly intentIds: readonly string[];
  readonly crashes: number;
}

/** The claimed intents that were tried most often by processes that ended; of the others none, when there are such. */
function suspectsOf(
  intents: readonly ClaimedIntent[],
  trials: readonly TrialRow[],
): { readonly suspects: readonly ClaimedIntent[]; readonly crashes: number } {
  const crashesOf = new Map<string, number>();
  for (const { intentIds, crashes } of trials)
    for (const id of intentIds) crashesOf.set(id, Math.max(crashesOf.get(id) ?? 0, crashes + 1));
  const most = Math.max(0, ...intents.map(({ intent_id: id }) => crashesOf.get(id) ?? 0));
  if (most === 0) return { suspects: intents, crashes: 0 };
  return { suspects: intents.filter(({ intent_id: id }) => crashesOf.get(id) === most), crashes: most };
}

export interface Trials {
  /** Begins the trial of claimed intents, or of a part of them. The trial is on record when this resolves. */
  begin(sql: Sql, owner: Owner, claimed: readonly ClaimedIntent[]): Promise<Trial>;
}

export function createTrials(db: Pick<Database, 'query'>): Trials {
  /** Trials that this process has ended without effect, and could not delete because PostgreSQL was away. */
  const left = new Set<string>();

  const undo = async (trialId: string): Promise<void> => {
    left.add(trialId);
    const ids = [...left];
    await db.query(END, [ids]);
    for (const id of ids) left.delete(id);
  };

  return {
    async begin(sql, owner, claimed) {
      const trials = await sql.query<TrialRow>(FIND, ownerColumns(owner));
      const abandoned = left.size === 0 ? trials : trials.filter(({ trialId }) => !left.has(trialId));
      const { suspects, crashes } = suspectsOf(claimed, abandoned);
      const intents = suspects.slice(0, TOGETHER[crashes] ?? 1);
      const ids = intents.map(({ intent_id: id }) => id);
      const earlier = trials.flatMap(({ trialId, intentIds }) =>
        intentIds.some((id) => ids.includes(id)) ? [trialId] : [],
      );
      const trialId = randomUUID();
      await db.query(BEGIN, [...ownerColumns(owner), trialId, ids, crashes]);
      return {
        intents,
        isPart: intents.length < claimed.length,
        crashes,
        isOver: crashes >= TOGETHER.length,
        async end(transaction) {
          await transaction.query(END, [[trialId]]);
          if (earlier.length === 0) return;
          await transaction.query(LEAVE, [earlier, ids]);
          await transaction.query(EMPTY, [earlier]);
        },
        undo: () => undo(trialId),
      };
    },
  };
}
