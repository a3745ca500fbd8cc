// The advisory locks of an installation, together: two that had one number would wait for each other.

/** The numbers are arbitrary and ours. */
export const ADVISORY_LOCKS = {
  /** Held while migrating, so that two processes never migrate at once. */
  migration: 4_237_001,
  /** Held while looking for the first key and making it, so that two processes make one. */
  bootstrap: 4_237_002,
  /** Held by the one worker that reads the policy folder. */
  policyReader: 4_237_003,
  /** Held by the one worker that evaluates the shadow policies. */
  shadow: 4_237_004,
  /** Held while dead jobs are written one after the other, so that two reports of one job make one row. */
  deadJobs: 0x6465_6164,
} as const;
