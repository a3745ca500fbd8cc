// Halts in the log: when each was in force, and whether a decision with or without the reason HALTED agrees with that.
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { closed } from '../../kernel/schema.ts';
import { quoted } from '../proof/encoding.ts';
import { type ChangeOwner, readChanges } from './changes.ts';
import { type DecisionFailure, type LoggedRecord, type Report, fail } from './failures.ts';
import { isAfter, isLongBefore, type Moment } from './moment.ts';
import { type DecisionRecord, momentOf } from './record.ts';

interface Span {
  readonly reason: string;
  readonly from: Moment;
  to: Moment;
}

/** The end of a halt that is in force. */
const NEVER: Moment = { atMs: Infinity };

export interface HaltHistory {
  readonly spans: readonly Span[];
  readonly problems: readonly DecisionFailure[];
}

/** @param records the `custos.halt` records of one organisation and environment, in log order */
export function readHalts(records: readonly LoggedRecord[], owner: ChangeOwner): HaltHistory {
  const spans: Span[] = [];
  const kind = {
    name: 'halt',
    whose: 'environment',
    failure: 'HALT_RECORD_ALTERED',
    changeOf,
  } as const;
  const problems = readChanges(records, owner, kind, (reason, at) => {
    const last = spans.at(-1);
    if (last?.to === NEVER) last.to = at;
    if (reason !== null) spans.push({ reason, from: at, to: NEVER });
  });
  return { spans, problems };
}

const isHalt = guardOf(closed({ change: Type.Literal('halted'), keyId: Type.Unknown(), reason: Type.String() }));
const isEnd = guardOf(
  closed({ change: Type.Literal('lifted'), keyId: Type.Unknown(), reason: Type.Optional(Type.String()) }),
);

/** The reason of a halt, null for its end, undefined for anything else. */
function changeOf(body: unknown): string | null | undefined {
  if (isHalt(body)) return body.reason;
  return isEnd(body) ? null : undefined;
}

/** @param reason of the halt that the decision names; undefined when it names none */
export function checkHalts(
  decision: DecisionRecord,
  { spans, problems }: HaltHistory,
  reason: string | undefined,
  report: Report,
): void {
  const at = momentOf(decision);
  report.failures.push(...problems);
  if (reason !== undefined) {
    const isKnown = spans.some(
      ({ from, to, ...span }) => span.reason === reason && !isAfter(from, at) && !isLongBefore(to, at),
    );
    if (!isKnown)
      fail(
        report,
        'HALT_NOT_RECORDED',
        `The decision says HALTED, ${quoted(reason)}; the log has no such halt that was in force at ${decision.body.evaluated_at}.`,
      );
    return;
  }
  const ignored = spans.find(({ from, to }) => isLongBefore(from, at) && isAfter(to, at));
  if (ignored !== undefined)
    fail(
      report,
      'HALT_IGNORED',
      `The halt ${quoted(ignored.reason)} was in force since ${new Date(ignored.from.atMs).toISOString()}; the decision does not say HALTED.`,
    );
}
