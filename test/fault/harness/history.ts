// What the service acknowledged to the harness, and what was wrong with an answer when it arrived.
import type { Json } from './http.ts';

/** Of one environment, which has its own log. */
export interface EnvironmentHistory {
  /** Answered decisions by id, without their promises. */
  readonly decisions: Map<string, Json>;
  /** The record that each promise names: `recordDigest` by `proofId`. */
  readonly promises: Map<string, string>;
  /** How many decisions may bear a request id, however often the request was repeated. */
  readonly most: Map<string, number>;
  /** Request ids of accepted intents: each has exactly one decision in the end. */
  readonly intents: Map<string, string>;
  readonly proofs: Set<string>;
  readonly signals: Map<string, Signal>;
  /** Signed checkpoints that were published at some time. */
  readonly checkpoints: Set<string>;
  /** Base64 of the record of each receipt, with its index. */
  readonly receipts: Map<string, { readonly index: number; readonly record: string }>;
  /** Acknowledged changes by administrators: each has a record of this event whose body has these members. */
  readonly changes: { readonly event: string; readonly members: Json }[];
}

export interface Signal {
  readonly agentId: string;
  readonly type: 'success' | 'failure' | 'violation';
  /** In thousandths. */
  readonly weight: number;
}

export interface History {
  readonly live: EnvironmentHistory;
  readonly test: EnvironmentHistory;
  /** Broken invariants that an answer showed. */
  readonly problems: string[];
  /** Requests that got no answer in time, by monotonic time. */
  readonly silent: { readonly what: string; readonly fromMs: number; readonly toMs: number }[];
  /** The decision that each approval permitted. */
  readonly uses: Map<string, string>;
  /** Answers by status, or how there was none. */
  readonly answers: Map<string, number>;
}

export function createHistory(): History {
  return {
    live: newEnvironment(),
    test: newEnvironment(),
    problems: [],
    silent: [],
    uses: new Map(),
    answers: new Map(),
  };
}

function newEnvironment(): EnvironmentHistory {
  return {
    decisions: new Map(),
    promises: new Map(),
    most: new Map(),
    intents: new Map(),
    proofs: new Set(),
    signals: new Map(),
    checkpoints: new Set(),
    receipts: new Map(),
    changes: [],
  };
}

interface DecisionAnswer extends Json {
  readonly decision_id: string;
  readonly proof: { readonly proof_id: string; readonly promise?: { readonly recordDigest: string } };
}

/** Remembers an answered decision. A repeated answer must be the same but for its promise, which is signed at each read. */
export function rememberDecision(history: History, environment: 'live' | 'test', answer: Json): void {
  // The caller has seen status 200 of a route that answers decisions.
  const { proof, ...decision } = answer as DecisionAnswer;
  const own = history[environment];
  const earlier = own.decisions.get(decision.decision_id);
  if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(decision))
    history.problems.push(`decision ${decision.decision_id} was answered with two different contents`);
  own.decisions.set(decision.decision_id, decision);
  if (proof.promise !== undefined) rememberPromise(history, environment, proof.proof_id, proof.promise.recordDigest);
}

export function rememberPromise(
  history: History,
  environment: 'live' | 'test',
  proofId: string,
  recordDigest: string,
): void {
  const earlier = history[environment].promises.get(proofId);
  if (earlier !== undefined && earlier !== recordDigest)
    history.problems.push(`proof ${proofId} was promised with two different records`);
  history[environment].promises.set(proofId, recordDigest);
}
