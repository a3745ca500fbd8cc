// Loaded before all tests (.mocharc.json): fixes the seed, so that property tests try the same cases in every run. Otherwise a
// case that fails once in a thousand runs would fail the check of an unrelated change. The long form tries new cases each time.
import fc from 'fast-check';

const isLong = process.env['CUSTOS_PROPERTY_RUNS'] !== undefined;
const seed = process.env['CUSTOS_PROPERTY_SEED'] ?? (isLong ? undefined : '1');
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
