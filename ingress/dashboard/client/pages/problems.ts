// Derives problems from the numbers of the overview, each with its meaning and what to do. Pure.
import { count, duration, whole } from '../format.ts';
import type { Overview, SystemState } from '../wire.ts';

export interface ShownProblem {
  readonly tone: 'warn' | 'bad';
  readonly title: string;
  /** The meaning, and what to do. */
  readonly text: string;
  /** RFC 3339: the beginning, when it is known. */
  readonly since?: string | undefined;
  /** The page with details. */
  readonly page?: { readonly name: string; readonly title: string };
}

const AUDIT = { name: 'audit', title: 'Audit' };
const POLICIES = { name: 'policies', title: 'Policies' };
const QUEUES = { name: 'queues', title: 'Queues' };
const WEBHOOKS = { name: 'webhooks', title: 'Webhooks' };
const DEAD_JOBS = { name: 'dead-jobs', title: 'Dead jobs' };

/** A queue or the outbox with older work is a problem. */
const QUEUE_SECONDS = 30;
const OUTBOX_SECONDS = 10;

/** Most severe first. */
export function problemsOf(overview: Overview): ShownProblem[] {
  const { log, system, disabledWebhooks } = overview;
  const problems: (ShownProblem | false | undefined | null | '')[] = [
    log?.haltedReason && {
      tone: 'bad',
      title: 'The log is halted: it records, but does not sign',
      text: `${log.haltedReason} When the cause is known, "custos log resume" accepts the findings; if the tree differs from the signed one, "custos log fork" starts a new log.`,
      page: AUDIT,
    },
    log?.audit?.ok === false && {
      tone: 'bad',
      title: 'The audit found that the log was changed',
      text: `${count(log.audit.findings, 'finding')}, listed on the page Audit and by "custos audit". Do not change the database, and make a copy of it.`,
      since: log.audit.at ?? undefined,
      page: AUDIT,
    },
    // A page shows one log; the operator needs to know about all of them.
    system !== null &&
      system.logProblems.length > 0 &&
      log?.audit?.ok !== false &&
      !log?.haltedReason && {
        tone: 'bad',
        title: 'A log of another environment or organisation was changed or is halted',
        text: `${sentencesOf(system.logProblems)} "custos log list" shows all logs.`,
      },
    system !== null &&
      system.workersAlive === 0 && {
        tone: 'bad',
        title: 'No worker is running',
        text: 'Decisions are made, but submitted intents, signals and the log wait; nothing is lost. Start a worker process. The last log lines of the stopped one show why it stopped.',
        since: lastHeartbeat(overview.at, system.processes),
      },
    system !== null &&
      system.queues === null && {
        tone: 'warn',
        title: "The queues' store does not answer",
        text: 'Accepted work waits in the outbox, and continues when the store (Redis or PostgreSQL) answers again.',
        page: QUEUES,
      },
    system !== null &&
      !system.policies.lastReadOk && {
        tone: 'warn',
        title: 'The policy folder was refused; the last good set stays in force',
        text: `${count(system.policies.findings, 'finding')}, with file and line; "custos policy check" shows the same.`,
        since: system.policies.lastReadAt ?? undefined,
        page: POLICIES,
      },
    system?.policies.loadError && {
      tone: 'bad',
      title: 'This process could not load the activated policy set',
      text: 'It still evaluates the previous set, and tries again by itself.',
      page: POLICIES,
    },
    ...(system?.queues ?? [])
      .filter(({ oldestWaitingSeconds }) => oldestWaitingSeconds > QUEUE_SECONDS)
      .map(({ queue, waiting, oldestWaitingSeconds }) => ({
        tone: 'warn' as const,
        title: `The queue ${queue} is behind`,
        text: `The oldest work has waited for ${duration(oldestWaitingSeconds)}, with ${count(waiting, 'job')} in the queue. Add workers, or find out what delays them.`,
        page: QUEUES,
      })),
    system !== null &&
      system.outbox.oldestSeconds > OUTBOX_SECONDS && {
        tone: 'warn',
        title: 'Accepted work does not reach the queues',
        text: `${whole(system.outbox.waiting)} in the outbox, the oldest for ${duration(system.outbox.oldestSeconds)}. A worker moves it to the queues: check that one is running, and its log.`,
        page: QUEUES,
      },
    disabledWebhooks > 0 && {
      tone: 'warn',
      title: `${count(disabledWebhooks, 'webhook')} ${disabledWebhooks === 1 ? 'was' : 'were'} disabled because the receiver failed`,
      text: 'Repair the receiver, then enable the webhook: events of the last three days are sent then.',
      page: WEBHOOKS,
    },
    system !== null &&
      system.deadJobs > 0 && {
        tone: 'warn',
        title: `${count(system.deadJobs, 'dead job')} ${system.deadJobs === 1 ? 'needs' : 'need'} a decision`,
        text: 'Retry each job, or discard it with a reason.',
        page: DEAD_JOBS,
      },
  ];
  return problems.filter((problem): problem is ShownProblem => Boolean(problem));
}

/** The time of the last heartbeat of a worker. */
function lastHeartbeat(at: string, processes: SystemState['processes']): string | undefined {
  const silent = processes.filter(({ role }) => role === 'workers').map(({ silentSeconds }) => silentSeconds);
  return silent.length === 0 ? undefined : new Date(Date.parse(at) - 1_000 * Math.min(...silent)).toISOString();
}

function sentencesOf(texts: readonly string[]): string {
  return texts
    .map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`)
    .join(' ');
}
