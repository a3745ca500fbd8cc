// The proof worker: appends what waits to its log.
import { type AppendDeps, appendWaiting } from '../shared/log/append.ts';
import type { Handlers } from '../shared/queues.ts';

export function proofHandlers(deps: AppendDeps): Handlers<'proofs'> {
  return {
    append: async ({ organisationId, environment }) => {
      await appendWaiting(deps, organisationId, environment);
    },
  };
}
