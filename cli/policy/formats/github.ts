// Findings as workflow commands of GitHub Actions, which shows them beside the lines of a change.
import { findingsIn, type Report, wholeMessage } from './report.ts';

/**
 * A workflow command ends with its line, so line breaks are escaped (as @actions/core does). Text of a file can then neither begin
 * another command nor end this one.
 */
const escapedData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** A property also ends at a colon or a comma. */
const escapedProperty = (text: string): string => escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

export function githubText(report: Report): string {
  return findingsIn(report)
    .map((finding) => {
      const { file, line, column, severity, code } = finding;
      const place = `file=${escapedProperty(file.replaceAll('\\', '/'))},line=${line},col=${column}`;
      return `::${severity} ${place},title=${escapedProperty(code)}::${escapedData(wholeMessage(finding))}\n`;
    })
    .join('');
}
