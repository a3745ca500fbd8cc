// A report as JUnit XML, in the form that the readers of CI systems share (the one of Ant's junitreport).
import type { Report, ReportCase, ReportSuite } from './report.ts';
import { wholeMessage } from './report.ts';
import type { ShownFinding } from '../../output.ts';

/** Characters that XML 1.0 does not have, not even escaped (section 2.2). */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** For attributes and content alike: without a literal `>`, `]]>` can't stand in it either. */
function escaped(text: string): string {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character] ?? character);
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content?: readonly string[],
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const head = `<${name}${written.join('')}`;
  return content === undefined || content.length === 0 ? `${head}/>` : `${head}>${content.join('')}</${name}>`;
}

const lineOf = (finding: ShownFinding): string =>
  `${finding.file}:${finding.line}:${finding.column} ${finding.severity} ${finding.code} ${wholeMessage(finding)}\n`;

const errorsOf = ({ findings }: ReportCase): readonly ShownFinding[] =>
  findings.filter(({ severity }) => severity === 'error');

/** A test with one failure for all of its errors: many readers show the first failure only. Warnings are its output. */
function testcase(suite: string, test: ReportCase): string {
  const { name, file, findings } = test;
  const errors = errorsOf(test);
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const [first] = errors;
  const failure =
    first === undefined
      ? []
      : [element('failure', { message: first.message, type: first.code }, [escaped(errors.map(lineOf).join(''))])];
  const output = warnings.length === 0 ? [] : [element('system-out', {}, [escaped(warnings.map(lineOf).join(''))])];
  return element('testcase', { name, classname: suite, file, time: 0 }, [...failure, ...output]);
}

const countsOf = (cases: readonly ReportCase[]): Readonly<Record<string, number>> => ({
  tests: cases.length,
  failures: cases.filter((test) => errorsOf(test).length > 0).length,
  errors: 0,
  skipped: 0,
  time: 0,
});

function testsuite({ name, cases }: ReportSuite): string {
  const tests = cases.map((test) => `\n    ${testcase(name, test)}`);
  return `\n  ${element('testsuite', { name, ...countsOf(cases) }, tests.length === 0 ? [] : [...tests, '\n  '])}`;
}

export function junitText({ name, suites }: Report): string {
  const counts = countsOf(suites.flatMap(({ cases }) => cases));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, ...counts }, [...suites.map(testsuite), '\n'])}\n`;
}
