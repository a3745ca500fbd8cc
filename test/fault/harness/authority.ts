// Changes of authority during the load: keys are revoked, agents paused, an environment halted. From one second after the
// acknowledgement of a change, no process may answer as before it.
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  askOnce,
  askUntilAnswered,
  type Caller,
  environmentOf,
  expectStatus,
  question,
  takeDecision,
} from './caller.ts';
import { rememberDecision } from './history.ts';
import type { Answered, Json } from './http.ts';

/** The time in which a change takes effect in every process. */
const EFFECTIVE_AFTER_MS = 1_000;
const PAUSE_MS = 50;

/** Asks every ingress again and again with `ask` until `untilMs`, and passes on answers to requests sent from `fromMs` on. */
async function probe(
  caller: Caller,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ask: (address: string) => Promise<Answered | { readonly status: string }>,
  judge: (answer: Answered) => void,
): Promise<void> {
  const at = async (address: string): Promise<void> => {
    while (performance.now() < untilMs && !caller.load.isOver()) {
      const answer = await ask(address);
      if ('json' in answer && answer.sentAtMs > fromMs) judge(answer);
      await delay(PAUSE_MS);
    }
  };
  await Promise.all(caller.load.addresses.map(at));
}

const changed = (caller: Caller, environment: 'live' | 'test', event: string, members: Json): void =>
  void environmentOf(caller, environment).changes.push({ event, members });

