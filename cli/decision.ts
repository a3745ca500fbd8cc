// `custos decision verify|export`: evaluates recorded decisions again from their facts, policy sets and logged signals.
import { printable } from '../shared/core/proof/encoding.ts';
import { FAILURES } from '../shared/core/proof/failures.ts';
import type { VerifiedDecision } from '../shared/core/verification/decision.ts';
import { DECISION_FAILURES, NOT_EVALUABLE } from '../shared/core/verification/failures.ts';
import { createEvidenceStore, type DecisionRange, type EvidenceStore } from '../shared/domain/verification/store.ts';
import { createStoredVerifier, type StoredVerifier } from '../shared/domain/verification/stored.ts';
import type { Environment } from '../shared/kernel/vocabulary.ts';
import { type AdminStore, requireOrganisation, runAdmin } from './admin.ts';
import { type DecisionFileOptions, openDecisionFiles, writeDecisionFiles } from './decision-files.ts';
import { EXIT, exitWith, say, UsageError } from './exit.ts';
import { collect, durationMs, environmentOption } from './options.ts';
import { printLine } from './output.ts';
import type { CommandBody } from './program.ts';

/** No check failed, but a named decision could not be evaluated again. */
const EXIT_NOT_EVALUABLE = 3;
const SINCE_HELP = 'only the decisions of this duration up to now, such as 7d (m, h, d, w)';

interface RangeOptions {
  /** Milliseconds. */
  readonly since?: number;
  readonly organisation?: string;
  readonly environment?: Environment;
}

interface VerifyOptions extends RangeOptions, DecisionFileOptions {
  readonly all?: true;
  readonly json?: true;
  readonly log?: string;
}

const verifyDecisionsCommand: CommandBody = {
  notes: `The exit code is the one of the first failure found. With --log, exit codes from ${FAILURES.MALFORMED.exitCode} to ${FAILURES.LOG_ALTERED.exitCode} are those of
"custos verify": the exported files fail a check.`,
  exitCodes: {
    [EXIT.ok]: 'Every decision is verified. With --all, decisions that cannot be evaluated again are only counted.',
    [EXIT_NOT_EVALUABLE]: 'No check failed, but at least one decision could not be evaluated again.',
    ...Object.fromEntries(
      Object.entries(DECISION_FAILURES).map(([code, { exitCode, meaning }]) => [exitCode, `${code}: ${meaning}`]),
    ),
  },
  define: (command) =>
    command
      .argument('[decisionId...]', 'the decisions, such as dec_01jq3k...')
      .option('--all', 'every decision, oldest first')
      .option('--since <duration>', `with --all: ${SINCE_HELP}`, durationMs)
      .option('--org, --organisation <slug>', 'with --all: only those of this organisation')
      .addOption(environmentOption('with --all: only those of this environment'))
      .option('--json', 'print one JSON object per decision, and the counts in a last one')
      .option('--log <file>', 'offline: the log, as written by "custos log export"; needs no database')
      .option('--facts <file>', 'offline: the facts, as written by "custos decision export"')
      .option('--policies <file>', 'offline: the policy sets, as written by "custos decision export"')
      .option('--vkey <vkey>', 'offline: a verifier key of the log that you trust; may be repeated', collect)
      .option('--keys <file>', 'offline: the keys that you trust, in the form of GET /v1/log/keys')
      .action(
        exitWith(async (ids, options) => {
          const misuse = misuseOf(ids, options);
          if (misuse !== undefined) throw new UsageError(misuse);
          if (options.log === undefined)
            return runAdmin(async (admin) =>
              verify(createEvidenceStore({ db: admin.db }), await rangeOf(admin, options), ids, options),
            );
          const files = await openDecisionFiles(options.log, options);
          return verify(files, { fromMs: startOf(options, Date.now()) }, ids, options);
        }),
      ),
};

