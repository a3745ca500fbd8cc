// Trust in the log: reads an agent's signals back from its custos.trust records and recomputes any score from them.
import { type Static, Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, StringEnum } from '../../kernel/schema.ts';
import { quoted } from '../proof/encoding.ts';
import { readRecord } from '../proof/record-read.ts';
import { dayOf, type EvidenceBucket, evidenceOf, scoreOn, SIGNAL_TYPES, type TrustScore } from '../trust/beta.ts';
import { levelOf, NO_EVIDENCE, recordedScoreOf } from '../trust/score.ts';
import type { Facts } from '../policy/types.ts';
import type { ChangeOwner } from './changes.ts';
import { type DecisionFailure, GRACE_MS, type LoggedRecord, type Report, fail } from './failures.ts';
import { Count, type DecisionRecord, isAsLogged, isDay, Text } from './record.ts';

/** The content of an agent's trust records. */
export interface TrustLedger {
  /** Number of signals without a gap, starting with the first. */
  readonly signals: number;
  readonly folds: readonly LedgerFold[];
  /** Each with the first signal concerned: decisions that used fewer signals are not affected. */
  readonly problems: readonly (DecisionFailure & { readonly fromN: number })[];
  /** The score of the first n signals on a day. Memoized, because many decisions use the same. */
  score(n: number, day: number, dailyCap: number): TrustScore;
}

interface LedgerFold {
  readonly firstN: number;
  readonly lastN: number;
  readonly atMs: number;
  /** Thousandths. */
  readonly dailyCap: number;
}

const FoldSchema = closed({
  asOf: closed({ day: Text, signals: Count }),
  dailyCapThousandths: Count,
  level: Count,
  score: Count,
  signals: Type.Array(
    closed({
      day: Text,
      key: Text,
      n: Count,
      signalId: Text,
      type: StringEnum(SIGNAL_TYPES),
      weight: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    }),
    { minItems: 1 },
  ),
  uncertainty: Type.Number(),
});
const isFold = guardOf(FoldSchema);

/** As recorded, with the weight in thousandths and the day as a number. */
interface Signal extends Omit<Static<typeof FoldSchema>['signals'][number], 'day'> {
  readonly day: number;
}

interface Fold extends LedgerFold {
  readonly proofId: string;
  readonly day: number;
  readonly score: number;
  readonly uncertainty: number;
  readonly level: number;
  readonly signals: readonly Signal[];
}

/** Reads an agent's `custos.trust` records, in any order. Problems are collected, not thrown. */
export function readLedger(records: readonly LoggedRecord[], owner: ChangeOwner): TrustLedger {
  const problems: (DecisionFailure & { fromN: number })[] = [];
  const folds: Fold[] = [];
  for (const logged of records) {
    const fold = foldOf(logged.bytes, owner);
    if (fold === undefined) {
      // It is unknown which signals the record held.
      const sentence = `A trust record is not one of the agent ${quoted(owner.agentId)}.`;
      problems.push({ code: 'TRUST_RECORD_ALTERED', sentence, fromN: 1 });
      continue;
    }
    folds.push(fold);
    if (isAsLogged(logged)) continue;
    const sentence = `The trust record ${quoted(fold.proofId)} of signals ${fold.firstN} to ${fold.lastN} is not the one that the log has hashed.`;
    problems.push({ code: 'TRUST_RECORD_ALTERED', sentence, fromN: fold.firstN });
  }
  folds.sort((a, b) => a.lastN - b.lastN);
  const signals: Signal[] = [];
  const buckets = createBuckets();
  const ids = new Set<string>();
  for (const fold of folds) {
    const repeated = fold.signals.find(({ signalId }) => ids.has(signalId) || !ids.add(signalId));
    if (fold.firstN !== signals.length + 1 || repeated !== undefined) {
      const what =
        repeated === undefined
          ? `signal ${fold.firstN} follows ${signals.length}`
          : `the signal ${quoted(repeated.signalId)} counts twice`;
      const sentence = `The agent's trust records are not complete: ${what}.`;
      problems.push({ code: 'TRUST_SIGNALS_MISSING', sentence, fromN: Math.min(fold.firstN, signals.length + 1) });
      break;
    }
    for (const signal of fold.signals) {
      signals.push(signal);
      buckets.add(signal);
    }
    const { score, uncertainty } = scoreOn(fold.day, buckets.all(), fold.dailyCap);
    if (fold.score !== score || fold.uncertainty !== uncertainty || fold.level !== levelOf(score)) {
      const sentence = `The trust record ${quoted(fold.proofId)} says ${fold.score}, uncertainty ${fold.uncertainty}, level ${fold.level}; its signals 1 to ${fold.lastN} give ${score}, ${uncertainty}, ${levelOf(score)}.`;
      problems.push({ code: 'TRUST_FOLD_WRONG', sentence, fromN: fold.firstN });
    }
  }
  const known = new Map<string, TrustScore>();
  return {
    signals: signals.length,
    folds,
    problems,
    score(n, day, dailyCap) {
      if (n === 0) return NO_EVIDENCE;
      const id = `${n} ${day} ${dailyCap}`;
      let score = known.get(id);
      if (score === undefined) {
        const first = createBuckets();
        for (const signal of signals.slice(0, n)) first.add(signal);
        score = scoreOn(day, first.all(), dailyCap);
        known.set(id, score);
      }
      return score;
    },
  };
}

