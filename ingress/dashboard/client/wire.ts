// What the dashboard's own routes and events say, as both ends know it. Types only: the server imports them too.

export type Verdict = 'ALLOW' | 'DENY' | 'ESCALATE' | 'DEGRADE';
export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** Who is signed in. */
export interface SessionInfo {
  readonly keyId: string;
  readonly keyName: string;
  readonly organisation: string;
  readonly environment: 'live' | 'test' | 'dev';
  /** A live admin key of the operator's organisation: queues, policies and other installation-wide pages are open to it. */
  readonly isOperator: boolean;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** GET /dashboard/api/session */
export interface SessionAnswer {
  readonly session: SessionInfo | null;
}

/** A moment of the decisions' rate. */
export interface RateSample {
  readonly at: string;
  /** Decisions per second by verdict. */
  readonly perSecond: VerdictCounts;
}

export interface LatencyRow {
  /** Method and path template. */
  readonly route: string;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface QueueState {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly oldestWaitingSeconds: number;
}

export interface ProcessInfo {
  readonly role: 'ingress' | 'workers';
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly silentSeconds: number;
  readonly alive: boolean;
}

/** What concerns the whole installation: for operators only. */
export interface SystemState {
  readonly processes: readonly ProcessInfo[];
  readonly workersAlive: number;
  /** Null while the queues' store does not answer. */
  readonly queues: readonly QueueState[] | null;
  readonly outbox: { readonly waiting: number; readonly oldestSeconds: number };
  readonly deadJobs: number;
  /** Of this ingress process since it started, or the last minute once it has been watched for one. */
  readonly latency: { readonly overSeconds: number; readonly rows: readonly LatencyRow[] };
  readonly policies: {
    readonly digest: string | null;
    readonly activatedAt: string | null;
    readonly lastReadAt: string | null;
    readonly lastReadOk: boolean;
    readonly findings: number;
    readonly loadError: string | null;
  };
}

export interface LogInfo {
  readonly origin: string | null;
  readonly size: number;
  /** Records that wait to be appended. */
  readonly waiting: number;
  readonly checkpoint: { readonly size: number; readonly signedAt: string } | null;
  readonly haltedReason: string | null;
  /** Null before the first audit. */
  readonly audit: {
    readonly ok: boolean;
    readonly auditedSize: number;
    readonly at: string | null;
    readonly findings: number;
  } | null;
}

/** GET /dashboard/api/overview, and the event `overview`. */
export interface Overview {
  readonly at: string;
  readonly version: string;
  readonly environment: 'live' | 'test' | 'dev';
  readonly halt: { readonly reason: string; readonly since: string } | null;
  readonly decisions: {
    readonly now: RateSample;
    /** Oldest first, at most ten minutes. Only in the answer to GET; events carry `now`. */
    readonly history: readonly RateSample[];
    /** By verdict; `complete` false: only the newest of the hour were counted. */
    readonly lastHour: { readonly counts: VerdictCounts; readonly complete: boolean };
  };
  /** Null: nothing has been recorded in this organisation and environment yet. */
  readonly log: LogInfo | null;
  readonly agents: {
    readonly total: number;
    /** Registered agents by trust level 0..7, by the score of their last signals. */
    readonly byLevel: readonly number[];
    readonly byStatus: Readonly<Record<string, number>>;
  };
  /** Null for who is not the operator. */
  readonly system: SystemState | null;
}
