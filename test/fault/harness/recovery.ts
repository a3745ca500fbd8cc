// Measures how soon work moves again after a fault: from when it is healed, or from the fault when nothing needs healing.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { askOnce, type Caller, environmentOf, takeDecision, takeProof, question } from './caller.ts';
import type { Asked, Json } from './http.ts';
import { editionOf } from './policies.ts';

/** Milliseconds until each kind of work moved again. */
export interface Recovery {
  /** A caller that tries one ingress after the other gets a decision. */
  readonly enforcedMs: number;
  /** Every ingress gives decisions. */
  readonly everywhereMs: number;
  /** A new intent is decided. */
  readonly decidedMs: number;
  /** A new proof has its receipt. */
  readonly anchoredMs: number;
  /** Every ingress decides by the policies in the folder. */
  readonly editionMs: number;
  /** The intents and proofs that were accepted before are decided and anchored: the newest of each. */
  readonly settledMs: number;
}

const POLL_MS = 20;
const NEWEST = 30;

export interface RecoveryOptions {
  /** The monotonic time from which recovery counts. */
  readonly fromMs: number;
  /** The edition of the policies in the folder. */
  readonly edition: number;
  readonly limitMs: number;
}

/** @throws {Error} when something does not move again within `limitMs` */
export async function measureRecovery(
  caller: Caller,
  { fromMs: startMs, edition, limitMs }: RecoveryOptions,
): Promise<Recovery> {
  const { keys, addresses } = caller.load;
  const own = environmentOf(caller, 'live');
  const until = async (what: string, attempt: () => Promise<boolean>): Promise<number> => {
    for (;;) {
      if (await attempt()) return performance.now() - startMs;
      if (performance.now() - startMs > limitMs) throw new Error(`after ${limitMs} ms still not: ${what}`);
      await delay(POLL_MS);
    }
  };
  const read = async (path: string): Promise<Json | undefined> => {
    const answer = await askOnce(caller, { method: 'GET', path, key: keys.admin });
    return answer.status === 200 && 'json' in answer ? answer.json : undefined;
  };
  const accept = async (asked: Asked): Promise<Json | undefined> => {
    const answer = await askOnce(caller, asked);
    return answer.status === 202 && 'json' in answer ? answer.json : undefined;
  };
  const isDecided = async (intentId: string): Promise<boolean> =>
    (await read(`/v1/intents/${intentId}`))?.['status'] === 'decided';
  const isAnchored = async (proofId: string): Promise<boolean> => (await read(`/v1/proofs/${proofId}`)) !== undefined;

  const enforced = (address: string, accepts: (decision: Json) => boolean): Promise<number> =>
    until(`an enforcement at ${address}`, async () => {
      const requestId = caller.newName();
      own.most.set(requestId, 1);
      const body = question(caller, 'edition', requestId);
      const answer = await askOnce(caller, { path: '/v1/enforce', key: keys.asker, body, requestId }, address);
      if (answer.status !== 200 || !('json' in answer)) return false;
      takeDecision(caller, answer.json, 'edition');
      return accepts(answer.json);
    });
  const each = (accepts: (decision: Json) => boolean): Promise<number[]> =>
    Promise.all(addresses.map((address) => enforced(address, accepts)));

  const decided = async (): Promise<number> => {
    const name = caller.newName();
    let intentId: string | undefined;
    return until('a new intent', async () => {
      const body = { agentId: 'agent-0', action: 'delete', resource: 'db/open/recovery' };
      intentId ??= (
        await accept({ path: '/v1/intents', key: keys.asker, body, requestId: name, idempotencyKey: name })
      )?.['intentId'] as string | undefined;
      return intentId !== undefined && isDecided(intentId);
    });
  };
  const anchored = async (): Promise<number> => {
    const proofId = caller.newName();
    let isAccepted = false;
    return until('a new proof', async () => {
      const body = { proofId, event: 'recovery.asked', entityId: 'thing-0', payload: {} };
      if (!isAccepted) {
        const answer = await accept({ path: '/v1/proofs', key: keys.asker, body });
        if (answer === undefined) return false;
        takeProof(caller, answer);
        isAccepted = true;
      }
      return isAnchored(proofId);
    });
  };
  const before = { intents: [...own.intents.values()].slice(-NEWEST), proofs: [...own.proofs].slice(-NEWEST) };
  const settled = async (): Promise<number> => {
    const all = [
      ...before.intents.map((id) => until(`intent ${id}`, () => isDecided(id))),
      ...before.proofs.map((id) => until(`proof ${id}`, () => isAnchored(id))),
    ];
    return Math.max(0, ...(await Promise.all(all)));
  };

  const [answered, decidedMs, anchoredMs, current, settledMs] = await Promise.all([
    each(() => true),
    decided(),
    anchored(),
    each((decision) => editionOf(decision) === edition),
    settled(),
  ]);
  return {
    enforcedMs: Math.min(...answered),
    everywhereMs: Math.max(...answered),
    decidedMs,
    anchoredMs,
    editionMs: Math.max(...current),
    settledMs,
  };
}

/** The time until enforcement, intents and proofs all moved again. */
export function movedMs({ enforcedMs, decidedMs, anchoredMs }: Recovery): number {
  return Math.max(enforcedMs, decidedMs, anchoredMs);
}
