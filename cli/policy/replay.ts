// `custos policy replay`: evaluates stored decisions again under a draft, and shows what would have changed.
import { writeFileSync } from 'node:fs';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Draft, draftOfDigest, draftOfFolder } from '../../shared/domain/drafts/replay-draft.ts';
import { replayHtml } from '../../shared/domain/drafts/replay-html.ts';
import { countDecisions, type ReplayRange, replayRange } from '../../shared/domain/drafts/replay-store.ts';
import type { ReplayReport } from '../../shared/domain/drafts/reports.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import type { Environment } from '../../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin } from '../admin.ts';
import { EXIT, exitWith, say, UsageError } from '../exit.ts';
import { durationMs, environmentOption, nonEmpty, timeMs, wholeNumber } from '../options.ts';
import { counted, printFindings, printJson, printLine, type ShownFinding } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { readFolder, shownPath } from './folder.ts';
import { type Format, formatOf, formatOption, printReport } from './formats/format.ts';
import { type Report, suiteOfFiles } from './formats/report.ts';
import { policyDirOf } from './place.ts';
import { differenceLines } from './replay-text.ts';

const DEFAULT_SINCE = '7d';
const MAX_DECISIONS = 999_999_999;

const NONE_FOUND =
  'If you expected some: choose a longer time (--since), or name the database of the service with CUSTOS_DATA_DIR or DATABASE_URL.';

interface ReplayOptions {
  readonly policies?: string;
  readonly set?: string;
  /** Milliseconds, as `from` and `to`. */
  readonly since?: number;
  readonly from?: number;
  readonly to?: number;
  readonly environment?: Environment;
  readonly agent?: string;
  readonly limit?: number;
  readonly json?: true;
  readonly format?: Format;
  readonly html?: string;
  readonly failOnChange?: true;
}

const NAME = 'custos policy replay';

export const replayPoliciesCommand: CommandBody = {
  notes: `The draft's intake policies compute risk again. Trust, agent, history, time and the reading of the intent are as recorded:
what another lexicon would have read is not shown. Nothing is written or put into force.
With --from and a --to in the past, the same decisions give the same report, byte by byte.`,
  exitCodes: {
    [EXIT.ok]: 'The replay ran, also when decisions would change (unless --fail-on-change is given).',
    [EXIT.broken]: 'The draft is broken: nothing was evaluated.',
    [EXIT.unmet]: 'With --fail-on-change: at least one decision would change.',
  },
  define: (command) =>
    command
      .argument('[folder]', 'the draft: a policy folder (default: CUSTOS_POLICY_DIR, or policies)')
      .option('--policies <folder>', 'the same as [folder]')
      .option('--set <digest>', 'the draft: a set that is or was in force, instead of a folder', nonEmpty)
      .option(
        '--since <duration>',
        `decisions of this duration up to now (m, h, d, w; default: ${DEFAULT_SINCE})`,
        durationMs,
      )
      .option('--from <time>', 'from this time on, such as 2026-03-01T00:00:00Z; inclusive', timeMs)
      .option('--to <time>', 'before this time, at most now (default: now)', timeMs)
      .option('--org, --organisation <slug>', 'only those of this organisation')
      .addOption(environmentOption('only those of this environment'))
      .option('--agent <agentId>', 'only those of this agent', nonEmpty)
      .option('--limit <n>', 'at most this many, oldest first', wholeNumber(1, MAX_DECISIONS))
      .addOption(formatOption())
      .option('--json', 'print the report as JSON')
      .option('--html <file>', 'write the report as an HTML page, too', nonEmpty)
      .option('--fail-on-change', 'exit with code 4 when any decision would change')
      .action(
        exitWith(async (folder, { organisation, policies: dir, ...rest }) => {
          if (folder !== undefined && dir !== undefined)
            throw new UsageError('Name the folder once: as the argument, or with --policies.');
          const policies = folder ?? dir;
          const options: ReplayOptions = policies === undefined ? rest : { ...rest, policies };
          // The options are checked before the database is opened.
          rangeOf(options, Date.now());
          formatOf(options);
          return runAdmin(async ({ db, nowMs }) => {
            const range = rangeOf(options, nowMs);
            const draft = await draftOf(db, options);
            if (!draft.ok) return printBrokenDraft(draft, options);
            const organisationId =
              organisation === undefined ? undefined : (await requireOrganisation(db, organisation)).id;
            const report = await replay(db, draft.set, { ...range, organisationId }, options);
            return options.failOnChange && report.changed.decisions > 0 ? EXIT.unmet : EXIT.ok;
          });
        }),
      ),
};

