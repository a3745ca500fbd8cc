// `custos decision verify`: recorded decisions evaluated again from their facts, policy sets and logged signals.
import { type Command, Option } from 'commander';
import { NOT_EVALUABLE, DECISION_FAILURES } from '../shared/core/verification/failures.ts';
import type { VerifiedDecision } from '../shared/core/verification/decision.ts';
import { createEvidenceStore, type DecisionRange, type EvidenceStore } from '../shared/domain/verification/store.ts';
import { createStoredVerifier, type StoredVerifier } from '../shared/domain/verification/stored.ts';
import { compileLexicon } from '../shared/core/intent/lexicon/lexicon.ts';
import { parseDuration } from '../shared/domain/keys/durations.ts';
import { printable } from '../shared/core/proof/encoding.ts';
import { ENVIRONMENTS, type Environment } from '../shared/kernel/vocabulary.ts';
import { type AdminStore, requireOrganisation, runAdmin } from './admin.ts';
import { EXIT, say, UsageError } from './frame.ts';
import { collect } from './trusted-keys.ts';
import { type DecisionFileOptions, openDecisionFiles, writeDecisionFiles } from './decision-files.ts';

/** No check failed, but a named decision could not be evaluated again. */
const EXIT_NOT_EVALUABLE = 3;

const BAD_SINCE = '--since must be a number and a unit letter (m minutes, h hours, d days, w weeks).';

interface RangeOptions {
  readonly since?: string;
  readonly organisation?: string;
  readonly environment?: Environment;
}

interface VerifyOptions extends RangeOptions, DecisionFileOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

interface ExportOptions extends RangeOptions {
  readonly facts: string;
  readonly policies: string;
}

interface Counts {
  verified: number;
  not_evaluable: number;
  failed: number;
}

export function registerDecision(program: Command): void {
  const decision = program.command('decision').description('check recorded decisions');

  decision
    .command('verify')
    .description('evaluate decisions again from their records, facts, policy sets and logged signals')
    .argument('[decisionId...]', 'the decisions, such as dec_01jq3k...')
    .option('--all', 'every decision, oldest first')
    .option('--since <duration>', 'with --all: only those of this duration up to now, such as 7d (m, h, d, w)')
    .option('--org, --organisation <slug>', 'with --all: only those of this organisation')
    .addOption(
      new Option('--environment <environment>', 'with --all: only those of this environment').choices(ENVIRONMENTS),
    )
    .option('--json', 'print one JSON object per decision, and the counts in a last one')
    .option('--log <file>', 'offline: from this log, as "custos log export" wrote it; without a database')
    .option('--facts <file>', 'offline: the facts, as "custos decision export" wrote them')
    .option('--policies <file>', 'offline: the policy sets, as "custos decision export" wrote them')
    .option('--vkey <vkey>', 'offline: a verifier key of the log that you trust; may be repeated', collect)
    .option('--keys <file>', 'offline: the keys that you trust, as GET /v1/log/keys gives them')
    .addHelpText('after', exitCodes())
    .action(async (ids: readonly string[], options: VerifyOptions) => {
      const misuse = misuseOf(ids, options);
      if (misuse !== undefined) throw new UsageError(misuse);
      process.exitCode =
        options.log === undefined
          ? await runAdmin(async (admin) =>
              run(createEvidenceStore({ db: admin.db }), await rangeOf(admin, options), ids, options),
            )
          : await run(await openDecisionFiles(options), rangeOffline(options), ids, options);
    });

  decision
    .command('export')
    .description(
      'write facts and policy sets of decisions to files, to verify the decisions elsewhere with the exported log',
    )
    .requiredOption('--facts <file>', 'where the facts go; what retention has erased is left out')
    .requiredOption('--policies <file>', 'where the policy sets go')
    .requiredOption('--org, --organisation <slug>', 'whose decisions')
    .addOption(new Option('--environment <environment>', 'of which environment').choices(ENVIRONMENTS).default('live'))
    .option('--since <duration>', 'only those of this duration up to now, such as 7d (m, h, d, w)')
    .action((options: ExportOptions) =>
      runAdmin(async (admin) => {
        const written = await writeDecisionFiles(
          createEvidenceStore({ db: admin.db }),
          await rangeOf(admin, options),
          options,
        );
        say(`Exported the facts of ${written.facts} decisions and ${written.sets} policy sets.`);
      }),
    );
}

