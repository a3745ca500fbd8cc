// `custos policy push`: puts a policy folder into force as one set, with an author and a reason.
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { comparePolicySets } from '../../shared/core/policy/compare.ts';
import { draftOfDigest } from '../../shared/domain/drafts/replay-draft.ts';
import type { PolicyFolder } from '../../shared/domain/policy-sets/folder.ts';
import type { Stage } from '../../shared/domain/policy-sets/stages.ts';
import { type AdminStore, runAdmin } from '../admin.ts';
import { EXIT, exitWith, say, UsageError } from '../exit.ts';
import { printFindings, printJson, printLine } from '../output.ts';
import { collect } from '../options.ts';
import type { CommandBody } from '../program.ts';
import { comparisonLines } from './diff-text.ts';
import { admitFolder, readFolder, shownFinding } from './folder.ts';
import { FOLDER_HELP, policyDirOf } from './place.ts';
import { activeDigest } from './stored.ts';
import { shareOf } from './stage.ts';
import { checkReason, printResult, PUT_NOTES, putLocally, type PutOptions, putRemotely } from './put.ts';

interface PushOptions extends PutOptions {
  readonly dryRun?: true | undefined;
  readonly expect?: string;
  readonly organisation?: readonly string[];
  readonly share?: number;
}

/** How a push stages its set; empty: it is for all. */
function stageOf({ organisation: organisations, share }: PushOptions): { readonly stage?: Stage } {
  if (organisations === undefined && share === undefined) return {};
  return { stage: { ...(organisations && { organisations }), ...(share === undefined ? {} : { share }) } };
}

export const pushPoliciesCommand: CommandBody = {
  notes: `The set stays in force until the next push, "custos policy rollback", or "custos policy follow-folder": edits of the service's own
policy folder have no effect meanwhile. A signature is read from set.sig in the folder ("custos policy sign").
${PUT_NOTES}`,
  exitCodes: {
    [EXIT.ok]: 'The set is in force, or waits for approval; with --dry-run: it could be.',
    [EXIT.broken]: 'The set has errors; nothing changed.',
  },
  define: (command) =>
    command
      .argument('[folder]', FOLDER_HELP)
      .option('--reason <text>', 'why; it is recorded in every log (required without --dry-run)')
      .option('--organisation <slug>', 'only for this organisation; may be repeated', collect)
      .option('--share <share>', 'only in shadow, for this share of live decisions, such as 10%', shareOf)
      .option('--expect <digest>', 'refuse the push unless this set is in force')
      .option('--dry-run', 'list findings and the difference to the set in force, and change nothing')
      .option('--url <address>', 'push to this running service instead of the database')
      .option('--key-file <path>', 'with --url: a file with an admin key (default: the key in CUSTOS_KEY)')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (named, { dryRun, reason, ...options }) => {
          if (reason === undefined && !dryRun) throw new UsageError('Give the reason of the push with --reason.');
          const { expect } = options;
          if (expect !== undefined && !/^[0-9a-f]{64}$/.test(expect))
            throw new UsageError('--expect must be 64 hex digits.');
          const dir = policyDirOf(named);
          const folder = await readFolder(dir);
          if (dryRun && options.url === undefined) return tryOut(dir, folder, options);
          const checked: PushOptions = { ...options, dryRun, reason: checkReason(reason ?? 'dry run') };
          return checked.url === undefined ? pushHere(dir, folder, checked) : pushThere(folder, checked);
        }),
      ),
};

/** Prints the errors of a folder, if it has any. */
function admitted(dir: string, folder: PolicyFolder, json: true | undefined) {
  const { set, errors, warnings } = admitFolder(folder);
  const shown = [...errors, ...warnings].map((finding) => shownFinding(dir, finding));
  if (!json) printFindings(shown);
  else if (set === undefined) printJson({ ok: false, findings: shown });
  return { set, shown };
}

async function tryOut(dir: string, folder: PolicyFolder, { json }: { readonly json?: true }): Promise<number> {
  const { set, shown } = admitted(dir, folder, json);
  if (set === undefined) return EXIT.broken;
  const print = (digest: string | undefined, before: PolicySet | undefined): void => {
    const comparison = before === undefined ? null : comparePolicySets(before, set);
    if (json) return printJson({ ok: true, digest: set.digest, inForce: digest ?? null, findings: shown, comparison });
    printLine(set.digest);
    if (comparison === null) printLine('No set is in force yet, or this version can not load it.');
    else for (const line of comparisonLines(comparison, before, set)) printLine(line);
    say('Nothing was changed (--dry-run).');
  };
  return runAdmin(async ({ db }) => {
    const digest = await activeDigest(db);
    const before = digest === undefined ? undefined : await draftOfDigest(db, digest);
    print(digest, before?.ok === true ? before.set : undefined);
    return EXIT.ok;
  });
}

/** By the pointers in validation errors. */
const OPTION_NAMES = { '/stage/organisations': '--organisation', '/stage/share': '--share' };

async function pushHere(dir: string, folder: PolicyFolder, options: PushOptions): Promise<number> {
  const { set } = admitted(dir, folder, options.json);
  if (set === undefined) return EXIT.broken;
  const push = async ({ db, nowMs }: AdminStore): Promise<number> => {
    const canonical = new TextEncoder().encode(set.canonical);
    const { digest } = set;
    const { reason, expect: expectedDigest } = options;
    const staged = stageOf(options);
    const source = staged.stage === undefined ? ('push' as const) : ('stage' as const);
    const change = { digest, canonical, reason, source, expectedDigest, ...staged };
    printResult(await putLocally(db, nowMs, { ...change, signature: folder.signature }), options);
    return EXIT.ok;
  };
  return runAdmin(push, { optionNames: OPTION_NAMES });
}

async function pushThere(
  { policies, lexicon, refused, signature }: PolicyFolder,
  options: PushOptions,
): Promise<number> {
  const [first] = refused;
  if (first !== undefined) throw new UsageError(`${first.file} ${first.message}.`);
  // The service refuses unknown members, such as the time of the last change.
  const whole = lexicon.text === '' ? policies : [...policies, lexicon];
  const files = whole.map(({ path, text }) => ({ path, text }));
  const { reason, expect, dryRun } = options;
  const body = {
    files,
    reason,
    ...(expect === undefined ? {} : { expectedDigest: expect }),
    ...(signature === undefined ? {} : { signature: signature.trim() }),
    ...stageOf(options),
    ...(dryRun && { dryRun }),
  };
  printResult(await putRemotely(options, 'POST', '/v1/policies', body), options);
  return EXIT.ok;
}
