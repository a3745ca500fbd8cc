// The list of all jobs, and the views on it that the relay, the sweeper, the queues and the schedule use.
import type { Job, JobName, QueueName } from '../../shared/kernel/jobs.ts';
import type { DeadHooks, Handlers } from '../../shared/platform/queues/queues.ts';
import { append, type AppendDeps } from './append.ts';
import { audit, type AuditDeps } from './audit.ts';
import type { Definition, JobDefinition } from './definition.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import { evaluate, type EvaluateDeps } from './evaluate.ts';
import { expireApprovals, type ExpireApprovalsDeps } from './expire-approvals.ts';
import { fold, type FoldDeps } from './fold.ts';
import { forgetBudgets } from './forget-budgets.ts';
import { type ForgetChangesDeps, forgetChanges } from './forget-changes.ts';
import { type ForgetDeliveriesDeps, forgetDeliveries } from './forget-deliveries.ts';
import { forgetIdempotency } from './forget-idempotency.ts';
import { forgetReplays } from './forget-replays.ts';
import { retain, type RetainDeps } from './retain.ts';
import { replay, type ReplayDeps } from './replay.ts';
import { sweep, type SweepJobDeps } from './sweep.ts';

/** The dependencies of all handlers together. */
export type JobDeps = EvaluateDeps &
  FoldDeps &
  AppendDeps &
  SweepJobDeps &
  DeliverDeps &
  ExpireApprovalsDeps &
  ForgetChangesDeps &
  ForgetDeliveriesDeps &
  AuditDeps &
  RetainDeps &
  ReplayDeps;

/** By queue and name. A name of the payload map (shared/kernel/jobs.ts) that is missing here does not compile. */
const JOBS: { readonly [Q in QueueName]: { readonly [N in JobName<Q>]: JobDefinition<Q, N, JobDeps> } } = {
  intents: { evaluate },
  trust: { fold },
  proofs: { append },
  webhooks: { deliver },
  upkeep: {
    sweep,
    'expire-approvals': expireApprovals,
    'forget-budgets': forgetBudgets,
    'forget-changes': forgetChanges,
    'forget-idempotency': forgetIdempotency,
    audit,
    replay,
    'forget-replays': forgetReplays,
    'forget-deliveries': forgetDeliveries,
    retain,
  },
};

/** A definition of the list, without the link between its name and its payload type. */
export type ListedJob = Definition<never, JobDeps>;

const jobsOf = (queue: QueueName): readonly ListedJob[] => Object.values<ListedJob>(JOBS[queue]);

export const ALL_JOBS: readonly ListedJob[] = (Object.keys(JOBS) as QueueName[]).flatMap(jobsOf);

// A map, not the object: a name from an outbox row, such as `constructor`, must not find a member of Object.prototype.
const BY_NAME = new Map(ALL_JOBS.map((definition) => [`${definition.queue}.${definition.name}`, definition]));

/** Undefined for a name that this version does not know, such as that of a row which a newer version wrote. */
export function definitionOf({ queue, name }: Pick<Job, 'queue' | 'name'>): ListedJob | undefined {
  return BY_NAME.get(`${queue}.${name}`);
}

/** Jobs of the queue that run at once in a process. */
export function concurrencyOf(queue: QueueName): number {
  return Math.max(...jobsOf(queue).map(({ concurrency }) => concurrency));
}

export function handlersOf<Q extends QueueName>(queue: Q, deps: JobDeps): Handlers<Q> {
  const handlers = Object.fromEntries(jobsOf(queue).map(({ name, handler }) => [name, handler(deps)]));
  // JOBS has exactly the names of the queue, each with a handler of its payload.
  return handlers as unknown as Handlers<Q>;
}

export function deadHooksOf<Q extends QueueName>(queue: Q, deps: JobDeps): DeadHooks<Q> {
  const hooks = jobsOf(queue).flatMap(({ name, onDead }) => (onDead === undefined ? [] : [[name, onDead(deps)]]));
  // As for handlersOf.
  return Object.fromEntries(hooks) as DeadHooks<Q>;
}
