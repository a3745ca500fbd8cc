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
  /** How many agents the key is bound to; null: to none, it may see all. */
  readonly agents: number | null;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** GET /dashboard/api/session */
export interface SessionAnswer {
  readonly session: SessionInfo | null;
}

/** What a sign-in is answered with. */
export interface SignInAnswer extends SessionAnswer {
  /** To be shown at the next sign-in of the same key: see devices.ts. */
  readonly device: string;
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
  /** What is wrong with logs of any organisation and environment: sentences, the first ten. */
  readonly logProblems: readonly string[];
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

/** The newest log, with the number of findings. */
export type LogInfo = Omit<AuditedLog, 'audit'> & {
  readonly audit: (Omit<NonNullable<AuditedLog['audit']>, 'findings'> & { readonly findings: number }) | null;
};

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

/** One row of the list of agents. */
export interface AgentRow {
  readonly agentId: string;
  readonly name: string;
  readonly status: 'ACTIVE' | 'PAUSED' | 'SUSPENDED' | 'TERMINATED';
  readonly trust: { readonly score: number; readonly level: number };
  readonly createdAt: string;
}

/** GET /dashboard/api/agents: newest first, or in the order of their ids when they are looked for by a prefix. */
export interface AgentRows {
  readonly items: readonly AgentRow[];
  readonly nextCursor: string | null;
}

/** GET /dashboard/api/decisions/newer */
export interface NewerDecisions {
  readonly newer: number;
  /** Whether there are more: counting stops early. */
  readonly more: boolean;
}

/** One condition of a rule with the value it saw. */
export interface ExplainedCondition {
  readonly fact: string;
  readonly path?: string;
  readonly operator: string;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly missing: boolean;
  readonly result: boolean;
}

export interface ExplainedRule {
  readonly policy: string;
  readonly rule: string;
  readonly effect: Verdict;
  readonly matched: boolean;
  /** Why it did not count although its conditions hold, or was skipped. */
  readonly skipped?: string;
  readonly conditions: readonly ExplainedCondition[];
}

/** GET /dashboard/api/decisions/{id}/explanation */
export type DecisionExplanation =
  | {
      readonly state: 'explained';
      /** What the policies say of the stored facts, looked at now. */
      readonly verdict: Verdict;
      /** Verdict and reasons are those of the record. */
      readonly agrees: boolean;
      /** What decided beside the policies: a halt, an approval, or an evaluation that failed. */
      readonly special: 'halted' | 'used' | 'refused' | 'failed' | null;
      /** Whether the stored facts are those whose digest is on record. */
      readonly factsAsRecorded: boolean;
      /** Rules that matched first, then in the order of the set; at most 1,000. */
      readonly rules: readonly ExplainedRule[];
      /** How many rules have a target that fits. */
      readonly total: number;
      readonly matched: number;
      readonly facts: Readonly<Record<string, unknown>>;
    }
  | { readonly state: 'erased' }
  | { readonly state: 'unreadable'; readonly sentence: string };

/** A difference that the auditor found. */
export interface AuditFinding {
  readonly kind: string;
  /** What that kind means. */
  readonly meaning: string;
  readonly leafIndex: number | null;
  readonly proofId: string | null;
  readonly sentence: string;
}

/** One log of the organisation and environment; there are several once one was opened anew. */
export interface AuditedLog {
  readonly generation: number;
  readonly origin: string | null;
  readonly size: number;
  /** Records that wait to be appended; only of the newest log. */
  readonly waiting: number;
  readonly haltedReason: string | null;
  readonly checkpoint: { readonly size: number; readonly signedAt: string } | null;
  /** Null before the first audit. */
  readonly audit: {
    readonly ok: boolean;
    readonly auditedSize: number;
    readonly at: string | null;
    readonly findings: readonly AuditFinding[];
  } | null;
}

/** GET /dashboard/api/audit/logs: the newest first; empty before anything was recorded. */
export interface AuditedLogs {
  readonly logs: readonly AuditedLog[];
}

/** Something that was done on the pages. */
export interface OperatorAction {
  readonly seq: number;
  readonly at: string;
  readonly requestId: string;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly address: string;
  readonly action: string;
  readonly subject: string;
  /** `begun`: its end is not on record. */
  readonly outcome: 'begun' | 'done' | 'refused' | 'failed';
  readonly status: number | null;
  readonly code: string | null;
}

/** GET /dashboard/api/audit/actions */
export interface OperatorActions {
  readonly items: readonly OperatorAction[];
  readonly nextCursor: string | null;
}

/** The event `approvals`: which wait for a human now. */
export interface WaitingApprovals {
  /** When it was so. */
  readonly at: string;
  /** Up to 10,000. */
  readonly total: number;
  /** The newest 200 of them, newest first. */
  readonly newest: readonly { readonly approvalId: string; readonly agentId: string }[];
}

/** A job that gave up: an item of GET /dashboard/api/dead-jobs. */
export interface DeadJob {
  readonly deadJobId: string;
  /** Null for jobs of no tenant. */
  readonly organisationId: string | null;
  readonly environment: 'live' | 'test' | 'dev' | null;
  readonly queue: string;
  readonly name: string;
  /** Ids, a version and trace ids. */
  readonly payload: unknown;
  readonly error: string;
  readonly failedAt: string;
  readonly state: 'dead' | 'retried' | 'discarded';
  readonly resolvedAt: string | null;
  readonly resolvedBy: string | null;
  readonly reason: string | null;
}

/** What is wrong with a file of the policy folder, and where. */
export interface PolicyFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
  readonly severity?: 'error' | 'warning';
  readonly hint?: string;
  readonly example?: string;
}

export interface PolicySetInfo {
  readonly digest: string;
  readonly createdAt: string;
  readonly policies: number;
  readonly rules: number;
  readonly isActive: boolean;
}

/** GET /dashboard/api/policies */
export interface PolicyState {
  /** Null before the first set. */
  readonly active: PolicySetInfo | null;
  readonly activatedAt: string | null;
  readonly lastRead: {
    readonly at: string | null;
    readonly ok: boolean;
    readonly findings: readonly PolicyFinding[];
  };
  /** Why this process could not load the activated set, when it could not. */
  readonly loadError: string | null;
}

/** A set that was put into force: an item of GET /dashboard/api/policy-activations. */
export interface PolicyActivation {
  readonly seq: string;
  readonly digest: string;
  readonly previousDigest: string | null;
  readonly activatedAt: string;
}

export interface PolicyTarget {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly environments?: readonly string[];
  readonly organisations?: readonly string[];
}

/** A policy in a list: an item of GET /dashboard/api/policy-sets/{digest}/policies. */
export interface PolicyHead {
  readonly id: string;
  readonly description: string;
  readonly stage: 'intake' | 'enforce';
  readonly target: PolicyTarget;
  readonly rules: number;
  /** What its rules can say: verdicts, or RISK. */
  readonly effects: readonly string[];
}

/** GET /dashboard/api/policy-difference */
export interface PolicyDifference {
  readonly from: PolicySetInfo;
  readonly to: PolicySetInfo;
  readonly counts: {
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
    readonly same: number;
  };
  /** By id. */
  readonly policies: readonly {
    readonly id: string;
    readonly change: 'added' | 'removed' | 'changed';
    readonly before: object | null;
    readonly after: object | null;
  }[];
  /** Further ones that differ and are not shown. */
  readonly more: number;
  /** Null when it is the same. */
  readonly lexicon: { readonly before: object; readonly after: object } | null;
}
