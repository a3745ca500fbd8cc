// The log of random decisions: records as the service writes them, and an agent's folds with the trust after each.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { LoggedRecord } from '../../../shared/core/verification/failures.ts';
import { canonicalize } from '../../../shared/core/proof/canonical.ts';
import { NO_PREVIOUS, recordPrefix, sealRecord } from '../../../shared/core/proof/record.ts';
import { dayOf, MAX_AGE_DAYS, SIGNAL_TYPES, type SignalType } from '../../../shared/core/trust/beta.ts';
import { foldSignals, type KeyBucket } from '../../../shared/core/trust/fold.ts';

export const DAY_MS = 24 * 3_600_000;
export const OWNER = { organisation: 'acme', environment: 'live' } as const;
export const AGENT = 'agent-1';

export const arbitrarySignal = fc.record({
  type: fc.constantFrom(...SIGNAL_TYPES, 'success' as const, 'success' as const),
  weight: fc.integer({ min: 1, max: 1_000 }),
  daysAgo: fc.integer({ min: 0, max: 40 }),
  keyId: fc.constantFrom('AAAAAAAA', 'BBBBBBBB'),
});

/** An agent's signals, fold by fold. */
interface Signals {
  readonly signals: readonly (readonly {
    readonly type: SignalType;
    readonly weight: number;
    readonly daysAgo: number;
    readonly keyId: string;
  }[])[];
  readonly dailyCap: number;
}

export function sealed(prefix: string, previousHash: string): LoggedRecord {
  const { bytes, eventHash, leafHash } = sealRecord(prefix, previousHash);
  return { bytes, leaf: { eventHash: eventHash.toString('hex'), leafHash: Buffer.from(leafHash).toString('hex') } };
}

/** A record that the service writes by itself, for the log of this world. */
export function serviceRecord(
  event: string,
  entityId: string,
  atMs: number,
  body: object,
  previousHash = NO_PREVIOUS,
): LoggedRecord {
  const { organisation, environment } = OWNER;
  const proofId = `prf_${createHash('sha256')
    .update(`${event} ${entityId} ${atMs} ${canonicalize(body)}`)
    .digest('hex')
    .slice(0, 26)}`;
  const occurredAt = new Date(atMs).toISOString();
  return sealed(
    recordPrefix({
      entityId,
      event,
      occurredAt,
      body: canonicalize(body),
      environment,
      organisationSlug: organisation,
      proofId,
    }),
    previousHash,
  );
}

export interface Folded {
  readonly atMs: number;
  readonly signals: number;
  readonly buckets: readonly KeyBucket[];
  readonly records: readonly LoggedRecord[];
}

export const START_MS = Date.parse('2026-01-05T08:00:00.000Z');

/** An agent's folds, one per day, with the trust state after each. */
export function foldAll({ signals, dailyCap }: Signals): Folded[] {
  const states: Folded[] = [{ atMs: START_MS, signals: 0, buckets: [], records: [] }];
  for (const [i, added] of signals.entries()) {
    const before = states.at(-1);
    if (before === undefined) break;
    const atMs = START_MS + (i + 1) * DAY_MS;
    const day = dayOf(atMs);
    const waiting = added.map(({ daysAgo, ...one }, j) => ({ ...one, signalId: `s${i}/${j}`, day: day - daysAgo }));
    const { folds, changed } = foldSignals(
      { signals: before.signals, buckets: before.buckets },
      waiting,
      day,
      dailyCap,
    );
    const buckets = new Map([...before.buckets, ...changed].map((bucket) => [`${bucket.day} ${bucket.keyId}`, bucket]));
    const records = folds.map(({ body }) => serviceRecord('custos.trust', AGENT, atMs, JSON.parse(body)));
    states.push({
      atMs,
      signals: folds.at(-1)?.lastN ?? before.signals,
      buckets: [...buckets.values()],
      records: [...before.records, ...records],
    });
  }
  return states;
}

/** In the format of the query in trust-state.ts. */
export function evidenceText(buckets: readonly KeyBucket[], today: number, dailyCap: number): string {
  const days = new Map<number, { positive: number; negative: number }>();
  for (const { day, positive, negative } of buckets) {
    if (day < today - MAX_AGE_DAYS) continue;
    const sum = days.get(day) ?? { positive: 0, negative: 0 };
    days.set(day, { positive: sum.positive + Math.min(positive, dailyCap), negative: sum.negative + negative });
  }
  return [...days].map(([day, { positive, negative }]) => `${day} ${positive} ${negative}`).join(';');
}