/** @throws {UsageError} for options that do not fit together */
function rangeOf(options: ReplayOptions, nowMs: number): ReplayRange {
  const { policies, set, since, from, to, environment, agent: agentId, limit } = options;
  if (policies !== undefined && set !== undefined) throw new UsageError('Give a folder or --set, not both.');
  if (set !== undefined && !/^[0-9a-f]{64}$/.test(set)) throw new UsageError('--set must be 64 hex digits.');
  if (since !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--since excludes --from and --to.');
  const toMs = Math.min(to ?? nowMs, nowMs);
  const fromMs = from ?? Math.max(0, toMs - (since ?? durationMs(DEFAULT_SINCE)));
  if (fromMs >= toMs) throw new UsageError('--from must be before --to, and not in the future.');
  return { environment, agentId, fromMs, toMs, limit };
}

/** @throws {UsageError} when there is no such folder or set */
async function draftOf(db: Database, { policies, set }: ReplayOptions): Promise<Draft> {
  if (set === undefined) return draftOfFolder(db, await readFolder(policyDirOf(policies)));
  const stored = await draftOfDigest(db, set);
  if (stored === undefined) throw new UsageError(`No set with the digest ${set} was ever in force.`);
  return stored;
}

/** @returns the exit code */
function printBrokenDraft({ findings }: Extract<Draft, { ok: false }>, options: ReplayOptions): number {
  const { policies, set } = options;
  const format = formatOf(options);
  const dir = policyDirOf(policies);
  const shown = findings.map((finding) => ({
    ...finding,
    // Findings on a stored set name no file of a folder.
    file: set === undefined ? shownPath(dir, finding.file) : finding.file,
    severity: 'error' as const,
  }));
  if (printReport(format, () => ({ name: NAME, suites: [suiteOfFiles(NAME, [], shown)] }))) return EXIT.broken;
  if (format === 'json') printJson({ ok: false, findings: shown });
  else printFindings(shown);
  return EXIT.broken;
}

/** A test for each change of verdicts, named by an example. It fails with --fail-on-change. */
function reportOf({ draft, transitions, examples }: ReplayReport, options: ReplayOptions): Report {
  const place = options.set ?? policyDirOf(options.policies);
  const cases = transitions.map(({ from, to, decisions }) => {
    const example = examples.find(({ before, after }) => before.verdict === from && after.verdict === to);
    const finding: ShownFinding = {
      file: place,
      line: 1,
      column: 1,
      severity: options.failOnChange ? 'error' : 'warning',
      code: 'VERDICT_CHANGES',
      message: `${counted(decisions, 'decision')} would be ${to} instead of ${from}`,
      ...(example === undefined
        ? {}
        : { example: printable(`${example.decisionId}: ${example.intent} by ${example.agentId}`) }),
    };
    return { name: `${from} to ${to}`, file: place, findings: [finding] };
  });
  return { name: NAME, suites: [{ name: `draft ${draft.digest}`, cases }] };
}

async function replay(
  db: Database,
  set: PolicySet<Lexicon>,
  range: ReplayRange,
  options: ReplayOptions,
): Promise<ReplayReport> {
  const report = await replayRange({ db, set, range, onProgress: await progressOf(db, range) });
  if (options.html !== undefined) writePage(options.html, report);
  const format = formatOf(options);
  if (printReport(format, () => reportOf(report, options))) return report;
  if (format === 'json') printJson(report);
  else {
    printLine(`Draft ${report.draft.digest}, ${report.draft.policies} policies.`);
    printLine(`Decisions from ${report.range.from ?? 'the first'} to ${report.range.to}.`);
    printLine();
    for (const line of differenceLines(report)) printLine(line);
    if (report.notes.length > 0) printLine();
    for (const note of report.notes) printLine(`Note: ${note}`);
    if (report.decisions.total === 0) printLine(NONE_FOUND);
  }
  return report;
}

/** @throws {UsageError} when the file can't be written */
function writePage(file: string, report: ReplayReport): void {
  try {
    writeFileSync(file, replayHtml(report));
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new UsageError(`${file} cannot be written (${String(error.code)}).`);
    throw error;
  }
  say(`Wrote ${file}.`);
}

const PROGRESS_EVERY_MS = 200;

/** Shows the progress on one line of a terminal; undefined when standard error is not a terminal. */
async function progressOf(db: Database, range: ReplayRange): Promise<((replayed: number) => void) | undefined> {
  if (!process.stderr.isTTY) return undefined;
  const total = await countDecisions(db, range);
  let shownMs = performance.now();
  return (replayed) => {
    const isLast = replayed >= total;
    if (!isLast && performance.now() - shownMs < PROGRESS_EVERY_MS) return;
    shownMs = performance.now();
    // Erased at the end: the report has the total.
    process.stderr.write(isLast ? '\r\u001b[K' : `\r${replayed} of ${total} decisions\u001b[K`);
  };
}
