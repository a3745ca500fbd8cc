// `--format`: text and JSON are written by each command; JUnit, SARIF and annotations of GitHub Actions from its report.
import { Option } from '@commander-js/extra-typings';
import { findRoot, readVersion } from '../../../shared/platform/config/root.ts';
import { UsageError } from '../../exit.ts';
import { printText } from '../../output.ts';
import { githubText } from './github.ts';
import { junitText } from './junit.ts';
import type { Report } from './report.ts';
import { sarifText } from './sarif.ts';

const FORMATS = ['text', 'json', 'junit', 'sarif', 'github'] as const;
export type Format = (typeof FORMATS)[number];

export const formatOption = () =>
  new Option(
    '--format <format>',
    'text, json, junit (XML), sarif (2.1.0), or github (annotations of GitHub Actions)',
  ).choices(FORMATS);

/** The chosen format. @throws {UsageError} for two different ones */
export function formatOf(options: { readonly format?: Format | undefined; readonly json?: true | undefined }): Format {
  const { format, json } = options;
  if (json !== undefined && format !== undefined && format !== 'json')
    throw new UsageError('--json means --format json: give one of them.');
  return json === undefined ? (format ?? 'text') : 'json';
}

/** Writes a report in a format for programs; does nothing for text and JSON. @returns whether it was written */
export function printReport(format: Format, report: () => Report): boolean {
  switch (format) {
    case 'text':
    case 'json':
      return false;
    case 'junit':
      printText(junitText(report()));
      return true;
    case 'sarif':
      printText(sarifText(report(), readVersion(findRoot())));
      return true;
    case 'github':
      printText(githubText(report()));
      return true;
    default:
      return format satisfies never;
  }
}