/** A change whose acknowledgement may be lost is repeated until it is acknowledged. @returns the acknowledgement; undefined: it was refused */
async function change(
  caller: Caller,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answered | undefined> {
  const key = path === '/v1/halt' ? caller.load.keys.testAdmin : caller.load.keys.admin;
  const answer = await askUntilAnswered(caller, { method, path, key, ...(body === undefined ? {} : { body }) });
  return expectStatus(caller, answer, `${method} ${path}`, 200, 201) ? answer : undefined;
}

/**
 * Whether a request got no answer since then. A frozen process carries it out when it wakes, maybe after a later change of the
 * same thing, so nothing can be expected of that thing any more.
 */
const isUncertain = ({ load }: Caller, sinceMs: number): boolean =>
  load.history.silent.some(({ toMs }) => toMs >= sinceMs);

const single = (caller: Caller, environment: 'live' | 'test'): string => {
  const name = caller.newName();
  environmentOf(caller, environment).most.set(name, 1);
  return name;
};

/** A key is created, used, and revoked while it is used. */
export async function revokeKeys(caller: Caller): Promise<void> {
  while (!caller.load.isOver()) {
    const created = await change(caller, 'POST', '/v1/auth/keys', {
      name: caller.newName(),
      scopes: ['intents:write'],
    });
    if (created === undefined) return;
    const { key, keyId } = created.json as { readonly key: string; readonly keyId: string };
    changed(caller, 'live', 'custos.key', { keyId, change: 'created' });
    const use = async (address: string): Promise<Answered | { readonly status: string }> => {
      const requestId = single(caller, 'live');
      const body = question(caller, 'open', requestId);
      const answer = await askOnce(caller, { path: '/v1/enforce', key, body, requestId }, address);
      if ('json' in answer && answer.status === 200) takeDecision(caller, answer.json, 'open');
      return answer;
    };
    await Promise.all(caller.load.addresses.map(use));
    const revoking = change(caller, 'DELETE', `/v1/auth/keys/${keyId}`);
    await Promise.all(caller.load.addresses.map(use));
    const revoked = await revoking;
    if (revoked === undefined) return;
    changed(caller, 'live', 'custos.key', { keyId, change: 'revoked' });
    const fromMs = revoked.answeredAtMs + EFFECTIVE_AFTER_MS;
    await probe(caller, { fromMs, untilMs: fromMs + 700 }, use, ({ status, sentAtMs, json }) => {
      if (status >= 200 && status < 300)
        caller.load.history.problems.push(
          `key ${keyId} worked ${Math.round(sentAtMs - revoked.answeredAtMs)} ms after its revocation: ${JSON.stringify(json)}`,
        );
    });
  }
}

/** An agent is registered, paused and made active again. While it is paused nothing is permitted to it. */
export async function pauseAgents(caller: Caller): Promise<void> {
  const agentId = caller.newName();
  const path = `/v1/agents/${agentId}`;
  const { keys, history } = caller.load;
  const registered = await askUntilAnswered(caller, {
    path: '/v1/agents',
    key: keys.admin,
    body: { agentId, name: agentId },
  });
  // 409: an attempt whose answer was lost has registered it.
  if (!expectStatus(caller, registered, 'a registration', 201, 409)) return;
  const use = async (address: string): Promise<Answered | { readonly status: string }> => {
    const requestId = single(caller, 'live');
    const body = { ...question(caller, 'open', requestId), agent_id: agentId };
    const answer = await askOnce(caller, { path: '/v1/enforce', key: keys.asker, body, requestId }, address);
    if ('json' in answer && answer.status === 200) rememberDecision(history, 'live', answer.json);
    return answer;
  };
  const begunMs = performance.now();
  while (!caller.load.isOver() && !isUncertain(caller, begunMs)) {
    const paused = await change(caller, 'PATCH', path, { status: 'PAUSED' });
    if (paused === undefined) return;
    changed(caller, 'live', 'custos.agent', { agentId, status: 'PAUSED' });
    const fromMs = paused.answeredAtMs + EFFECTIVE_AFTER_MS;
    await probe(caller, { fromMs, untilMs: fromMs + 700 }, use, ({ status, sentAtMs, json }) => {
      if (status === 200 && json['allowed'] !== false && !isUncertain(caller, begunMs))
        history.problems.push(
          `${agentId} was permitted something ${Math.round(sentAtMs - paused.answeredAtMs)} ms after it was paused: ${JSON.stringify(json)}`,
        );
    });
    if ((await change(caller, 'PATCH', path, { status: 'ACTIVE' })) === undefined) return;
    await Promise.all(caller.load.addresses.map(use));
  }
}

/** The environment `test` is halted and the halt lifted. While it is halted nothing is permitted, also not by a stored answer. */
export async function haltTest(caller: Caller): Promise<void> {
  const { keys, history } = caller.load;
  const body = (name: string): Json => ({ ...question(caller, 'open', name), agent_id: 'agent-of-test' });
  const begunMs = performance.now();
  while (!caller.load.isOver() && !isUncertain(caller, begunMs)) {
    const earlier = single(caller, 'test');
    const earlierBody = body(earlier);
    const repeated = {
      path: '/v1/enforce',
      key: keys.tester,
      body: earlierBody,
      requestId: earlier,
      idempotencyKey: earlier,
    };
    const before = await askUntilAnswered(caller, repeated);
    if (!expectStatus(caller, before, 'enforce in the environment test', 200)) return;
    rememberDecision(history, 'test', before.json);
    const halted = await change(caller, 'POST', '/v1/halt', { reason: 'the load' });
    if (halted === undefined) return;
    changed(caller, 'test', 'custos.halt', { change: 'halted' });
    const fromMs = halted.answeredAtMs + EFFECTIVE_AFTER_MS;
    const ask = async (address: string): Promise<Answered | { readonly status: string }> => {
      if (caller.random.next() < 0.3) return askOnce(caller, repeated, address);
      const requestId = single(caller, 'test');
      const asked = { path: '/v1/enforce', key: keys.tester, body: body(requestId), requestId };
      const answer = await askOnce(caller, asked, address);
      if ('json' in answer && answer.status === 200) rememberDecision(history, 'test', answer.json);
      return answer;
    };
    await probe(caller, { fromMs, untilMs: fromMs + 700 }, ask, ({ status, sentAtMs, json }) => {
      if (status === 200 && json['allowed'] !== false && !isUncertain(caller, begunMs))
        history.problems.push(
          `something was permitted ${Math.round(sentAtMs - halted.answeredAtMs)} ms after the halt: ${JSON.stringify(json)}`,
        );
    });
    if ((await change(caller, 'DELETE', '/v1/halt')) === undefined) return;
    changed(caller, 'test', 'custos.halt', { change: 'lifted' });
    await delay(PAUSE_MS);
  }
}
