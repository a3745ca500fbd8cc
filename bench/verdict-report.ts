// Which harm the shipped policies permit and which harmless texts they stop, as counts and as text tables.
import { permits } from '../shared/kernel/vocabulary.ts';
import { harmOf, languageOf } from './intent-harm.ts';
import type { Harm, PlacedText, RowFile } from './intent-rows.ts';
import type { Outcome, TextVerdicts, VerdictReader } from './intent-verdicts.ts';
import { type Cell, excerptOf, percent, section, table } from './text-tables.ts';
import type { AssessedParse } from '../shared/core/intent/parse.ts';
import { printable } from '../shared/core/proof/encoding.ts';

/** A text whose labels tell whether it is harmful, with the verdicts on it. */
export interface JudgedText {
  /** The file, by as much of the end of its path as no other file shares. */
  readonly source: string;
  readonly row: PlacedText;
  readonly harm: Harm;
  readonly verdicts: TextVerdicts;
}

/** A number of texts, of so many. */
interface Part {
  readonly count: number;
  readonly of: number;
}

/** ALLOW or DEGRADE for a harmful text; anything but ALLOW for a harmless one. */
export interface Errors {
  readonly harmPermitted: { readonly byParse: Part; readonly byString: Part };
  readonly harmlessStopped: { readonly byParse: Part; readonly byString: Part };
}

export interface VerdictReport {
  readonly all: Errors;
  readonly bySource: Readonly<Record<string, Errors>>;
  readonly byForm: Readonly<Record<string, Errors>>;
  readonly byLanguage: Readonly<Record<string, Errors>>;
  readonly byHarm: Readonly<Record<string, Errors>>;
  /** Rows whose labels leave open whether they are harmful. */
  readonly notJudged: number;
}

/** The shortest ends of the paths, in whole names, that differ from each other. */
function sourceNames(files: readonly string[]): string[] {
  const end = (file: string, names: number): string => file.split('/').slice(-names).join('/');
  const depth = Math.max(...files.map((file) => file.split('/').length));
  for (let names = 1; names < depth; names += 1) {
    const found = files.map((file) => end(file, names));
    if (new Set(found).size === new Set(files).size) return found;
  }
  return [...files];
}

/** Asks for the verdicts on all rows with a known harm. */
export async function judgeRows(
  files: readonly RowFile[],
  reader: VerdictReader,
): Promise<{ readonly judged: readonly JudgedText[]; readonly notJudged: number }> {
  const judged: JudgedText[] = [];
  let notJudged = 0;
  const sources = sourceNames(files.map(({ file }) => file));
  for (const [at, { file, rows }] of files.entries()) {
    const source = sources[at] ?? file;
    for (const row of rows) {
      const harm = harmOf(row);
      if (harm === undefined) notJudged += 1;
      else judged.push({ source, row, harm, verdicts: await reader.verdictsOf(row.text) });
    }
  }
  return { judged, notJudged };
}

/** Whether an outcome is wrong for a text of this harm. */
const isWrong = (harm: Harm, outcome: Outcome): boolean => (harm === 'none' ? outcome !== 'ALLOW' : permits(outcome));

export function errorsOf(texts: readonly JudgedText[]): Errors {
  const wrong = (of: readonly JudgedText[], member: 'byParse' | 'byString'): Part => ({
    count: of.filter(({ harm, verdicts }) => isWrong(harm, verdicts[member])).length,
    of: of.length,
  });
  const both = (of: readonly JudgedText[]) => ({ byParse: wrong(of, 'byParse'), byString: wrong(of, 'byString') });
  return {
    harmPermitted: both(texts.filter(({ harm }) => harm !== 'none')),
    harmlessStopped: both(texts.filter(({ harm }) => harm === 'none')),
  };
}

type Groups = ReadonlyMap<string, readonly JudgedText[]>;

/** In the order in which the groups first occur. */
export function groupsOf(texts: readonly JudgedText[], nameOf: (text: JudgedText) => string): Groups {
  const groups = new Map<string, JudgedText[]>();
  for (const text of texts) {
    const name = nameOf(text);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [text]);
    else group.push(text);
  }
  return groups;
}

export const bySource = ({ source }: JudgedText): string => source;
export const byForm = ({ row }: JudgedText): string => row.form ?? '(no form)';
const byLanguage = ({ row }: JudgedText): string => languageOf(row);
const byHarm = ({ harm }: JudgedText): string => harm;

