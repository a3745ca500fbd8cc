// A report as SARIF 2.1.0 (OASIS), which code scanning of GitHub, Azure and GitLab and editors read.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ShownFinding } from '../../output.ts';
import { findingsIn, type Report, wholeMessage } from './report.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json';

/** Relative to the root of the sources, or absolute for a file outside of the working folder. */
function artifactLocation(file: string): Readonly<Record<string, string>> {
  const parts = file.split(path.sep);
  if (path.isAbsolute(file) || parts[0] === '..') return { uri: pathToFileURL(file).href };
  return { uri: parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/'), uriBaseId: '%SRCROOT%' };
}

function resultOf(finding: ShownFinding, ruleIndex: number): object {
  const { file, line, column, severity, code } = finding;
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: wholeMessage(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactLocation(file),
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  };
}

export function sarifText(report: Report, version: string): string {
  const findings = findingsIn(report);
  const rules = [...new Set(findings.map(({ code }) => code))].sort();
  const results = findings.map((finding) => resultOf(finding, rules.indexOf(finding.code)));
  const driver = { name: 'custos', version, rules: rules.map((id) => ({ id, name: id })) };
  const run = { tool: { driver }, automationDetails: { id: `${report.name}/` }, columnKind: 'utf16CodeUnits', results };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}
