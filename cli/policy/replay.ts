// `custos policy replay`: stored decisions evaluated again under a draft, and what would have changed.
import { writeFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { databaseNowMs } from '../../shared/platform/db/clock.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import { type Draft, draftOfDigest, draftOfFolder } from '../../shared/domain/drafts/replay-draft.ts';
import { replayHtml } from '../../shared/domain/drafts/replay-html.ts';
import {
  countDecisions,
  type ReplayRange,
  type ReplayReport,
  replayRange,
} from '../../shared/domain/drafts/replay-store.ts';
import { parseDuration } from '../../shared/domain/keys/durations.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { timeOf as instantOf } from '../../shared/core/policy/values.ts';
import { type Environment, ENVIRONMENTS } from '../../shared/kernel/vocabulary.ts';
import { requireOrganisation, runAdmin } from '../admin.ts';
import { say } from '../frame.ts';
import { policyDirOf, readFolder, shownPath } from './folder.ts';
import { EXIT, UsageError } from '../frame.ts';
import { printFindings, printJson, printLine } from '../output.ts';
import { type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { differenceLines } from './replay-text.ts';

interface ReplayOptions {
  readonly policies?: string;
  readonly set?: string;
  readonly since?: string;
  readonly from?: string;
  readonly to?: string;
  readonly organisation?: string;
  readonly environment?: Environment;
  readonly agent?: string;
  readonly limit?: string;
  readonly json?: boolean;
  readonly html?: string;
  readonly failOnChange?: boolean;
}

const DEFAULT_SINCE = '7d';

/** Whoever expects decisions looks at another store, at another time or too narrowly. */
const WHERE_IT_LOOKED =
  'Where there should be some: widen --since and the like, or name the store of the service by CUSTOS_DATA_DIR or DATABASE_URL.';

export function registerPolicyReplay(parent: Command): void {
  parent
    .command('replay')
    .description('evaluate stored decisions again under a draft, and show what would have changed')
    .argument('[folder]', 'the draft: a policy folder (default: CUSTOS_POLICY_DIR, or policies)')
    .option('--policies <folder>', 'the same')
    .option('--set <digest>', 'the draft: a set that is or was in force, instead of a folder')
    .option('--since <duration>', `the decisions of the last 7d, say (m, h, d, w; default: ${DEFAULT_SINCE})`)
    .option('--from <time>', 'from this time on, such as 2026-03-01T00:00:00Z; inclusive')
    .option('--to <time>', 'before this time, at most now (default: now)')
    .option('--org, --organisation <slug>', 'only those of this organisation')
    .addOption(new Option('--environment <environment>', 'only those of this environment').choices(ENVIRONMENTS))
    .option('--agent <agentId>', 'only those of this agent')
    .option('--limit <n>', 'at most so many, oldest first')
    .option('--json', 'print the report as JSON')
    .option('--html <file>', 'write the report as a page, too')
    .option('--fail-on-change', 'exit with code 4 when any decision would change')
    .addHelpText(
      'after',
      `
Risk is computed again by the draft's intake policies. Trust, agent, history, time and the reading of the intent are as
they were recorded: what another lexicon would have read is not shown. Nothing is written or put into force.
With --from and a --to that is past the same decisions give the same report, byte by byte.

Exit codes: 0, also when decisions would change; 2 for options that can't be used; 3 when the draft is broken;
4 with --fail-on-change when any decision would change.
`,
    )
    .action((folder: string | undefined, given: ReplayOptions) =>
      runPolicyCommand(async () => {
        if (folder !== undefined && given.policies !== undefined)
          throw new UsageError('Name the folder once: as the argument, or with --policies.');
        const options = folder === undefined ? given : { ...given, policies: folder };
        // What is wrong with the options is said before anything is opened.
        askedOf(options, Date.now());
        return runAdmin(async ({ db }) => {
          const asked = askedOf(options, await databaseNowMs(db));
          const draft = await draftOf(db, options);
          if (!draft.ok) return broken(draft, options);
          const { organisation } = options;
          const organisationId =
            organisation === undefined ? undefined : (await requireOrganisation(db, organisation)).id;
          return run(db, draft.set, { ...asked, organisationId }, options);
        });
      }),
    );
}

/** @throws {UsageError} */
function askedOf(options: ReplayOptions, nowMs: number): ReplayRange {
  const { policies, set, since, from, to, environment, agent: agentId, limit, html } = options;
  if (policies !== undefined && set !== undefined) throw new UsageError('Give a folder or --set, not both.');
  if (set !== undefined && !/^[0-9a-f]{64}$/.test(set)) throw new UsageError('--set must be 64 hex digits.');
  if (since !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--since goes without --from and --to.');
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError('--limit must be a number from 1 on.');
  if (agentId === '') throw new UsageError('--agent needs the id of an agent.');
  if (html === '') throw new UsageError('--html needs the name of a file.');
  const sinceMs = parseDuration(since ?? DEFAULT_SINCE);
  if (sinceMs === undefined || sinceMs === 0)
    throw new UsageError('--since must be a number from 1 on and a unit letter (m minutes, h hours, d days, w weeks).');
  const toMs = Math.min(to === undefined ? nowMs : timeOf(to, '--to'), nowMs);
  const fromMs = from === undefined ? Math.max(0, toMs - sinceMs) : timeOf(from, '--from');
  if (fromMs >= toMs) throw new UsageError('--from must be before --to, and not in the future.');
  return { environment, agentId, fromMs, toMs, limit: limit === undefined ? undefined : Number(limit) };
}

/** RFC 3339, with the offset: a time without one would be another on another machine. @throws {UsageError} */
function timeOf(text: string, option: string): number {
  const ms = instantOf(text);
  if (ms === undefined || ms < 0) throw new UsageError(`${option} must be a time such as 2026-03-01T00:00:00Z.`);
  return ms;
}

/** @throws {UsageError} when there is no such folder or set */
async function draftOf(db: Database, { policies, set }: ReplayOptions): Promise<Draft> {
  if (set !== undefined) {
    const stored = await draftOfDigest(db, set);
    if (stored === undefined) throw new UsageError(`No set with the digest ${set} was ever in force.`);
    return stored;
  }
  return draftOfFolder(db, await readFolder(policyDirOf(policies)));
}

function broken({ findings }: Extract<Draft, { ok: false }>, { json, policies, set }: ReplayOptions): ExitCode {
  const dir = policyDirOf(policies);
  const placed = findings.map((finding) => ({
    ...finding,
    file: set === undefined ? shownPath(dir, finding.file) : finding.file,
    severity: 'error' as const,
  }));
  if (json === true) printJson({ ok: false, findings: placed });
  else printFindings(placed);
  return EXIT.broken;
}

async function run(db: Database, set: PolicySet, range: ReplayRange, options: ReplayOptions): Promise<ExitCode> {
  const report = await replayRange({ db, set, range, onProgress: await progressOf(db, range) });
  if (options.html !== undefined) writePage(options.html, report);
  if (options.json === true) printJson(report);
  else {
    printLine(`Draft ${report.draft.digest}, ${report.draft.policies} policies.`);
    printLine(`Decisions from ${report.range.from ?? 'the first'} to ${report.range.to}.`);
    printLine();
    for (const line of differenceLines(report)) printLine(line);
    if (report.notes.length > 0) printLine();
    for (const note of report.notes) printLine(`Note: ${note}`);
    if (report.decisions.total === 0) printLine(WHERE_IT_LOOKED);
  }
  return options.failOnChange === true && report.changed.decisions > 0 ? EXIT.negative : EXIT.ok;
}

/** @throws {UsageError} */
function writePage(file: string, report: ReplayReport): void {
  try {
    writeFileSync(file, replayHtml(report));
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new UsageError(`${file} can not be written (${String(error.code)}).`);
    throw error;
  }
  say(`Wrote ${file}.`);
}

const TELL_EVERY_MS = 200;

/** How far it is, on one line of a terminal; elsewhere nothing. */
async function progressOf(db: Database, range: ReplayRange): Promise<((replayed: number) => void) | undefined> {
  if (!process.stderr.isTTY) return undefined;
  const total = await countDecisions(db, range);
  let toldMs = performance.now();
  return (replayed) => {
    const isLast = replayed >= total;
    if (!isLast && performance.now() - toldMs < TELL_EVERY_MS) return;
    toldMs = performance.now();
    // The line is taken back when all is done: what is printed then says it.
    process.stderr.write(isLast ? '\r\u001b[K' : `\r${replayed} of ${total} decisions\u001b[K`);
  };
}
