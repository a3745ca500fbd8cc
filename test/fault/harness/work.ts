// The kinds of work in the mixed load. Each call does one piece of it.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Area,
  askOnce,
  askUntilAnswered,
  type Caller,
  environmentOf,
  expectStatus,
  question,
  takeDecision,
  takeProof,
} from './caller.ts';
import { type Signal, rememberDecision } from './history.ts';
import type { Json } from './http.ts';

type Work = (caller: Caller) => Promise<void>;

const AREAS: readonly Area[] = ['open', 'open', 'edition', 'asked', 'other'];

/** One attempt without an Idempotency-Key: if it is not answered, at most one decision exists. */
const enforceOnce: Work = async (caller) => {
  const name = caller.newName();
  const area = caller.random.pick(AREAS);
  environmentOf(caller, 'live').most.set(name, 1);
  const answer = await askOnce(caller, {
    path: '/v1/enforce',
    key: caller.load.keys.asker,
    body: question(caller, area, name),
    requestId: name,
  });
  if (answer.status === 200) takeDecision(caller, answer.json, area);
  else if ('json' in answer) expectStatus(caller, answer, 'enforce', 503);
};

const enforceKeyed: Work = async (caller) => {
  const name = caller.newName();
  const area = caller.random.pick(AREAS);
  environmentOf(caller, 'live').most.set(name, 1);
  const answer = await askUntilAnswered(caller, {
    path: '/v1/enforce',
    key: caller.load.keys.asker,
    body: question(caller, area, name),
    requestId: name,
    idempotencyKey: name,
  });
  if (expectStatus(caller, answer, 'enforce with a key', 200)) takeDecision(caller, answer.json, area);
};

/** Members that could not be decided are decided by a repeat; the others keep their decisions. */
const batch: Work = async (caller) => {
  const name = caller.newName();
  const areas = caller.random.several(AREAS, 4);
  const requests = areas.map((area, i) => question(caller, area, `${name}_${i}`));
  environmentOf(caller, 'live').most.set(name, requests.length);
  for (;;) {
    const answer = await askUntilAnswered(caller, {
      path: '/v1/enforce/batch',
      key: caller.load.keys.asker,
      body: { requests },
      requestId: name,
      idempotencyKey: name,
    });
    if (!expectStatus(caller, answer, 'a batch', 200)) return;
    const members = answer.json['decisions'] as readonly Json[];
    for (const [i, member] of members.entries())
      if (member['error'] === undefined) takeDecision(caller, member, areas[i] ?? 'other');
    if (members.every((member) => member['error'] === undefined)) return;
    await delay(100);
  }
};

const intent: Work = async (caller) => {
  const name = caller.newName();
  environmentOf(caller, 'live').most.set(name, 1);
  const { agent_id, intent: asked } = question(caller, caller.random.pick(['open', 'other'] as const), name);
  const [action, resource] = String(asked).split(':');
  const answer = await askUntilAnswered(caller, {
    path: '/v1/intents',
    key: caller.load.keys.asker,
    body: { agentId: agent_id, action, resource },
    requestId: name,
    idempotencyKey: name,
  });
  if (expectStatus(caller, answer, 'an intent', 202))
    environmentOf(caller, 'live').intents.set(name, String(answer.json['intentId']));
};

const proofs: Work = async (caller) => {
  const name = caller.newName();
  const entity = caller.random.pick(['agent-0', 'agent-1', 'thing-0', 'thing-1']);
  const one = (proofId: string): object => ({ proofId, event: 'load.sent', entityId: entity, payload: { name } });
  const isBatch = caller.random.next() < 0.3;
  const ids = isBatch ? [`${name}-0`, `${name}-1`, `${name}-2`] : [name];
  const answer = await askUntilAnswered(caller, {
    path: isBatch ? '/v1/proofs/batch' : '/v1/proofs',
    key: caller.load.keys.asker,
    body: isBatch ? { proofs: ids.map(one) } : one(name),
    requestId: name,
  });
  if (!expectStatus(caller, answer, 'proofs', 202)) return;
  const accepted = isBatch ? (answer.json['proofs'] as readonly Json[]) : [answer.json];
  for (const proof of accepted) takeProof(caller, proof);
};

const SIGNALS_PER_REQUEST = 10;

