// Reads a text a second time: cached answers, one question for equal texts, a bound on concurrent questions, a circuit breaker.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import type { SecondReading } from '../../kernel/vocabulary.ts';
import { isRaised, raise, type Raised, raisedBy, type SecondAnswer } from '../../core/intent/second-reading.ts';
import type { ParsedIntent } from '../../core/intent/types.ts';
import { createBreaker } from './breaker.ts';
import { ask, describeAway, type EndpointAnswer, type EndpointSettings } from './endpoint.ts';
import type { ReaderMetrics } from './metrics.ts';
import { HARMLESS, questionBody, questionDigest } from './question.ts';
import { createSlots } from '../../kernel/slots.ts';

/** A parse that was read a second time. */
export interface ReadAgain {
  readonly parse: ParsedIntent & { second_reading: SecondReading };
  /** The members that became stricter. */
  readonly raised: Raised;
  /** In the reader's words; absent when it is away. */
  readonly why?: string;
}

export interface SecondReader {
  /** Joins a parse with the second reading of its text. Never rejects and takes no longer than the deadline. */
  readAgain(organisationId: string, text: string, parse: ParsedIntent): Promise<ReadAgain>;
  /** Why the endpoint is left alone; undefined: it is not. */
  problem(): string | undefined;
}

export interface SecondReaderDeps extends EndpointSettings {
  readonly model: string;
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  readonly metrics: ReaderMetrics;
  /** Called when the endpoint begins to fail, and when it answers again (undefined). */
  readonly onChange: (problem: string | undefined) => void;
}

const MAX_CACHED = 5_000;
const CACHED_FOR_MS = 3_600_000;
/** Of all organisations together: one alone has at most half of them. */
const MAX_AT_ONCE = 32;

interface CachedAnswer {
  readonly answer: SecondAnswer;
  readonly atMs: number;
}

interface Asked {
  readonly result: EndpointAnswer;
  /** Undefined when nothing was sent. */
  readonly seconds?: number;
}

const LATE: EndpointAnswer = { kind: 'away', cause: 'timeout' };
const RESTING: EndpointAnswer = { kind: 'away', cause: 'resting' };

/** Whether the endpoint works, whatever the text was. A refusal or an unusable answer may be due to the text. */
function isWorking(result: EndpointAnswer): boolean {
  if (result.kind === 'answered') return true;
  const { cause, status } = result;
  return cause === 'unusable' || cause === 'too_large' || status === 400 || status === 413 || status === 422;
}

export function createSecondReader(deps: SecondReaderDeps): SecondReader {
  const { url, key, model, timeoutMs, monotonicMs, metrics, onChange } = deps;
  const answers = new BoundedCache<CachedAnswer>({ max: MAX_CACHED });
  const underWay = new Map<string, Promise<Asked>>();
  const slots = createSlots(MAX_AT_ONCE);
  let lastProblem: string | undefined;

  const breaker = createBreaker({
    monotonicMs,
    probe: async () => {
      const result = await ask({ url, key }, questionBody(model, HARMLESS), AbortSignal.timeout(timeoutMs));
      if (result.kind === 'away') lastProblem = describeAway(result);
      return isWorking(result);
    },
    onChange: () => onChange(breaker.isOpen() ? lastProblem : undefined),
  });

  const send = async (body: string, signal: AbortSignal): Promise<Asked> => {
    const startMs = monotonicMs();
    const result = await ask({ url, key }, body, signal);
    breaker.ended(isWorking(result) ? 'answered' : 'failed');
    return { result, seconds: (monotonicMs() - startMs) / 1_000 };
  };

  const askWhenFree = async (organisationId: string, body: string): Promise<Asked> => {
    const signal = AbortSignal.timeout(timeoutMs);
    if (!(await slots.take(organisationId, signal))) return { result: LATE };
    try {
      // A probe may take as long as the question, which then has no time left.
      return (await breaker.admit()) ? await send(body, signal) : { result: RESTING };
    } finally {
      slots.release(organisationId);
    }
  };

  const askOnce = async (organisationId: string, body: string): Promise<Asked> => {
    const digest = questionDigest(organisationId, url, body);
    const cached = answers.get(digest);
    if (cached !== undefined && monotonicMs() - cached.atMs < CACHED_FOR_MS)
      return { result: { kind: 'answered', answer: cached.answer } };
    const known = underWay.get(digest);
    if (known !== undefined) return { result: (await known).result };
    const asked = askWhenFree(organisationId, body);
    underWay.set(digest, asked);
    try {
      const { result } = await asked;
      if (result.kind === 'answered') answers.set(digest, { answer: result.answer, atMs: monotonicMs() });
      return await asked;
    } finally {
      underWay.delete(digest);
    }
  };

  return {
    async readAgain(organisationId, text, parse) {
      const body = questionBody(model, text);
      const { result, seconds } = await askOnce(organisationId, body);
      if (result.kind === 'away') {
        metrics.count('away', seconds);
        return { parse: { ...parse, second_reading: 'away' }, raised: {} };
      }
      const raised = raisedBy(parse, result.answer);
      const outcome = isRaised(raised) ? 'raised' : 'agreed';
      metrics.count(outcome, seconds);
      return {
        parse: { ...raise(parse, raised), second_reading: outcome },
        raised,
        why: result.answer.why,
      };
    },
    problem: () => (breaker.isOpen() ? lastProblem : undefined),
  };
}
