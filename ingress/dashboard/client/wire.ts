// The answers of the dashboard's own routes and events. Types only, which the server imports as well.
import type { Policy } from '#shared/core/policy/schema.js';
import type { Finding as PolicyFinding } from '#shared/core/policy/types.js';
import type { Finding } from '#shared/core/proof/audit-findings.js';
import type { Environment, Verdict } from '#shared/kernel/vocabulary.js';

export type { WaitingApprovals } from './wire/approvals.ts';
export type { Finding as PolicyFinding } from '#shared/core/policy/types.js';
export type { Masked } from '#shared/core/tools/mask.js';
export type { Verdict } from '#shared/kernel/vocabulary.js';

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export type VerdictCounts = Readonly<Record<Verdict, number>>;

/** The session of a key. */
export interface SessionInfo {
  readonly keyId: string;
  readonly keyName: string;
  readonly organisation: string;
  /** In which the session acts. */
  readonly environment: Environment;
  /** In which it may act; more than one for live keys. */
  readonly environments: readonly Environment[];
  /** Whether it is a live admin key of the operator's organisation that is bound to no agents, which may see the installation-wide pages. */
  readonly isOperator: boolean;
  /** What a key that is bound to agents may give to other keys; null: the key is not bound. */
  readonly bound: {
    readonly agentIds: readonly string[];
    readonly tags: readonly string[];
    readonly keepsObligations: readonly string[];
  } | null;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** GET /dashboard/api/session */
export interface SessionAnswer {
  readonly session: SessionInfo | null;
}

/** The answer to a sign-in. */
export interface SignInAnswer extends SessionAnswer {
  /** To be sent with the next sign-in of the same key (devices.ts). */
  readonly device: string;
}

/** The newest log, with the number of findings. */
export type LogInfo = Omit<AuditedLog, 'audit'> & {
  readonly audit: (Omit<NonNullable<AuditedLog['audit']>, 'findings'> & { readonly findings: number }) | null;
};

/** A finding of the auditor, with the meaning of its kind. */
export type AuditFinding = Finding & { readonly meaning: string };

/** One log of the organisation and environment; there are several after a fork. */
export interface AuditedLog {
  readonly generation: number;
  readonly origin: string | null;
  readonly size: number;
  /** Records that wait to be appended to the newest log. */
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

/** GET /dashboard/api/audit/logs: newest first. */
export interface AuditedLogs {
  readonly logs: readonly AuditedLog[];
}

export interface PolicySetInfo {
  readonly digest: string;
  readonly createdAt: string;
  readonly policies: number;
  readonly rules: number;
  readonly isActive: boolean;
  /** Its catalogues. */
  readonly servers: readonly {
    readonly server: string;
    readonly description: string;
    readonly trustAnnotations: boolean;
    readonly tools: number;
  }[];
}

/** Where a set in force comes from. */
export type ActivationSource = 'folder' | 'push' | 'rollback' | 'stage';

/** GET /dashboard/api/policies */
export interface PolicyState {
  /** Null before the first set. */
  readonly active: PolicySetInfo | null;
  readonly activatedAt: string | null;
  /** Who put it into force, why, and from where; null before the first set. */
  readonly author: string | null;
  readonly reason: string | null;
  readonly source: ActivationSource | null;
  /** The set of the policy folder; null while it has errors. */
  readonly folderDigest: string | null;
  readonly lastRead: {
    readonly at: string | null;
    readonly ok: boolean;
    readonly findings: readonly PolicyFinding[];
  };
  /** Why this process could not load the activated set. */
  readonly loadError: string | null;
}

/** An organisation whose set is not the installation's. */
export interface OrganisationSet {
  /** Slug. */
  readonly organisation: string;
  /** Null: its row was changed outside the service. */
  readonly digest: string | null;
  readonly hasOwn: boolean;
  /** The staged set below its own policies. */
  readonly staged: string | null;
  readonly author: string | null;
  readonly reason: string | null;
  /** Own rules that do not fit the installation's set any more, and are left out. */
  readonly misfits: number;
}

/** GET /dashboard/api/policy-organisations */
export interface OrganisationSets {
  /** Digest; null before the first set. */
  readonly inForce: string | null;
  readonly items: readonly OrganisationSet[];
}

/** An activation of a set: an item of GET /dashboard/api/policy-activations. */
export interface PolicyActivation {
  readonly seq: string;
  readonly digest: string;
  readonly previousDigest: string | null;
  readonly activatedAt: string;
  /** `folder`, a key id, or `cli:` and a name. */
  readonly author: string;
  readonly reason: string | null;
  readonly source: ActivationSource;
  readonly approver: string | null;
  readonly signer: string | null;
}

/** A policy in a list: an item of GET /dashboard/api/policy-sets/{digest}/policies. */
export type PolicyHead = Pick<Policy, 'id' | 'description' | 'stage' | 'target'> & {
  readonly rules: number;
  /** The effects of its rules: verdicts, or RISK. */
  readonly effects: readonly string[];
};

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
  /** Policies by id, and catalogues by name, such as `tools/filesystem`. */
  readonly policies: readonly {
    readonly id: string;
    readonly change: 'added' | 'removed' | 'changed';
    readonly before: object | null;
    readonly after: object | null;
  }[];
  /** The number of further differences. */
  readonly more: number;
  /** Null when it did not change. */
  readonly lexicon: { readonly before: object; readonly after: object } | null;
}
