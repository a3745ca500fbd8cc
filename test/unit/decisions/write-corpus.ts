// Writes the corpus of random decisions of the present version of the evaluation, when it was raised: `node dist/test/unit/decisions/write-corpus.js`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { EVALUATION } from '../../../shared/core/policy/evaluation-version.ts';
import { corpusText, EARLIER_DIR } from '../../support/earlier.ts';
import { decideAll, worlds } from '../property/decision-world.ts';

const WORLDS = 40;

const made = await Promise.all(fc.sample(worlds, { numRuns: WORLDS, seed: 20_261_130 }).map(decideAll));
// `flag: wx`: what a version decided never changes.
writeFileSync(
  path.join(EARLIER_DIR, `random-${EVALUATION}.json.br`),
  corpusText(made.flat().map(({ evidence }) => evidence)),
  { flag: 'wx' },
);
