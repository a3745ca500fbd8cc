// The answers of the overview: what is true now, and what happened in a span of time. Types only, which the server imports as well.
import type { Environment, Verdict } from '#shared/kernel/vocabulary.js';
import type { ProcessState } from '#shared/platform/process/heartbeat.js';
import type { LogInfo, VerdictCounts } from '../wire.ts';

export interface QueueState {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  /** Whether workers take no job of it. */
  readonly isPaused: boolean;
  /** Age of the oldest open work; 0: none waits. */
  readonly oldestWaitingSeconds: number;
}

export type ProcessInfo = Omit<ProcessState, 'startedAt'> & { readonly startedAt: string };

/** The state of the whole installation, for operators. */
export interface SystemState {
  readonly processes: readonly ProcessInfo[];
  readonly workersAlive: number;
  /** Null while the store of the queues does not answer. */
  readonly queues: readonly QueueState[] | null;
  readonly outbox: { readonly waiting: number; readonly oldestSeconds: number };
  /** Problems with logs of any organisation and environment, in sentences; at most ten. */
  readonly logProblems: readonly string[];
  /** How far the auditor is behind all logs: leaves that it has not derived, and the age of the oldest of them. */
  readonly auditLag: { readonly leaves: number; readonly oldestSeconds: number };
  readonly databaseBytes: number;
  readonly policies: {
    readonly digest: string | null;
    readonly activatedAt: string | null;
    readonly lastReadAt: string | null;
    readonly lastReadOk: boolean;
    readonly findings: number;
    readonly loadError: string | null;
  };
}

/** An approval that somebody has to decide. */
export interface DueApproval {
  readonly approvalId: string;
  readonly agentId: string;
  /** What the agent asked for; null: the record is not readable. */
  readonly requested: string | null;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** GET /dashboard/api/overview and the topic `overview`: the state now. */
export interface Overview {
  readonly at: string;
  readonly version: string;
  readonly environment: Environment;
  /** The halt in force. */
  readonly halt: { readonly reason: string; readonly since: string } | null;
  /** Null before the first record. */
  readonly log: LogInfo | null;
  readonly agents: {
    readonly total: number;
    /** Registered agents that are not terminated, by trust level. */
    readonly byLevel: readonly number[];
    readonly byStatus: Readonly<Record<string, number>>;
  };
  /** Approvals that wait, and those that expire first. */
  readonly approvals: { readonly total: number; readonly next: readonly DueApproval[] };
  /** Dead jobs that wait for a decision: those that the page of dead jobs lists. */
  readonly deadJobs: number;
  /** Webhooks that were disabled because their receiver failed, and enabled ones whose receiver has failed for minutes. */
  readonly webhooks: { readonly disabled: number; readonly failing: number };
  /** Null for all but operators. */
  readonly system: SystemState | null;
}

/** Spans of time that the overview can show. */
export type RangeName = '10m' | '1h' | '6h' | '24h' | '7d' | '30d';

/** A moment on the time axis. */
export interface ActivityMark {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly kind: 'policies' | 'halt' | 'resume';
  /** The digest of the policy set, or the reason of the halt. */
  readonly text: string;
}

export interface LatencySummary {
  readonly requests: number;
  /** Null: there were no requests. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export interface LatencyRow extends LatencySummary {
  /** Method and path template. */
  readonly route: string;
}

/** Times of requests in the buckets of an Activity. */
export interface ActivityLatency {
  /** The route of the curve; null: all. */
  readonly route: string | null;
  readonly requests: readonly number[];
  readonly p50Ms: readonly (number | null)[];
  readonly p99Ms: readonly (number | null)[];
  readonly total: LatencySummary;
  readonly before: LatencySummary;
  /** All routes with requests, most used first. */
  readonly routes: readonly LatencyRow[];
}

/** GET /dashboard/api/overview/activity */
export interface Activity {
  readonly range: RangeName;
  readonly atMs: number;
  /** The beginning of the first bucket. */
  readonly startMs: number;
  /** The length of each bucket. */
  readonly stepMs: number;
  /** Decisions in each bucket. */
  readonly counts: Readonly<Record<Verdict, readonly number[]>>;
  /** Decisions of the range. */
  readonly totals: VerdictCounts;
  /** Those of the same time yesterday; for ranges of several days, of the range before. */
  readonly before: VerdictCounts;
  /** Oldest first. */
  readonly marks: readonly ActivityMark[];
  /** Null for all but operators. */
  readonly latency: ActivityLatency | null;
}
