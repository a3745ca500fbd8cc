// Sends the requests of the mixed load and remembers what was acknowledged.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answered, ask, type Asked, type Unanswered } from './http.ts';
import { type EnvironmentHistory, type History, rememberDecision, rememberPromise } from './history.ts';
import type { Json } from './http.ts';
import type { Randomness } from './randomness.ts';

/** Keys of the load. All were created by the deployment's first admin key. */
export interface Keys {
  readonly admin: string;
  /** Asks: intents, signals, proofs. */
  readonly asker: string;
  /** Decides approvals: another hand than the asker's. */
  readonly approver: string;
  /** The environment `test`, which the load halts. */
  readonly tester: string;
  readonly testAdmin: string;
}

/** What all callers of a round share. */
export interface Load {
  readonly keys: Keys;
  readonly addresses: readonly string[];
  readonly history: History;
  /** True once no new work is begun. Work that was begun is repeated until it is acknowledged. */
  isOver(): boolean;
  /** Monotonic time after which a request that is still not acknowledged is a failure; changes when faults are healed. */
  deadlineMs(): number;
}

export interface Caller {
  readonly load: Load;
  readonly random: Randomness;
  /** A name that no other request of the deployment has. */
  newName(): string;
}

const PAUSE_MS = 100;

/** Thrown when a request is not acknowledged although all faults have been healed. */
export class NotAcknowledged extends Error {}

/** Sends it once to any ingress, and counts the answer. */
export async function askOnce({ load, random }: Caller, asked: Asked, at?: string): Promise<Answered | Unanswered> {
  const answer = await ask(at ?? random.pick(load.addresses), asked);
  const { answers, silent, problems } = load.history;
  answers.set(String(answer.status), (answers.get(String(answer.status)) ?? 0) + 1);
  if (answer.status === 'silent') silent.push({ what: asked.path, fromMs: answer.sentAtMs, toMs: performance.now() });
  if (answer.status === 500)
    problems.push(`${asked.path} answered 500: ${JSON.stringify('json' in answer && answer.json)}`);
  return answer;
}

/** E2010 with 409: the first attempt still runs, or its process was killed a moment ago. */
const isToBeRepeated = (answer: Answered | Unanswered): boolean =>
  typeof answer.status === 'string' ||
  answer.status >= 500 ||
  (answer.status === 409 && answer.json['code'] === 'E2010');

/**
 * Repeats a request until it gets an answer other than "unavailable" or "still running".
 * @throws {NotAcknowledged} after the deadline of the load
 */
export async function askUntilAnswered(
  caller: Caller,
  asked: Asked,
  beforeAttempt: () => void = () => undefined,
): Promise<Answered> {
  for (;;) {
    beforeAttempt();
    const answer = await askOnce(caller, asked);
    // All of the class Unanswered are repeated.
    if (!isToBeRepeated(answer)) return answer as Answered;
    if (performance.now() > caller.load.deadlineMs())
      throw new NotAcknowledged(`${asked.path} (${asked.requestId ?? ''}) still gets ${JSON.stringify(answer)}`);
    await delay(PAUSE_MS);
  }
}

/** Reports an answer that the request must not get. */
export function expectStatus(caller: Caller, answer: Answered, what: string, ...expected: number[]): boolean {
  if (expected.includes(answer.status)) return true;
  caller.load.history.problems.push(`${what} got ${answer.status} ${JSON.stringify(answer.json)}`);
  return false;
}

export const environmentOf = (caller: Caller, environment: 'live' | 'test'): EnvironmentHistory =>
  caller.load.history[environment];

export const VERDICTS = { open: 'ALLOW', asked: 'ESCALATE', edition: 'ALLOW', other: 'DENY' } as const;
export type Area = keyof typeof VERDICTS;

/** A question whose verdict the policies of the harness fix. */
export function question(caller: Caller, area: Area, name: string): Json {
  const agent = `agent-${Math.floor(caller.random.next() * 7)}`;
  return { agent_id: agent, intent: `delete:db/${area}/${name.replaceAll(/[^a-z0-9]/g, '_')}` };
}

/** Remembers a decision about a question and reports a verdict that the policies do not give. */
export function takeDecision(caller: Caller, answer: Json, area: Area): void {
  rememberDecision(caller.load.history, 'live', answer);
  if (answer['verdict'] !== VERDICTS[area])
    caller.load.history.problems.push(
      `a question about db/${area} got ${String(answer['verdict'])}: ${JSON.stringify(answer)}`,
    );
}

export function takeProof(caller: Caller, answer: Json): void {
  const { proofId, recordDigest } = answer as { readonly proofId: string; readonly recordDigest: string };
  environmentOf(caller, 'live').proofs.add(proofId);
  rememberPromise(caller.load.history, 'live', proofId, recordDigest);
}
