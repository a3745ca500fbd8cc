// Measures the parser on files of labelled texts (JSON lines): accuracy per class, confusion, calibration, every miss.
// Usage: node dist/bench/eval-intents.js [--json] [--form NAME] FILE...
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compileLexicon, type Lexicon } from '../shared/intent/lexicon.ts';
import { parseIntent } from '../shared/intent/parse.ts';
import type { ParsedIntent } from '../shared/intent/types.ts';
import { findRoot } from '../shared/root.ts';

/** One labelled text. Absent or null members are not scored. */
export interface LabelledText {
  id: string;
  text: string;
  form?: string;
  verb?: string | null;
  verb_alt?: string[];
  effect?: string | null;
  effect_ok?: string[];
  resource?: string | null;
  resource_alt?: string[];
  resource_in_text?: boolean | null;
}

/** Shares 0..1 of the rows that have an answer for the measure; null when none has. */
export interface Scores {
  verb: number | null;
  verbLenient: number | null;
  effect: number | null;
  resource: number | null;
  flaggedOrHigh: number | null;
  rows: number;
}

interface Miss {
  id: string;
  what: string;
  expected: string;
  got: string;
  text: string;
}

export interface Evaluation {
  scores: Scores;
  byClass: Map<string, { right: number; lenient: number; total: number }>;
  confusion: Map<string, number>;
  /** Ten bins of confidence: rows in it, right ones, sum of confidences. */
  calibration: { rows: number; right: number; sum: number }[];
  misses: Miss[];
}

const ATTACK_FLAGS: ReadonlySet<string> = new Set(['prompt_injection', 'obfuscated', 'secret_in_text']);

/** Equal, or one is the tail of the other: `comment` for `issue_comment`. */
function sameResource(expected: string, got: string): boolean {
  return expected === got || expected.endsWith(`_${got}`) || got.endsWith(`_${expected}`);
}

class Share {
  #right = 0;
  #total = 0;
  count(right: boolean): boolean {
    this.#total += 1;
    if (right) this.#right += 1;
    return right;
  }
  get value(): number | null {
    return this.#total === 0 ? null : Math.round((this.#right / this.#total) * 10_000) / 10_000;
  }
}

/** Scores a parser on labelled texts. `isHighRisk` says what risk policies would make of a parse. */
export function evaluate(
  rows: readonly LabelledText[],
  lexicon: Lexicon,
  isHighRisk: (parse: ParsedIntent) => boolean = () => false,
): Evaluation {
  const verb = new Share();
  const lenient = new Share();
  const effect = new Share();
  const resource = new Share();
  const flagged = new Share();
  const byClass: Evaluation['byClass'] = new Map();
  const confusion: Evaluation['confusion'] = new Map();
  const calibration = Array.from({ length: 10 }, () => ({ rows: 0, right: 0, sum: 0 }));
  const misses: Miss[] = [];
  for (const row of rows) {
    const parse = parseIntent(row.text, lexicon);
    const miss = (what: string, expected: string, got: string) =>
      misses.push({ id: row.id, what, expected, got, text: row.text });
    flagged.count(parse.flags.some((flag) => ATTACK_FLAGS.has(flag)) || isHighRisk(parse));
    if (row.verb) {
      const right = verb.count(parse.action === row.verb);
      const accepted = lenient.count(right || (row.verb_alt ?? []).includes(parse.action));
      const tally = byClass.get(row.verb) ?? { right: 0, lenient: 0, total: 0 };
      tally.total += 1;
      if (right) tally.right += 1;
      if (accepted) tally.lenient += 1;
      byClass.set(row.verb, tally);
      const bin = calibration[Math.min(9, Math.floor(parse.confidence * 10))];
      if (bin) {
        bin.rows += 1;
        bin.sum += parse.confidence;
        if (accepted) bin.right += 1;
      }
      if (!right) {
        const pair = `${row.verb} -> ${parse.action}`;
        confusion.set(pair, (confusion.get(pair) ?? 0) + 1);
        miss(accepted ? 'verb (accepted)' : 'verb', row.verb, `${parse.normalized} (${parse.verb})`);
      }
    }
    if (row.effect && !effect.count(row.effect === parse.effect || (row.effect_ok ?? []).includes(parse.effect))) {
      miss('effect', row.effect, `${parse.effect} (${parse.verb})`);
    }
    if (row.resource && row.resource_in_text !== false) {
      const expected = [row.resource, ...(row.resource_alt ?? [])];
      if (!resource.count(expected.some((name) => sameResource(name, parse.object)))) {
        miss('resource', expected.join(' or '), parse.object);
      }
    }
  }
  const scores = {
    verb: verb.value,
    verbLenient: lenient.value,
    effect: effect.value,
    resource: resource.value,
    flaggedOrHigh: flagged.value,
    rows: rows.length,
  };
  return { scores, byClass, confusion, calibration, misses };
}