/** Signals summed by UTC day and submitting key, the unit to which the cap applies. */
function createBuckets() {
  const buckets = new Map<string, { day: number; positive: number; negative: number }>();
  return {
    all: (): Iterable<EvidenceBucket> => buckets.values(),
    add({ day, key, type, weight }: Signal): void {
      const id = `${day} ${key}`;
      let bucket = buckets.get(id);
      if (bucket === undefined) {
        bucket = { day, positive: 0, negative: 0 };
        buckets.set(id, bucket);
      }
      const { positive, negative } = evidenceOf(type, weight);
      bucket.positive += positive;
      bucket.negative += negative;
    },
  };
}

function foldOf(bytes: Uint8Array, owner: ChangeOwner): Fold | undefined {
  const read = readRecord(bytes);
  if (!('record' in read)) return undefined;
  const { agentId, eventType, occurredAt, payload } = read.record;
  const isOwn =
    agentId === owner.agentId &&
    eventType === 'custos.trust' &&
    payload.organisation === owner.organisation &&
    payload.environment === owner.environment;
  const { body } = payload;
  if (!isOwn || !isFold(body)) return undefined;
  const { asOf, dailyCapThousandths: dailyCap, level, score, signals, uncertainty } = body;
  const firstN = asOf.signals - signals.length + 1;
  const isInOrder = firstN >= 0 && signals.every(({ n }, i) => n === firstN + i);
  if (!isInOrder || ![asOf, ...signals].every(({ day }) => isDay(day))) return undefined;
  return {
    proofId: payload.proofId,
    firstN,
    lastN: asOf.signals,
    atMs: Date.parse(occurredAt),
    dailyCap,
    day: numberOfDay(asOf.day),
    score,
    uncertainty,
    level,
    signals: signals.map(({ day, weight, ...signal }) => ({
      ...signal,
      day: numberOfDay(day),
      weight: Math.round(weight * 1_000),
    })),
  };
}

function numberOfDay(day: string): number {
  return dayOf(Date.parse(`${day}T00:00:00.000Z`));
}

/** Compares the trust that a decision used with its agent's trust records. @param facts undefined when they were deleted */
export function checkTrust(
  { body }: DecisionRecord,
  ledger: TrustLedger,
  facts: Facts | undefined,
  report: Report,
): void {
  const { as_of: asOf } = body.trust;
  const problems = ledger.problems.filter(({ fromN }) => fromN <= asOf.signals);
  report.failures.push(...problems.map(({ code, sentence }) => ({ code, sentence })));
  checkAsOf(body.evaluated_at, asOf, ledger, report);
  if (asOf.signals > ledger.signals) {
    if (!problems.some(({ code }) => code === 'TRUST_SIGNALS_MISSING'))
      fail(
        report,
        'TRUST_SIGNALS_MISSING',
        `The trust is of ${asOf.signals} signals; the agent's trust records hold ${ledger.signals}.`,
      );
    return;
  }
  const day = numberOfDay(asOf.day);
  const found = capsFor(asOf.signals, ledger).map((cap) => ledger.score(asOf.signals, day, cap));
  // Registration is one of the facts; without them, either value is possible.
  const registrations = facts === undefined ? [true, false] : [facts.agent.registered];
  const { score: said, uncertainty: saidUncertainty } = body.trust;
  const due = found.flatMap(({ score, uncertainty }) =>
    registrations.map((registered) => ({ score: recordedScoreOf(registered, score), uncertainty })),
  );
  if (due.some(({ score, uncertainty }) => score === said && uncertainty === saidUncertainty)) return;
  const texts = new Set(due.map(({ score, uncertainty }) => `${score}, uncertainty ${uncertainty}`));
  fail(
    report,
    'TRUST_DIFFERS',
    `The decision used the recorded score ${said}, uncertainty ${saidUncertainty}; the first ${asOf.signals} signals give ${[...texts].join(' or ')} on ${asOf.day}.`,
  );
}

/**
 * The caps that may have been in force: that of the last fold that the decision used, and that of the next fold, because the setting may
 * have changed between them.
 */
function capsFor(signals: number, { folds }: TrustLedger): number[] {
  const last = folds.findIndex((fold) => fold.firstN <= signals && signals <= fold.lastN);
  const caps = folds.slice(Math.max(0, last), last + 2).map((fold) => fold.dailyCap);
  // Without signals the cap has no effect.
  return caps.length === 0 || signals === 0 ? [0] : [...new Set(caps)];
}

/** Checks that a decision neither used later signals nor omitted signals that every process knew. */
function checkAsOf(
  evaluatedAt: string,
  asOf: { readonly day: string; readonly signals: number },
  { folds }: TrustLedger,
  report: Report,
): void {
  const atMs = Date.parse(evaluatedAt);
  const wrong = (sentence: string): void => fail(report, 'TRUST_AS_OF', sentence);
  if (asOf.day !== evaluatedAt.slice(0, 10))
    wrong(`The trust is as of ${asOf.day}, the decision was made at ${evaluatedAt}.`);
  const known = folds.findLast((fold) => fold.atMs < atMs - GRACE_MS);
  if (known !== undefined && asOf.signals < known.lastN)
    wrong(
      `The trust is of ${asOf.signals} signals; ${known.lastN} were recorded at ${new Date(known.atMs).toISOString()}, long before the decision.`,
    );
  const used = folds.find((fold) => fold.firstN <= asOf.signals && asOf.signals <= fold.lastN);
  if (used !== undefined && used.atMs > atMs + GRACE_MS)
    wrong(
      `The trust is of ${asOf.signals} signals; the last of them was recorded at ${new Date(used.atMs).toISOString()}, after the decision.`,
    );
}
