// Fits the weights of coverage and confidence to labelled texts, and writes them into the lexicon when they measure better.
// Usage: node dist/bench/fit-weights.js [--write] FILE...
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { confidenceOf } from '../shared/core/intent/assess/confidence.ts';
import { type Assessment, UNFITTED } from '../shared/core/intent/lexicon/assessment.ts';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { prettyJson } from '../shared/kernel/pretty-json.ts';
import { fitConfidence } from './fit-confidence.ts';
import { fitCoverage } from './fit-coverage.ts';
import { examplesOf, type FitExample } from './fit-examples.ts';
import { foldOf, FOLDS } from './folds.ts';
import { coverageBandsOf } from './hidden-scores.ts';
import { calibrationError, type ConfidentAnswer, reliabilityOf } from './intent-calibration.ts';
import { type FolderSet, loadFolderSet } from './intent-reader.ts';
import { type PlacedText, readRows, type RowFile } from './intent-rows.ts';
import { createVerdictReader } from './intent-verdicts.ts';
import { percent } from './text-tables.ts';
import { errorsOf, type JudgedText, judgeRows } from './verdict-report.ts';

const FOLDER = path.join(findRoot(), 'policies');
const FILE = path.join(FOLDER, 'lexicon/assessment.json');

/** The same policies with other weights. */
function withAssessment(loaded: FolderSet, assessment: Assessment): FolderSet {
  const lexicon: Lexicon = { ...loaded.set.lexicon, assessment, forOrganisation: () => lexicon };
  return { ...loaded, set: { ...loaded.set, lexicon } };
}

/** The weights fitted to these examples. Confidence first, because its verdicts decide which texts coverage still can stop. */
async function fit(examples: readonly FitExample[], loaded: FolderSet): Promise<Assessment> {
  const confidence = fitConfidence(examples, loaded.set.lexicon.assessment.confidence);
  return { confidence, coverage: await fitCoverage(examples, loaded, confidence) };
}

/** The verdicts on the rows of each fold, and their confidence, with weights that were fitted without them. */
async function heldOut(
  files: readonly RowFile[],
  examples: readonly FitExample[],
  loaded: FolderSet,
): Promise<{ readonly judged: readonly JudgedText[]; readonly answers: readonly ConfidentAnswer[] }> {
  const judged: JudgedText[] = [];
  const answers: ConfidentAnswer[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const isHeldOut = ({ text }: PlacedText): boolean => foldOf(text) === fold;
    const assessment = await fit(
      examples.filter(({ row }) => !isHeldOut(row)),
      loaded,
    );
    const rows = files.map((file) => ({ ...file, rows: file.rows.filter(isHeldOut) }));
    judged.push(...(await judgeRows(rows, createVerdictReader(withAssessment(loaded, assessment)))).judged);
    answers.push(
      ...answersWith(
        examples.filter(({ row }) => isHeldOut(row)),
        assessment,
      ),
    );
  }
  return { judged, answers };
}

/** The examples with a known answer, with the confidence that these weights give them. */
const answersWith = (examples: readonly FitExample[], { confidence }: Assessment): ConfidentAnswer[] =>
  examples.flatMap(({ doubts, right }) =>
    right === undefined ? [] : [{ confidence: confidenceOf(doubts, confidence), right }],
  );

interface Measured {
  readonly harmPermitted: number;
  readonly harmlessStopped: number;
}

function measure(name: string, judged: readonly JudgedText[], say: (line: string) => void): Measured {
  const { harmPermitted, harmlessStopped } = errorsOf(judged.filter(({ harm }) => harm !== 'attack'));
  const share = ({ count, of }: { count: number; of: number }) => `${count} of ${of} (${percent(count / of)})`;
  say(
    `${name}: harm permitted ${share(harmPermitted.byParse)}, by string ${share(harmPermitted.byString)}; ` +
      `harmless stopped ${share(harmlessStopped.byParse)}, by string ${share(harmlessStopped.byString)}`,
  );
  const bands = coverageBandsOf(judged).map(
    ({ from, harmful, harmless }) => `${from}: ${percent(harmful / (harmful + harmless))}`,
  );
  say(`  harmful by coverage from ${bands.join(', ')}`);
  return { harmPermitted: harmPermitted.byParse.count, harmlessStopped: harmlessStopped.byParse.count };
}

const gapOf = (answers: readonly ConfidentAnswer[]): string => percent(calibrationError(reliabilityOf(answers)));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean', default: false } },
  });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (positionals.length === 0) {
    process.stderr.write('usage: fit-weights [--write] FILE...\n');
    process.exitCode = 2;
    return;
  }
  const loaded = await loadFolderSet(FOLDER);
  const files = positionals.map(readRows);
  const examples = examplesOf(files, loaded);
  say(`${examples.length} texts, ${FOLDS} folds`);
  const { assessment } = loaded.set.lexicon;
  const even = withAssessment(loaded, { ...assessment, coverage: UNFITTED.coverage });
  measure('weights in force', (await judgeRows(files, createVerdictReader(loaded))).judged, say);
  // Weights in force may have been fitted to these texts, which makes them look better than weights fitted to others.
  const before = measure('even weights of coverage', (await judgeRows(files, createVerdictReader(even))).judged, say);
  const unseen = await heldOut(files, examples, loaded);
  const after = measure('fitted, on texts that they were not fitted to', unseen.judged, say);
  const fitted = await fit(examples, loaded);
  const final = await judgeRows(files, createVerdictReader(withAssessment(loaded, fitted)));
  measure('fitted, on the same texts', final.judged, say);
  const present = answersWith(examples, assessment);
  say(`calibration error of confidence: in force ${gapOf(present)}, fitted ${gapOf(unseen.answers)} on other texts`);
  say(JSON.stringify(fitted));
  const isWorse = after.harmPermitted > before.harmPermitted || after.harmlessStopped > before.harmlessStopped;
  if (isWorse) say('not better: more harm is permitted, or more harmless texts are stopped');
  if (!values.write || isWorse) return;
  const file = JSON.parse(readFileSync(FILE, 'utf8')) as object;
  writeFileSync(FILE, `${prettyJson({ ...file, assessment: fitted })}\n`);
  say('written: policies/lexicon/assessment.json; format it with `policy fmt`');
}

if (import.meta.filename === process.argv[1]) await main();
