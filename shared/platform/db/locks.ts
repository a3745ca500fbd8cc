// The advisory locks of an installation, in one place: two with one number would block each other.

/** The numbers are arbitrary. */
export const ADVISORY_LOCKS = {
  /** Held while migrating, so that two processes never migrate at once. */
  migration: 4_237_001,
  /** Held while the first key is looked for and created, so that two processes don't create two. */
  bootstrap: 4_237_002,
  /** Held by the worker that reads the policy folder. */
  policyReader: 4_237_003,
  /** Held by the worker that evaluates the shadow policies. */
  shadow: 4_237_004,
  /** Held by the transaction that makes or drops partitions; migration 0044 has the number, too. */
  partitions: 4_237_005,
  /** Held while dead jobs are written, so that two reports of one job make one row. */
  deadJobs: 0x6465_6164,
  /** Held while lost signals are queued, so that none is queued twice. */
  lostSignals: 0x6c6f_7374,
} as const;
