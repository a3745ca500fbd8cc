// Number of runs of the property tests: few in the suite, and any number in the long form.

/** Set for the long form: `CUSTOS_PROPERTY_RUNS=100000 npm run test:long`. */
const LONG = Number(process.env['CUSTOS_PROPERTY_RUNS'] ?? 0);

/** Whether this is the long form, which has no time limit. */
export const isLong = LONG > 0;

/** @param numRuns number of runs in the suite @param share of the long form: 1 is all of it, less for slow cases */
export function runs(numRuns: number, share = 1): { readonly numRuns: number } {
  return { numRuns: isLong ? Math.ceil(LONG * share) : numRuns };
}
