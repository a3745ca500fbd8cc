// Suites that depend on programs that this machine may not have. A skipped suite is reported in one line with the reason.

const reasons = new Map<string, string>();

/** A suite that runs if `reason` is undefined. Otherwise it is skipped, and the run prints the reason. */
export function describeUnless(reason: string | undefined, title: string, suite: () => void): void {
  if (reason === undefined) {
    describe(title, suite);
    return;
  }
  reasons.set(title, reason);
  describe.skip(title, suite);
}

/** Suites that `describeUnless` skipped in this run, with the reasons. */
export function skippedSuites(): ReadonlyMap<string, string> {
  return reasons;
}
