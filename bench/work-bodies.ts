// Bodies of work that is accepted: proofs, trust signals, intents to be decided later. The same for every run.
import { enforceBodies } from './policies.ts';

/** Signals in one request, and the agents they are spread over. */
export const SIGNALS_A_REQUEST = 100;
const AGENTS = 100;
const ENTITIES = 500;
/** Marks the benchmark's own records among those of the service. */
export const PROOF_EVENT = 'bench.sent';

/** Bodies for POST /v1/proofs, without a proofId: the service makes one, so that each request is another proof. */
export function proofBodies(size: number): string[] {
  return Array.from({ length: size }, (_, i) =>
    JSON.stringify({
      event: PROOF_EVENT,
      entityId: `bench-invoice-${i % ENTITIES}`,
      payload: { invoice: `INV-${i}`, amount: 100 + (i % 997), currency: 'EUR', approvedBy: `user-${i % 37}` },
    }),
  );
}

/** Bodies for POST /v1/trust/signals: a hundred each, mostly successes, without signalIds (the service makes them). */
export function signalBodies(size: number): string[] {
  return Array.from({ length: size }, (_, request) =>
    JSON.stringify({
      signals: Array.from({ length: SIGNALS_A_REQUEST }, (__, i) => ({
        agentId: `bench-signal-agent-${(request * 7 + i) % AGENTS}`,
        type: (request + i) % 29 === 0 ? 'failure' : 'success',
        weight: (1 + ((request + i) % 10)) / 10,
        source: 'bench',
      })),
    }),
  );
}

/** Bodies for POST /v1/intents: what POST /v1/enforce is asked, submitted instead. */
export function submissionBodies(policyCount: number, size: number): string[] {
  return enforceBodies(policyCount, size).map((text) => {
    const { intent, agent_id, context } = JSON.parse(text) as { intent: string; agent_id: string; context: object };
    const colon = intent.indexOf(':');
    const [action, resource] = [intent.slice(0, colon), intent.slice(colon + 1)];
    return JSON.stringify({ agentId: agent_id, action, resource, context });
  });
}
