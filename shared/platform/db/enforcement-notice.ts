// Tells workers that enforcement goes on and how long it takes, so that a backlog can make way for it.
//
// The notification is a hint: a lost one costs speed at most. Without traffic none is sent.
import type { Database } from './database.ts';

export const ENFORCEMENT_CHANNEL = 'custos_enforcement';

/** From the first answer after a report to the next report. */
const EVERY_MS = 250;
/** The reported time is longer than those of this share of the answers. Few are slower, and those of a short time say little. */
const SHARE = 0.9;

/** It need not be durable: the commit does not wait for the disk. */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${ENFORCEMENT_CHANNEL}', $1)`;

export interface EnforcementNotice {
  /** Called with the time that each answer took, in milliseconds. */
  observe(tookMs: number): void;
}

export function createEnforcementNotice({
  db,
  onError,
  everyMs = EVERY_MS,
}: {
  readonly db: Pick<Database, 'query'>;
  readonly onError: (error: unknown) => void;
  readonly everyMs?: number;
}): EnforcementNotice {
  let times: number[] = [];
  const send = (): void => {
    times.sort((a, b) => a - b);
    const tookMs = times[Math.floor(times.length * SHARE)] ?? 0;
    times = [];
    void db.query(NOTIFY, [tookMs.toFixed(2)]).catch(onError);
  };
  return {
    observe(tookMs) {
      if (times.length === 0) setTimeout(send, everyMs).unref();
      times.push(tookMs);
    },
  };
}

/** The milliseconds of a notification; undefined: it is none of this version. */
export function tookMsOf(payload: string | undefined): number | undefined {
  const tookMs = Number(payload);
  return payload !== undefined && payload !== '' && Number.isFinite(tookMs) && tookMs >= 0 ? tookMs : undefined;
}
