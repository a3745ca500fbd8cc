// Suites that need something this machine may not have: they say in one line that they were skipped, and why.

const reasons = new Map<string, string>();

/** A suite that runs when `reason` is undefined; otherwise it is skipped, and the run says why and how to get it. */
export function describeUnless(reason: string | undefined, title: string, suite: () => void): void {
  if (reason === undefined) {
    describe(title, suite);
    return;
  }
  reasons.set(title, reason);
  describe.skip(title, suite);
}

/** What `describeUnless` skipped in this run, with the reasons. */
export function skippedSuites(): ReadonlyMap<string, string> {
  return reasons;
}
