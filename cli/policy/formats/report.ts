// The findings of a command by test, from which the formats for CI systems and editors are written.
import type { ShownFinding } from '../../output.ts';

/** One test: a file that was checked, or a case that ran. */
export interface ReportCase {
  readonly name: string;
  readonly file: string;
  /** Those of severity error fail the test. */
  readonly findings: readonly ShownFinding[];
}

export interface ReportSuite {
  readonly name: string;
  readonly cases: readonly ReportCase[];
}

export interface Report {
  /** `custos policy check` */
  readonly name: string;
  readonly suites: readonly ReportSuite[];
}

/** All findings of a report, in its order. */
export function findingsIn({ suites }: Report): ShownFinding[] {
  return suites.flatMap(({ cases }) => cases.flatMap(({ findings }) => findings));
}

/** A suite with a test for each file. A file that is only named in a finding gets a test, too. */
export function suiteOfFiles(name: string, files: readonly string[], findings: readonly ShownFinding[]): ReportSuite {
  const byFile = new Map<string, ShownFinding[]>(files.map((file) => [file, []]));
  for (const finding of findings) {
    const those = byFile.get(finding.file);
    if (those === undefined) byFile.set(finding.file, [finding]);
    else those.push(finding);
  }
  return { name, cases: [...byFile].map(([file, of]) => ({ name: file, file, findings: of })) };
}

/** The message of a finding with its hint and its example. */
export function wholeMessage({ message, hint, example }: ShownFinding): string {
  const more = [
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(example === undefined ? [] : [`example: ${example}`]),
  ];
  return [message, ...more].join('\n');
}
