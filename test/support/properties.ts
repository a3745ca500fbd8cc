// Loaded before all tests (.mocharc.json): property tests try the same cases in every run of the suite. A case that fails once
// in a thousand runs would fail the check of a change that did not cause it. The long form tries new cases each time.
import fc from 'fast-check';

const isLong = process.env['CUSTOS_PROPERTY_RUNS'] !== undefined;
const seed = process.env['CUSTOS_PROPERTY_SEED'] ?? (isLong ? undefined : '1');
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
