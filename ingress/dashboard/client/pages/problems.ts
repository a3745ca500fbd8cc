// Derives from the state of the service what is wrong, and what needs a person, each with what to do. Pure.
// The status line, the list "Needs you" and the badges of the menu use these two lists.
import { count, duration, whole } from '../format.ts';
import type { Overview, SystemState } from '../wire/overview.ts';

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
/** What a queue's work is, for people. */
const QUEUE_WORK: Readonly<Record<string, string>> = {
  intents: 'Submitted intents wait to be evaluated',
  trust: 'Trust signals wait to be counted',
  proofs: 'Records wait to be appended to the log',
  webhooks: 'Webhook messages wait to be sent',
  upkeep: 'Scheduled upkeep is late',
};

/** A queue or the outbox with older work is a problem. */
const QUEUE_SECONDS = 30;
const OUTBOX_SECONDS = 10;
/** Normally the auditor is seconds behind the log. */
const AUDIT_SECONDS = 120;

/** What is wrong with the service, most severe first. */
export function problemsOf(overview: Overview): ShownProblem[] {
  const { halt, log, system } = overview;
  const problems: (ShownProblem | false | undefined | null | '')[] = [
    halt && {
      tone: 'bad',
      title: 'Everything is halted: every verdict is DENY',
      text: halt.reason,
      since: halt.since,
    },
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
      .filter(({ isPaused }) => isPaused)
      .map(({ queue }) => ({
        tone: 'bad' as const,
        title: `The queue ${queue} is paused`,
        text: 'Somebody paused it on the board, so workers take no job of it. Accepted work waits until it is resumed there.',
        page: QUEUES,
      })),
    ...(system?.queues ?? [])
      .filter(({ isPaused, oldestWaitingSeconds }) => !isPaused && oldestWaitingSeconds > QUEUE_SECONDS)
      .map(({ queue, waiting, oldestWaitingSeconds }) => ({
        tone: 'warn' as const,
        title: QUEUE_WORK[queue] ?? `The queue ${queue} is behind`,
        text: `The oldest has waited for ${duration(oldestWaitingSeconds)}, with ${count(waiting, 'job')} in the queue ${queue}. Add workers, or find out what delays them.`,
        page: QUEUES,
      })),
    system !== null &&
      system.outbox.oldestSeconds > OUTBOX_SECONDS && {
        tone: 'warn',
        title: 'Accepted work does not reach the queues',
        text: `${whole(system.outbox.waiting)} in the outbox, the oldest for ${duration(system.outbox.oldestSeconds)}. A worker moves it to the queues: check that one is running, and its log.`,
        page: QUEUES,
      },
    system !== null &&
      system.auditLag.oldestSeconds > AUDIT_SECONDS && {
        tone: 'warn',
        title: 'The audit is behind the log',
        text: `${count(system.auditLag.leaves, 'record')} not checked yet, the oldest for ${duration(system.auditLag.oldestSeconds)}.`,
        page: AUDIT,
      },
  ];
  return problems.filter((problem): problem is ShownProblem => Boolean(problem));
}

/** Work for a person. */
export interface Task {
  /** The page on which it is done; the menu shows the count beside its name. */
  readonly page: string;
  readonly tone: 'warn' | 'bad';
  readonly count: number;
  readonly title: string;
  readonly text: string;
}

/** What needs a person, most urgent first. */
export function tasksOf({ approvals, log, deadJobs, webhooks, system }: Overview): Task[] {
  const findings = log?.audit?.ok === false ? log.audit.findings : 0;
  const refused = system !== null && !system.policies.lastReadOk ? Math.max(1, system.policies.findings) : 0;
  const tasks: Task[] = [
    {
      page: 'audit',
      tone: 'bad',
      count: findings,
      title: `${count(findings, 'audit finding')}`,
      text: 'The log was changed. Compare the records, and keep a copy of the database.',
    },
    {
      page: 'approvals',
      tone: 'warn',
      count: approvals.total,
      title: count(approvals.total, 'approval'),
      text: 'Agents wait for a decision.',
    },
    {
      page: 'policies',
      tone: 'warn',
      count: refused,
      title: 'The policy folder was refused',
      text: `${count(refused, 'finding')} to correct. The last good set stays in force.`,
    },
    {
      page: 'dead-jobs',
      tone: 'warn',
      count: deadJobs,
      title: count(deadJobs, 'dead job'),
      text: 'Retry or discard what failed for good.',
    },
    {
      page: 'webhooks',
      tone: 'warn',
      count: webhooks.disabled,
      title: count(webhooks.disabled, 'disabled webhook'),
      text: 'Repair the receiver, then enable it: events of the last three days are sent then.',
    },
    {
      page: 'webhooks',
      tone: 'warn',
      count: webhooks.failing,
      title: count(webhooks.failing, 'failing webhook'),
      text: 'No message arrives. It is tried again, and disabled after three days without success: repair the receiver.',
    },
  ];
  return tasks.filter((task) => task.count > 0);
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
