// The proof worker: appends what waits to its log, and signs the log's new head.
import { type AppendDeps, appendWaiting } from '../shared/domain/ledger/append.ts';
import type { Checkpointer } from '../shared/domain/ledger/checkpoints.ts';
import type { Handlers } from '../shared/platform/queues/queues.ts';

export interface ProofWorkerDeps extends AppendDeps {
  readonly checkpointer: Checkpointer;
}

export function proofHandlers(deps: ProofWorkerDeps): Handlers<'proofs'> {
  return {
    append: async ({ organisationId, environment }) => {
      await appendWaiting(deps, organisationId, environment);
      await deps.checkpointer.publish(organisationId, environment);
    },
  };
}