/** Rows of a JSON lines file. @throws {Error} with file and line for a row that is no labelled text. */
export function readRows(file: string): LabelledText[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const row: unknown = JSON.parse(line);
    if (typeof row !== 'object' || row === null || !('text' in row) || typeof row.text !== 'string') {
      throw new Error(`${file}:${at + 1} is not a labelled text`);
    }
    return [row as LabelledText]; // measured, not trusted: a wrong label can only cost accuracy
  });
}

const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)} %`);

/** The evaluation as a report for people. */
export function report({ scores, byClass, confusion, calibration, misses }: Evaluation): string {
  const lines = [
    `rows ${scores.rows}   action ${percent(scores.verb)} (with accepted alternatives ${percent(scores.verbLenient)})   ` +
      `effect ${percent(scores.effect)}   object ${percent(scores.resource)}   flagged or high ${percent(scores.flaggedOrHigh)}`,
    '',
    'class        right  accepted  rows',
  ];
  for (const [name, { right, lenient, total }] of [...byClass].sort()) {
    lines.push(
      `${name.padEnd(12)} ${String(right).padStart(5)}  ${String(lenient).padStart(8)}  ${String(total).padStart(4)}`,
    );
  }
  lines.push('', 'confusion');
  for (const [pair, count] of [...confusion].sort((a, b) => b[1] - a[1]))
    lines.push(`${String(count).padStart(4)}  ${pair}`);
  lines.push('', 'confidence   rows  mean   right');
  for (const [at, { rows, right, sum }] of calibration.entries()) {
    if (rows > 0) {
      lines.push(
        `${(at / 10).toFixed(1)}..${((at + 1) / 10).toFixed(1)}   ${String(rows).padStart(6)}  ${(sum / rows).toFixed(2)}  ${percent(right / rows).padStart(7)}`,
      );
    }
  }
  lines.push('', 'misses');
  for (const { id, what, expected, got, text } of misses) {
    lines.push(
      `- ${what}: expected ${expected}, got ${got}  [${id}]`,
      `    ${text.replace(/\s+/g, ' ').slice(0, 240)}`,
    );
  }
  return lines.join('\n');
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, form: { type: 'string' }, lexicon: { type: 'string' } },
  });
  if (positionals.length === 0) {
    process.stderr.write('usage: eval-intents [--json] [--form NAME] [--lexicon FILE] FILE...\n');
    process.exitCode = 2;
    return;
  }
  const file = values.lexicon ?? path.join(findRoot(), 'policies', 'lexicon.json');
  const lexicon = compileLexicon(JSON.parse(readFileSync(file, 'utf8')));
  const rows = positionals.flatMap(readRows).filter((row) => values.form === undefined || row.form === values.form);
  const evaluation = evaluate(rows, lexicon);
  process.stdout.write(`${values.json ? JSON.stringify(evaluation.scores) : report(evaluation)}\n`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