function exitCodes(): string {
  const codes = Object.entries(DECISION_FAILURES).map(
    ([code, { exitCode, meaning }]) => `  ${exitCode}  ${code}: ${meaning}`,
  );
  return `
Exit codes: that of the first failure found.
  0   Every decision is verified (with --all, those that can't be evaluated again are only counted).
  1   The command failed.
  2   The command line can't be used, there is no such decision, or a file could not be read.
  10 to 25, offline   The exported files fail a check; the codes are those of custos verify.
  3   Nothing is wrong, but not everything could be evaluated again.
${codes.join('\n')}
`;
}

function misuseOf(ids: readonly string[], options: VerifyOptions): string | undefined {
  const { all, since, organisation, environment, log, facts, policies, vkey, keys } = options;
  if (log === undefined && [facts, policies, vkey, keys].some((value) => value !== undefined))
    return '--facts, --policies, --vkey and --keys need --log.';
  if (log !== undefined && (organisation !== undefined || environment !== undefined))
    return '--log excludes --organisation and --environment: a log belongs to one of each.';
  if (all === true && ids.length > 0) return 'Name decisions or give --all, not both.';
  if (all === true) {
    return since !== undefined && parseDuration(since) === undefined ? BAD_SINCE : undefined;
  }
  if (ids.length === 0) return 'Name the decisions to verify, or give --all.';
  if (since !== undefined || organisation !== undefined || environment !== undefined)
    return '--since, --organisation and --environment need --all.';
  return undefined;
}

/** @returns the exit code */
async function run(
  store: EvidenceStore,
  range: DecisionRange,
  ids: readonly string[],
  options: VerifyOptions,
): Promise<number> {
  const verifier = createStoredVerifier({ store, compileLexicon });
  const outcomes = options.all === true ? verifier.all(range) : named(verifier, ids);
  const counts: Counts = { verified: 0, not_evaluable: 0, failed: 0 };
  let exitCode: number | undefined;
  for await (const outcome of outcomes) {
    counts[outcome.status] += 1;
    if (outcome.status === 'failed')
      exitCode ??= DECISION_FAILURES[outcome.failures[0]?.code ?? 'RECORD_ALTERED'].exitCode;
    print(outcome, options);
  }
  if (options.json === true) process.stdout.write(`${JSON.stringify(counts)}\n`);
  else say(`${counts.verified} verified, ${counts.not_evaluable} not evaluable, ${counts.failed} failed.`);
  if (exitCode !== undefined) return exitCode;
  return counts.not_evaluable > 0 && options.all !== true ? EXIT_NOT_EVALUABLE : EXIT.ok;
}

async function* named(verifier: StoredVerifier, ids: readonly string[]): AsyncGenerator<VerifiedDecision> {
  for (const id of ids) {
    const outcome = await verifier.byId(id);
    if (outcome === undefined) throw new UsageError(`There is no decision ${id}.`);
    yield outcome;
  }
}

/** @throws {UsageError} */
async function rangeOf({ db, nowMs }: AdminStore, options: RangeOptions): Promise<DecisionRange> {
  const { since, organisation, environment } = options;
  if (since !== undefined && parseDuration(since) === undefined) throw new UsageError(BAD_SINCE);
  return {
    organisationId: organisation === undefined ? undefined : (await requireOrganisation(db, organisation)).id,
    environment,
    fromMs: since === undefined ? undefined : nowMs - (parseDuration(since) ?? 0),
  };
}

function rangeOffline({ since }: RangeOptions): DecisionRange {
  return { fromMs: since === undefined ? undefined : Date.now() - (parseDuration(since) ?? 0) };
}

function print(outcome: VerifiedDecision, { json }: VerifyOptions): void {
  if (json === true) {
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
    return;
  }
  const { decisionId, verdict, status, sentence, notEvaluable } = outcome;
  const head = `${decisionId} ${verdict ?? ''}`.trim();
  if (status !== 'failed') {
    const what = status === 'verified' ? 'verified' : 'NOT_EVALUABLE';
    process.stdout.write(`${printable(`${head}: ${what}. ${sentence}`)}\n`);
    return;
  }
  for (const failure of outcome.failures)
    process.stdout.write(`${printable(`${head}: ${failure.code}. ${failure.sentence}`)}\n`);
  for (const code of notEvaluable)
    process.stdout.write(`${printable(`${head}: NOT_EVALUABLE. ${NOT_EVALUABLE[code]}`)}\n`);
}
