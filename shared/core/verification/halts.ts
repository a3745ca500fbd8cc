// Halts in the log: when each was in force, and whether a decision with or without the reason HALTED agrees with that.
import { quoted } from '../proof/encoding.ts';
import { readRecord } from '../proof/record-read.ts';
import { type DecisionFailure, GRACE_MS, type LoggedRecord, type Report } from './failures.ts';
import { type DecisionRecord, hasExactly, isAsLogged } from './record.ts';

interface Span {
  readonly reason: string;
  readonly fromMs: number;
  /** Infinity while it is in force. */
  toMs: number;
}

export interface HaltHistory {
  readonly spans: readonly Span[];
  readonly problems: readonly DecisionFailure[];
}

/** @param records the `custos.halt` records of one organisation and environment, in log order */
export function readHalts(records: readonly LoggedRecord[], organisation: string, environment: string): HaltHistory {
  const spans: Span[] = [];
  const problems: DecisionFailure[] = [];
  for (const logged of records) {
    const read = readRecord(logged.bytes);
    const record = 'record' in read ? read.record : undefined;
    const change = record === undefined ? undefined : changeOf(record.payload.body);
    if (
      record?.eventType !== 'custos.halt' ||
      change === undefined ||
      record.payload.organisation !== organisation ||
      record.payload.environment !== environment
    ) {
      problems.push({ code: 'HALT_RECORD_ALTERED', sentence: 'A halt record is not one of this environment.' });
      continue;
    }
    if (!isAsLogged(logged))
      problems.push({
        code: 'HALT_RECORD_ALTERED',
        sentence: `The halt record ${quoted(record.payload.proofId)} is not the one that the log has hashed.`,
      });
    const atMs = Date.parse(record.occurredAt);
    const last = spans.at(-1);
    if (last?.toMs === Infinity) last.toMs = atMs;
    if (change !== null) spans.push({ reason: change, fromMs: atMs, toMs: Infinity });
  }
  return { spans, problems };
}

/** The reason of a halt, null for its end, undefined for anything else. */
function changeOf(body: unknown): string | null | undefined {
  if (hasExactly(body, ['change', 'keyId', 'reason']) && body.change === 'halted' && typeof body.reason === 'string')
    return body.reason;
  return hasExactly(body, ['change', 'keyId']) && body.change === 'lifted' ? null : undefined;
}

/** @param reason of the halt that the decision names; undefined when it names none */
export function checkHalts(
  { body }: DecisionRecord,
  { spans, problems }: HaltHistory,
  reason: string | undefined,
  report: Report,
): void {
  const atMs = Date.parse(body.evaluated_at);
  report.failures.push(...problems);
  if (reason !== undefined) {
    const isKnown = spans.some(
      (span) => span.reason === reason && span.fromMs <= atMs + GRACE_MS && atMs - GRACE_MS <= span.toMs,
    );
    if (!isKnown)
      report.failures.push({
        code: 'HALT_NOT_RECORDED',
        sentence: `The decision says HALTED, ${quoted(reason)}; the log has no such halt that was in force at ${body.evaluated_at}.`,
      });
    return;
  }
  const ignored = spans.find((span) => span.fromMs < atMs - GRACE_MS && atMs < span.toMs - GRACE_MS);
  if (ignored !== undefined)
    report.failures.push({
      code: 'HALT_IGNORED',
      sentence: `The halt ${quoted(ignored.reason)} was in force since ${new Date(ignored.fromMs).toISOString()}; the decision does not say HALTED.`,
    });
}
