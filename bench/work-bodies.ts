// Request bodies of work that is carried out later: proofs, trust signals and intents. The same in every run.
import { enforceBodies } from './policies.ts';

export const SIGNALS_PER_REQUEST = 100;
export const PROOFS_PER_REQUEST = 50;
const AGENTS = 100;
const ENTITIES = 500;
/** Distinguishes the benchmark's records from those of the service. */
export const PROOF_EVENT = 'bench.sent';

const proofOf = (i: number): object => ({
  event: PROOF_EVENT,
  entityId: `bench-invoice-${i % ENTITIES}`,
  payload: { invoice: `INV-${i}`, amount: 100 + (i % 997), currency: 'EUR', approvedBy: `user-${i % 37}` },
});

/** Bodies for POST /v1/proofs. Without a proofId the service generates one, so that each request is a new proof. */
export function proofBodies(size: number): string[] {
  return Array.from({ length: size }, (_, i) => JSON.stringify(proofOf(i)));
}

/** Bodies for POST /v1/proofs/batch. */
export function proofBatches(size: number): string[] {
  return Array.from({ length: size }, (_, request) =>
    JSON.stringify({
      proofs: Array.from({ length: PROOFS_PER_REQUEST }, (__, i) => proofOf(request * PROOFS_PER_REQUEST + i)),
    }),
  );
}

/** Bodies for POST /v1/trust/signals: mostly successes, without signalIds, which the service generates. */
export function signalBodies(size: number): string[] {
  return Array.from({ length: size }, (_, request) =>
    JSON.stringify({
      signals: Array.from({ length: SIGNALS_PER_REQUEST }, (__, i) => ({
        agentId: `bench-signal-agent-${(request * 7 + i) % AGENTS}`,
        type: (request + i) % 29 === 0 ? 'failure' : 'success',
        weight: (1 + ((request + i) % 10)) / 10,
        source: 'bench',
      })),
    }),
  );
}

/** Bodies for POST /v1/intents: the questions of `enforceBodies`, submitted instead. */
export function submissionBodies(policyCount: number, size: number): string[] {
  return enforceBodies(policyCount, size).map((text) => {
    const { intent, agent_id, context } = JSON.parse(text) as { intent: string; agent_id: string; context: object };
    const colon = intent.indexOf(':');
    const [action, resource] = [intent.slice(0, colon), intent.slice(colon + 1)];
    return JSON.stringify({ agentId: agent_id, action, resource, context });
  });
}