const exportDecisionsCommand: CommandBody = {
  define: (command) =>
    command
      .requiredOption('--facts <file>', 'where to write the facts; facts that retention has erased are left out')
      .requiredOption('--policies <file>', 'where to write the policy sets')
      .requiredOption('--org, --organisation <slug>', 'the organisation of the decisions')
      .addOption(environmentOption('the environment of the decisions').default('live' as const))
      .option('--since <duration>', SINCE_HELP, durationMs)
      .action((options) =>
        runAdmin(async (admin) => {
          const store = createEvidenceStore({ db: admin.db });
          const written = await writeDecisionFiles(store, await rangeOf(admin, options), options);
          say(`Exported the facts of ${written.facts} decisions and ${written.sets} policy sets.`);
        }),
      ),
};

function misuseOf(ids: readonly string[], options: VerifyOptions): string | undefined {
  const { all, since, organisation, environment, log, facts, policies, vkey, keys } = options;
  if (log === undefined && [facts, policies, vkey, keys].some((value) => value !== undefined))
    return '--facts, --policies, --vkey and --keys need --log.';
  if (log !== undefined && (organisation !== undefined || environment !== undefined))
    return '--log excludes --organisation and --environment: a log belongs to one of each.';
  if (all && ids.length > 0) return 'Name decisions or give --all, not both.';
  if (all) return undefined;
  if (ids.length === 0) return 'Name the decisions to verify, or give --all.';
  if (since !== undefined || organisation !== undefined || environment !== undefined)
    return '--since, --organisation and --environment need --all.';
  return undefined;
}

/** @returns the exit code */
async function verify(
  store: EvidenceStore,
  range: DecisionRange,
  ids: readonly string[],
  { all, json }: VerifyOptions,
): Promise<number> {
  const verifier = createStoredVerifier({ store });
  const counts = { verified: 0, not_evaluable: 0, failed: 0 };
  let exitCode: number | undefined;
  for await (const outcome of all ? verifier.all(range) : named(verifier, ids)) {
    counts[outcome.status] += 1;
    if (outcome.status === 'failed')
      exitCode ??= DECISION_FAILURES[outcome.failures[0]?.code ?? 'RECORD_ALTERED'].exitCode;
    if (json) printLine(JSON.stringify(outcome));
    else for (const line of linesOf(outcome)) printLine(printable(line));
  }
  if (json) printLine(JSON.stringify(counts));
  else say(`${counts.verified} verified, ${counts.not_evaluable} not evaluable, ${counts.failed} failed.`);
  return exitCode ?? (counts.not_evaluable > 0 && !all ? EXIT_NOT_EVALUABLE : EXIT.ok);
}

async function* named(verifier: StoredVerifier, ids: readonly string[]): AsyncGenerator<VerifiedDecision> {
  for (const id of ids) {
    const outcome = await verifier.byId(id);
    if (outcome === undefined) throw new UsageError(`There is no decision ${id}.`);
    yield outcome;
  }
}

async function rangeOf({ db, nowMs }: AdminStore, options: RangeOptions): Promise<DecisionRange> {
  const { organisation, environment } = options;
  const organisationId = organisation === undefined ? undefined : (await requireOrganisation(db, organisation)).id;
  return { organisationId, environment, fromMs: startOf(options, nowMs) };
}

function startOf({ since }: RangeOptions, nowMs: number): number | undefined {
  return since === undefined ? undefined : nowMs - since;
}

function linesOf(outcome: VerifiedDecision): string[] {
  const head = `${outcome.decisionId} ${outcome.verdict ?? ''}`.trim();
  if (outcome.status !== 'failed')
    return [`${head}: ${outcome.status === 'verified' ? 'verified' : 'NOT_EVALUABLE'}. ${outcome.sentence}`];
  return [
    ...outcome.failures.map(({ code, sentence }) => `${head}: ${code}. ${sentence}`),
    ...outcome.notEvaluable.map((code) => `${head}: NOT_EVALUABLE. ${NOT_EVALUABLE[code]}`),
  ];
}

export const commands = {
  verify: verifyDecisionsCommand,
  export: exportDecisionsCommand,
};
