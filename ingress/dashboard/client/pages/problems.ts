// What is wrong, read from the numbers of the overview: each with what it means and what to do. Pure.
import { count, duration, whole } from '../format.ts';
import type { Overview, SystemState } from '../wire.ts';

export interface ShownProblem {
  readonly tone: 'warn' | 'bad';
  readonly title: string;
  /** What it means, and what to do. */
  readonly text: string;
  /** RFC 3339: since when, where that is known. */
  readonly since?: string | undefined;
  /** The page that says more. */
  readonly page?: { readonly name: string; readonly title: string };
}

const AUDIT = { name: 'audit', title: 'Audit' };
const POLICIES = { name: 'policies', title: 'Policies' };
const QUEUES = { name: 'queues', title: 'Queues' };
const DEAD_JOBS = { name: 'dead-jobs', title: 'Dead jobs' };

/** A queue or the outbox that waits longer than this needs somebody. */
const QUEUE_SECONDS = 30;
const OUTBOX_SECONDS = 10;

/** The worst first. */
export function problemsOf(overview: Overview): ShownProblem[] {
  const { log, system } = overview;
  const problems: (ShownProblem | false | undefined | null | '')[] = [
    log?.haltedReason && {
      tone: 'bad',
      title: 'The log is halted: it records and signs nothing more',
      text: `${log.haltedReason} Once it is understood, "custos log resume" accepts what the audit found; "custos log fork" opens a log anew that is not the one that was signed.`,
      page: AUDIT,
    },
    log?.audit?.ok === false && {
      tone: 'bad',
      title: 'The audit found that the log is not what it was',
      text: `${count(log.audit.findings, 'finding')}; the page Audit and "custos audit" name each of them. Keep the database as it is, and make a copy of it.`,
      since: log.audit.at ?? undefined,
      page: AUDIT,
    },
    // Each page shows its own log; the operator must hear of every one.
    system !== null &&
      system.logProblems.length > 0 &&
      log?.audit?.ok !== false &&
      !log?.haltedReason && {
        tone: 'bad',
        title: 'A log of another environment or organisation is not what it was, or is halted',
        text: `${sentencesOf(system.logProblems)} "custos log list" shows all logs.`,
      },
    system !== null &&
      system.workersAlive === 0 && {
        tone: 'bad',
        title: 'No worker is alive',
        text: 'Decisions are answered; submitted work, signals and the log wait, and nothing is lost. Start a worker process; the last lines of the log of the one that stopped say why it did.',
        since: lastHeard(overview.at, system.processes),
      },
    system !== null &&
      system.queues === null && {
        tone: 'warn',
        title: "The queues' store does not answer",
        text: 'Accepted work waits in the outbox and goes on by itself once Redis or PostgreSQL, whichever holds the queues, answers again.',
        page: QUEUES,
      },
    system !== null &&
      !system.policies.lastReadOk && {
        tone: 'warn',
        title: 'The policy folder was refused; the last good set stays in force',
        text: `${count(system.policies.findings, 'finding')}, each with its file and line; "custos policy check" says the same.`,
        since: system.policies.lastReadAt ?? undefined,
        page: POLICIES,
      },
    system?.policies.loadError && {
      tone: 'bad',
      title: 'This process could not load the activated policy set',
      text: 'It evaluates the last one that it could load, and tries again by itself.',
      page: POLICIES,
    },
    ...(system?.queues ?? [])
      .filter(({ oldestWaitingSeconds }) => oldestWaitingSeconds > QUEUE_SECONDS)
      .map(({ queue, waiting, oldestWaitingSeconds }) => ({
        tone: 'warn' as const,
        title: `The queue ${queue} is behind`,
        text: `${count(waiting, 'job')} waiting, the oldest for ${duration(oldestWaitingSeconds)}. More workers, or finding out what holds these up, helps.`,
        page: QUEUES,
      })),
    system !== null &&
      system.outbox.oldestSeconds > OUTBOX_SECONDS && {
        tone: 'warn',
        title: 'Accepted work is not handed to the queues',
        text: `${whole(system.outbox.waiting)} in the outbox, the oldest for ${duration(system.outbox.oldestSeconds)}. Workers do that: see whether one is alive and what its log says.`,
        page: QUEUES,
      },
    system !== null &&
      system.deadJobs > 0 && {
        tone: 'warn',
        title: `${count(system.deadJobs, 'job')} gave up and ${system.deadJobs === 1 ? 'waits' : 'wait'} for a decision`,
        text: 'Each can be tried again or discarded with a reason.',
        page: DEAD_JOBS,
      },
  ];
  return problems.filter((problem): problem is ShownProblem => Boolean(problem));
}

/** When the last worker said that it was alive. */
function lastHeard(at: string, processes: SystemState['processes']): string | undefined {
  const silent = processes.filter(({ role }) => role === 'workers').map(({ silentSeconds }) => silentSeconds);
  return silent.length === 0 ? undefined : new Date(Date.parse(at) - 1_000 * Math.min(...silent)).toISOString();
}

function sentencesOf(texts: readonly string[]): string {
  return texts
    .map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`)
    .join(' ');
}