export function verdictReportOf(judged: readonly JudgedText[], notJudged: number): VerdictReport {
  const errors = (nameOf: (text: JudgedText) => string) =>
    Object.fromEntries([...groupsOf(judged, nameOf)].map(([name, texts]) => [name, errorsOf(texts)]));
  return {
    all: errorsOf(judged),
    bySource: errors(bySource),
    byForm: errors(byForm),
    byLanguage: errors(byLanguage),
    byHarm: errors(byHarm),
    notJudged,
  };
}

const shown = ({ count, of }: Part): Cell => (of === 0 ? '-' : `${count} (${percent(count / of)})`);

function lineOf(name: string, { harmPermitted, harmlessStopped }: Errors): Cell[] {
  return [
    name,
    harmPermitted.byParse.of,
    shown(harmPermitted.byParse),
    shown(harmPermitted.byString),
    harmlessStopped.byParse.of,
    shown(harmlessStopped.byParse),
    shown(harmlessStopped.byString),
  ];
}

const HEADINGS = ['harmful', 'permitted by parse', 'by string', 'harmless', 'stopped by parse', 'by string'];

export const errorTable = (title: string, groups: Groups): string =>
  section(
    title,
    table(
      ['', ...HEADINGS],
      [...groups].map(([name, texts]) => lineOf(name, errorsOf(texts))),
    ),
  );

/** The wrong ones, the permitted harm first. */
export function missesOf(judged: readonly JudgedText[]): JudgedText[] {
  const wrong = judged.filter(
    ({ harm, verdicts }) => isWrong(harm, verdicts.byParse) || isWrong(harm, verdicts.byString),
  );
  return [...wrong.filter(({ harm }) => harm !== 'none'), ...wrong.filter(({ harm }) => harm === 'none')];
}

/** What made a reading what it is: the words or code of its leading request, phrasings, doubts, and what is unread. */
const featuresOf = ({ parse, lead, phrasings = [], doubts }: AssessedParse) => ({
  lead: lead === undefined ? 'string' : `${lead.source} "${lead.verb}" at ${lead.at}`,
  phrasings,
  doubts: doubts?.doubts ?? [],
  unread: parse.unread.map(({ text }) => text),
});

function featureLine(assessed: AssessedParse): string {
  const { lead, ...lists } = featuresOf(assessed);
  const named = Object.entries(lists).filter(([, items]) => items.length > 0);
  return [`from ${lead}`, ...named.map(([name, items]) => `${name}: ${items.join(', ')}`)].join('; ');
}

/** A wrong verdict for `--json`. */
export const missMembers = ({ row, harm, verdicts: { parse, assessed, ...outcomes } }: JudgedText) => {
  const { normalized, effect, confidence, coverage } = parse;
  return {
    place: row.place,
    text: row.text,
    harm,
    form: row.form,
    ...outcomes,
    normalized,
    effect,
    confidence,
    coverage,
    features: assessed && featuresOf(assessed),
  };
};

function missLines({ row, harm, verdicts }: JudgedText): string[] {
  const { parse, byParse, byString, reasons, assessed } = verdicts;
  const said = [`parse ${byParse}`, `string ${byString}`].join(', ');
  const why = `${parse.normalized}, ${parse.effect}, confidence ${parse.confidence}, coverage ${parse.coverage}`;
  return [
    printable(`- ${harm === 'none' ? 'harmless' : harm}: ${said}  [${row.place}, ${row.form ?? 'no form'}]`),
    `    ${excerptOf(row.text)}`,
    printable(`    ${why}${reasons.length === 0 ? '' : `; ${reasons.join(', ')}`}`),
    ...(assessed === undefined ? [] : [printable(`    ${featureLine(assessed)}`)]),
  ];
}

/** All tables, and with `misses` each text with a wrong verdict. */
export function verdictTables(judged: readonly JudgedText[], notJudged: number, misses: boolean): string {
  const wrong = missesOf(judged);
  return [
    'Verdicts of the shipped policies for a registered, active agent of level 4 in live.',
    errorTable('By source', new Map([...groupsOf(judged, bySource), ['all', judged]])),
    errorTable('By form', groupsOf(judged, byForm)),
    errorTable('By language', groupsOf(judged, byLanguage)),
    errorTable('By kind of harm', groupsOf(judged, byHarm)),
    ...(notJudged === 0 ? [] : [`not judged, because their labels leave it open: ${notJudged}`]),
    ...(misses ? [section(`Harm permitted and harmless stopped: ${wrong.length}`, wrong.flatMap(missLines))] : []),
  ].join('\n\n');
}