const signals: Work = async (caller) => {
  const name = caller.newName();
  const batch = Array.from({ length: SIGNALS_PER_REQUEST }, (_, i): Signal & { readonly signalId: string } => ({
    signalId: `${name}-${i}`,
    agentId: `agent-${Math.floor(caller.random.next() * 7)}`,
    type: caller.random.pick(['success', 'success', 'success', 'failure', 'violation'] as const),
    weight: 1 + Math.floor(caller.random.next() * 1_000),
  }));
  const answer = await askUntilAnswered(caller, {
    path: '/v1/trust/signals',
    key: caller.load.keys.asker,
    body: { signals: batch.map((one) => ({ ...one, weight: one.weight / 1_000 })) },
    requestId: name,
  });
  if (expectStatus(caller, answer, 'signals', 202))
    for (const { signalId, ...signal } of batch) environmentOf(caller, 'live').signals.set(signalId, signal);
};

/** Requested, decided by another key, and used by several requests at once. */
const approval: Work = async (caller) => {
  const { keys, history } = caller.load;
  const name = caller.newName();
  environmentOf(caller, 'live').most.set(name, 1);
  const body = question(caller, 'asked', name);
  const ask = { path: '/v1/enforce', key: keys.asker };
  const escalated = await askUntilAnswered(caller, { ...ask, body, requestId: name, idempotencyKey: name });
  if (!expectStatus(caller, escalated, 'a request for approval', 200)) return;
  takeDecision(caller, escalated.json, 'asked');
  const approvalId = (escalated.json['approval'] as { readonly approval_id: string } | undefined)?.approval_id;
  if (approvalId === undefined) return;
  const isApproved = caller.random.next() < 0.8;
  const decided = await askUntilAnswered(caller, {
    path: `/v1/approvals/${approvalId}/${isApproved ? 'approve' : 'reject'}`,
    key: keys.approver,
    body: { reason: 'the load' },
  });
  // E5001: an attempt whose answer was lost has decided it.
  if (!expectStatus(caller, decided, 'the decision of an approval', 200, 409)) return;
  const use = async (nth: number): Promise<void> => {
    const requestId = `${name}-use-${nth}`;
    const { most } = environmentOf(caller, 'live');
    const request = { ...ask, body: { ...body, approval_id: approvalId }, requestId };
    // Each attempt at a rejected or used approval is a refusal of its own: the request has no Idempotency-Key.
    const count = (): void => void most.set(requestId, (most.get(requestId) ?? 0) + 1);
    const answer = await askUntilAnswered(caller, request, count);
    // 409 E5004: the decision of another use, which does not stand any more.
    if (!expectStatus(caller, answer, 'the use of an approval', 200, 409) || answer.status === 409) return;
    rememberDecision(history, 'live', answer.json);
    const { verdict, decision_id: id } = answer.json as { readonly verdict: string; readonly decision_id: string };
    if (verdict !== 'ALLOW') return;
    if (!isApproved) history.problems.push(`approval ${approvalId} was rejected, but decision ${id} is ALLOW`);
    const earlier = history.uses.get(approvalId);
    if (earlier !== undefined && earlier !== id)
      history.problems.push(`approval ${approvalId} was used by the decisions ${earlier} and ${id}`);
    history.uses.set(approvalId, id);
  };
  await Promise.all([use(0), use(1)]);
  await use(2);
};

/** Reads what is published. It must be in the log at the end. */
const reading: Work = async (caller) => {
  const { keys } = caller.load;
  const own = environmentOf(caller, 'live');
  const checkpoint = await askOnce(caller, { method: 'GET', path: '/v1/log/checkpoint', key: keys.admin });
  if (checkpoint.status === 200) own.checkpoints.add(String(checkpoint.json['text']));
  const known = [...own.proofs].slice(-50);
  if (known.length === 0) return;
  const proofId = caller.random.pick(known);
  const receipt = await askOnce(caller, { method: 'GET', path: `/v1/proofs/${proofId}`, key: keys.admin });
  if (receipt.status === 200)
    own.receipts.set(proofId, { index: Number(receipt.json['index']), record: String(receipt.json['record']) });
};

/** Each kind as often as it stands here. */
const MIX: readonly Work[] = [
  enforceOnce,
  enforceOnce,
  enforceOnce,
  enforceKeyed,
  enforceKeyed,
  batch,
  intent,
  intent,
  intent,
  proofs,
  proofs,
  signals,
  approval,
  reading,
];

/** Pauses between two pieces of work: the load must leave a small machine time to recover. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 60;

/** Works until the load is over. */
export async function callerLoop(caller: Caller): Promise<void> {
  while (!caller.load.isOver()) {
    await caller.random.pick(MIX)(caller);
    await delay(caller.random.between(LEAST_PAUSE_MS, MOST_PAUSE_MS));
  }
}
