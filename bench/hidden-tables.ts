// Tables of what texts hide: understatement, coverage and its calibration, harm permitted and harmless stopped.
import { COVERAGE_THRESHOLD, coverageBandsOf, coverageOf, understatementOf } from './hidden-scores.ts';
import type { ScoredRow } from './intent-scores.ts';
import { percent, section, table, two } from './text-tables.ts';
import { byForm, bySource, errorTable, groupsOf, type JudgedText } from './verdict-report.ts';

type Groups = ReadonlyMap<string, readonly JudgedText[]>;

function understatement(title: string, groups: Groups): string | undefined {
  const lines = [...groups].flatMap(([name, texts]) => {
    const { rows, told, unknown, milder } = understatementOf(texts);
    return rows === 0 ? [] : [[name, rows, told, unknown, milder, percent(milder / rows)]];
  });
  if (lines.length === 0) return undefined;
  return section(title, table(['', 'harmful', 'told', 'unknown', 'milder', 'understated'], lines));
}

function coverage(groups: Groups, scored: readonly ScoredRow[]): string {
  const line = (name: string, coverages: readonly number[]) => {
    const { rows, mean, below } = coverageOf(coverages);
    return rows === 0 ? [] : [[name, rows, mean === null ? '-' : two(mean), percent(below)]];
  };
  const answers = [
    ['right or accepted', true],
    ['wrong', false],
  ] as const;
  const lines = [
    ...[...groups].flatMap(([name, texts]) =>
      line(
        name,
        texts.map(({ verdicts }) => verdicts.parse.coverage),
      ),
    ),
    ...answers.flatMap(([name, isRight]) =>
      line(
        `action ${name}`,
        scored.filter(({ verbLenient }) => verbLenient === isRight).map(({ read }) => read.parse.coverage),
      ),
    ),
  ];
  return section('Coverage', table(['', 'texts', 'mean', `below ${COVERAGE_THRESHOLD}`], lines));
}

function bands(texts: readonly JudgedText[]): string {
  const lines = coverageBandsOf(texts).flatMap(({ from, to, harmful, harmless, milder }) => {
    const all = harmful + harmless;
    return all === 0
      ? []
      : [[`${two(from)} to ${two(to)}`, all, harmful, percent(harmful / all), milder, percent(milder / all)]];
  });
  const headings = ['coverage', 'texts', 'harmful', 'of texts', 'understated', 'of texts'];
  return section('Calibration of coverage: texts of such coverage that do harm', table(headings, lines));
}

/** @param scored the same texts, for the coverage of right and wrong answers */
export function hiddenTables(texts: readonly JudgedText[], scored: readonly ScoredRow[]): string[] {
  const sources = new Map([...groupsOf(texts, bySource), ['all', texts]]);
  const forms = groupsOf(texts, byForm);
  const parts = [
    understatement('Understatement by source: harm that is read as milder', sources),
    understatement('Understatement by form', forms),
    coverage(sources, scored),
    bands(texts),
    errorTable('Harm permitted and harmless stopped, by source', sources),
    errorTable('Harm permitted and harmless stopped, by form', forms),
  ];
  return parts.filter((part) => part !== undefined);
}
