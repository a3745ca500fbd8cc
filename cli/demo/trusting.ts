// Chapter five: signals earn trust, a violation loses it, and the verdict on the same request changes each time.
import type { DecisionBody } from '../../shared/api/decision.ts';
import type { TrustBody } from '../../shared/api/trust.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { until } from './client.ts';
import { must, note, type Scene, showDecision } from './scene.ts';

/** The repeated request of the builder: a reversible change, which needs level 2. */
const QUESTION = 'crm.update.contacts';
/** The number of successes that count in a day from one key. */
const SUCCESSES = 10;

/**
 * Repeats the request until the decision is based on `signals` signals: a change of trust reaches every process within a
 * second after the signals are folded. Each repetition is a recorded decision, too.
 */
async function askAgain(
  scene: Scene,
  signals: number,
  expected: Verdict,
  claimedLevel?: number,
): Promise<DecisionBody> {
  const { client, print, cast } = scene;
  const claim = claimedLevel === undefined ? {} : { trust_level: claimedLevel };
  const question = { agent_id: cast.builder, intent: QUESTION, ...claim };
  const decision = await until('a decision based on the signals', async () => {
    const answer = await client.post<DecisionBody>('/v1/enforce', question, 200);
    if (answer.trust.as_of.signals >= signals) return answer;
    note(scene, answer);
    return undefined;
  });
  const claimed = claimedLevel === undefined ? '' : `, claiming level ${claimedLevel}`;
  print.line(`${cast.builder}: ${QUESTION}${claimed}`);
  showDecision(scene, decision, expected);
  return decision;
}

/** Sends signals and waits until a worker has folded all signals of the agent. */
async function signal(scene: Scene, cause: string, members: readonly object[], total: number): Promise<TrustBody> {
  const { client, print, cast, run } = scene;
  const signals = members.map((member, i) => ({
    signalId: `demo-${run}-${cause}-${i}`,
    agentId: cast.builder,
    source: 'demo',
    ...member,
  }));
  await client.post('/v1/trust/signals', { signals }, 202);
  // Sent twice, as after a lost answer: equal ids count once.
  await client.post('/v1/trust/signals', { signals }, 202);
  const look = async (): Promise<TrustBody | undefined> => {
    const trust = await client.get<TrustBody>(`/v1/trust/${cast.builder}`);
    return trust.asOf.signals >= total ? trust : undefined;
  };
  const trust = await print.during('a worker folds the signals', until(`the fold of ${cause}`, look));
  recordTrust(scene, cause, trust);
  return trust;
}

function recordTrust({ print, summary }: Scene, cause: string, { score, level, tier }: TrustBody): void {
  summary.trust.push({ cause, score, level, tier });
  print.line(`${cause}: score ${score}, level ${level} (${tier})`);
}

export async function earnTrust(scene: Scene): Promise<void> {
  const { client, cast } = scene;
  scene.print.chapter('Trust is earned and lost');
  const before = await client.get<TrustBody>(`/v1/trust/${cast.builder}`);
  recordTrust(scene, 'no evidence', before);
  await askAgain(scene, 0, 'DENY');

  const successes = Array.from({ length: SUCCESSES }, () => ({ type: 'success' }));
  const earned = await signal(scene, `${SUCCESSES} successes`, successes, SUCCESSES);
  must(scene, earned.score > before.score, 'the score rose', `it went from ${before.score} to ${earned.score}`);
  must(
    scene,
    earned.asOf.signals === SUCCESSES,
    'signals that were sent twice count once',
    `${earned.asOf.signals} count`,
  );
  await askAgain(scene, SUCCESSES, 'ALLOW');
  const claimed = await askAgain(scene, SUCCESSES, 'DENY', 1);
  must(
    scene,
    claimed.trust.effective_level === 1,
    'a claim can lower trust',
    `the effective level is ${claimed.trust.effective_level}`,
  );

  const lost = await signal(scene, 'one violation', [{ type: 'violation' }], SUCCESSES + 1);
  must(scene, lost.score < earned.score, 'the score fell', `it went from ${earned.score} to ${lost.score}`);
  const refused = await askAgain(scene, SUCCESSES + 1, 'DENY', 7);
  must(
    scene,
    refused.trust.effective_level === lost.level,
    'a claim of level 7 does not raise trust',
    `the effective level is ${refused.trust.effective_level}`,
  );
  await history(scene, lost.score);
}

async function history(scene: Scene, score: number): Promise<void> {
  const { client, cast } = scene;
  interface Change {
    readonly score: number;
    readonly cause: { readonly success: number; readonly violation: number };
  }
  const { items } = await client.get<{ items: readonly Change[] }>(`/v1/trust/${cast.builder}/history`);
  const count = (type: 'success' | 'violation'): number => items.reduce((sum, item) => sum + item.cause[type], 0);
  must(
    scene,
    items[0]?.score === score && count('success') === SUCCESSES && count('violation') === 1,
    `the history has all ${SUCCESSES + 1} signals and ends at ${score}`,
    `it has ${count('success')} successes and ${count('violation')} violations`,
  );
}
