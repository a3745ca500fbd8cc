// Trust in the log: reads the folds of an agent's custos.trust records, and compares the trust of a decision with them.
import { type Static, Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed, StringEnum } from '../../kernel/schema.ts';
import { readRecord } from '../proof/record-read.ts';
import { dayOf, SIGNAL_TYPES, type TrustScore } from '../trust/beta.ts';
import { recordedScoreOf } from '../trust/score.ts';
import type { Facts } from '../policy/types.ts';
import type { ChangeOwner } from './changes.ts';
import { type DecisionFailure, type LoggedRecord, type Report, fail } from './failures.ts';
import { isAfter, type Moment } from './moment.ts';
import { Count, type DecisionRecord, isDay, momentOf, Text } from './record.ts';

/** The content of an agent's trust records. */
export interface TrustLedger {
  /** Number of signals without a gap, starting with the first. */
  readonly signals: number;
  /** Each with the first signal concerned: decisions that used fewer signals are not affected. */
  readonly problems: readonly TrustProblem[];
  /** What the records say of a decision. */
  at(decision: DecisionTime): Promise<TrustAt>;
}

export type TrustProblem = DecisionFailure & { readonly fromN: number };

export interface DecisionTime extends Moment {
  /** The signals that it used. */
  readonly signals: number;
}

export interface TrustAt {
  /** The fold of the last signal that the decision used. */
  readonly used: FoldSpan | undefined;
  /** The fold after it. */
  readonly next: FoldSpan | undefined;
  /** The last fold that every process knew long before the decision, if the decision did not use all of its signals. */
  readonly omitted: FoldSpan | undefined;
  /** The score of the used signals. @param dailyCap thousandths */
  score(day: number, dailyCap: number): TrustScore;
}

export interface FoldSpan extends Moment {
  readonly firstN: number;
  readonly lastN: number;
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

export interface Fold extends FoldSpan {
  readonly proofId: string;
  readonly day: number;
  readonly score: number;
  readonly uncertainty: number;
  readonly level: number;
  readonly signals: readonly Signal[];
}

/** Reads a `custos.trust` record of the agent; undefined: it is none. */
export function foldOf({ bytes, place }: Pick<LoggedRecord, 'bytes' | 'place'>, owner: ChangeOwner): Fold | undefined {
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
    place,
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
export async function checkTrust(
  decision: DecisionRecord,
  ledger: TrustLedger,
  facts: Facts | undefined,
  report: Report,
): Promise<void> {
  const { body } = decision;
  const { as_of: asOf } = body.trust;
  const problems = ledger.problems.filter(({ fromN }) => fromN <= asOf.signals);
  report.failures.push(...problems.map(({ code, sentence }) => ({ code, sentence })));
  const at = await ledger.at({ signals: asOf.signals, ...momentOf(decision) });
  checkAsOf(decision, at, report);
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
  const found = capsFor(asOf.signals, at).map((cap) => at.score(day, cap));
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
function capsFor(signals: number, { used, next }: TrustAt): number[] {
  const caps = [used, next].flatMap((fold) => (fold === undefined ? [] : [fold.dailyCap]));
  // Without signals the cap has no effect.
  return caps.length === 0 || signals === 0 ? [0] : [...new Set(caps)];
}

/** Checks that a decision neither used later signals nor omitted signals that every process knew. */
function checkAsOf(decision: DecisionRecord, { used, omitted }: TrustAt, report: Report): void {
  const { evaluated_at: evaluatedAt, trust } = decision.body;
  const { as_of: asOf } = trust;
  const wrong = (sentence: string): void => fail(report, 'TRUST_AS_OF', sentence);
  if (asOf.day !== evaluatedAt.slice(0, 10))
    wrong(`The trust is as of ${asOf.day}, the decision was made at ${evaluatedAt}.`);
  if (omitted !== undefined)
    wrong(
      `The trust is of ${asOf.signals} signals; ${omitted.lastN} were recorded at ${new Date(omitted.atMs).toISOString()}, long before the decision.`,
    );
  if (used !== undefined && isAfter(used, momentOf(decision)))
    wrong(
      `The trust is of ${asOf.signals} signals; the last of them was recorded at ${new Date(used.atMs).toISOString()}, after the decision.`,
    );
}
