// Defaults and limits of policy test files.

/** The largest number of cases of one file, including those of its matrices: about eight seconds of evaluation. */
export const MAX_CASES_PER_FILE = 100_000;

/** Defaults for omitted members. */
export const TEST_DEFAULTS = {
  /** A Monday. */
  now: '2026-01-05T12:00:00Z',
  organisation: 'default',
  environment: 'live',
  keyId: 'key_test',
  agentId: 'agent-under-test',
  /** For an agent whose score is given. */
  uncertainty: 0.5,
} as const;
