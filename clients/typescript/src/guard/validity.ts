// How long a decision may be acted upon. It is for one immediate action: a halt or a pause that follows it has no effect on its answer.
import type { Http } from '../http.ts';
import { type Runtime, startTimer } from '../runtime.ts';
import type { Decision } from '../types.ts';

/** A decision that was read or confirmed no longer ago than this is acted upon without asking again. */
const FRESH_MS = 5_000;
/** Nothing begins so shortly before the decision expires. */
const MARGIN_MS = 5_000;

/** @returns why the decision may not be acted upon any more; undefined: it may, now. @throws {CustosError} when that can't be found out */
export type Validity = (signal?: AbortSignal) => Promise<string | undefined>;

/** RFC 3339; Date.parse alone reads much more, and a time without a zone as one of this machine. */
const TIME = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const timeMsOf = (text: unknown): number =>
  typeof text === 'string' && TIME.test(text) ? Date.parse(text) : Number.NaN;

/** Its length, by the two times of the service: the clock of this machine may be wrong. NaN: one of them is no time. */
export const lifeMsOf = ({ evaluatedAt, expiresAt }: Pick<Decision, 'evaluatedAt' | 'expiresAt'>): number =>
  timeMsOf(expiresAt) - timeMsOf(evaluatedAt);

/** @param ageMs the time since the question was sent, so that the decision is younger */
export function createValidity(
  { http, runtime }: { readonly http: Http; readonly runtime: Runtime },
  decision: Decision,
  ageMs: () => number,
): Validity {
  const { decisionId: id } = decision;
  let confirmedAgoMs = ageMs;
  return async (signal) => {
    if (ageMs() >= lifeMsOf(decision) - MARGIN_MS) return 'its decision has expired';
    if (confirmedAgoMs() < FRESH_MS) return undefined;
    const timer = startTimer(runtime);
    const { body } = await http.send({ operation: 'GET /v1/decisions/{id}', path: [id] }, { signal });
    // Everything but a clear yes is a no.
    const { decisionId, stands, standsReason } = body as Readonly<Record<string, unknown>>;
    if (decisionId !== id || stands !== true)
      return `its decision does not stand any more${typeof standsReason === 'string' ? ` (${standsReason})` : ''}`;
    confirmedAgoMs = timer;
    return undefined;
  };
}
