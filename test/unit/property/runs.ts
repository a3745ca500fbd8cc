// How often the properties of decisions are tried: seconds of it in the suite, and as long as one likes by command.

/** Set by whoever wants the long form: `CUSTOS_PROPERTY_RUNS=100000 npm run test:long`. */
const LONG = Number(process.env['CUSTOS_PROPERTY_RUNS'] ?? 0);
const SEED = process.env['CUSTOS_PROPERTY_SEED'];

/** Whether this is the long form, which may take as long as it takes. */
export const isLong = LONG > 0;

/**
 * @param numRuns in the suite
 * @param share of the long form: 1 is all of it, less for cases that are slow
 */
export function runs(numRuns: number, share = 1): { readonly numRuns: number; readonly seed?: number } {
  return {
    numRuns: isLong ? Math.ceil(LONG * share) : numRuns,
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
  };
}
