// `custos decision verify`: recorded decisions evaluated again from their facts, policy sets and logged signals.
import { type Command, Option } from 'commander';
import { NOT_EVALUABLE, DECISION_FAILURES } from '../shared/decide/verify-failures.ts';
import type { VerifiedDecision } from '../shared/decide/verify-decision.ts';
import { createEvidenceStore, type DecisionRange } from '../shared/decide/verify-store.ts';
import { createStoredVerifier, type StoredVerifier } from '../shared/decide/verify-stored.ts';
import { compileLexicon } from '../shared/intent/lexicon.ts';
import { parseDuration } from '../shared/keys/durations.ts';
import { ENVIRONMENTS, type Environment } from '../shared/vocabulary.ts';
import { type AdminStore, CommandError, requireOrganisation, runAdmin } from './admin.ts';
import { say } from './context.ts';

/** Nothing is wrong, but some decision that was asked for by name could not be evaluated again. */
const EXIT_NOT_EVALUABLE = 3;
const EXIT_USAGE = 2;

interface VerifyOptions {
  readonly all?: boolean;
  readonly since?: string;
  readonly organisation?: string;
  readonly environment?: Environment;
  readonly json?: boolean;
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
    .option('--since <duration>', 'with --all: only those of the last 7d, say (m, h, d, w)')
    .option('--org, --organisation <slug>', 'with --all: only those of this organisation')
    .addOption(
      new Option('--environment <environment>', 'with --all: only those of this environment').choices(ENVIRONMENTS),
    )
    .option('--json', 'print one JSON object per decision, and the counts in a last one')
    .addHelpText('after', exitCodes())
    .action(async (ids: readonly string[], options: VerifyOptions) => {
      const misused = misuseOf(ids, options);
      if (misused !== undefined) {
        say(`custos: ${misused}`);
        process.exitCode = EXIT_USAGE;
        return;
      }
      await runAdmin(async (admin) => {
        process.exitCode = await run(admin, ids, options);
      });
    });
}

function exitCodes(): string {
  const codes = Object.entries(DECISION_FAILURES).map(
    ([code, { exitCode, meaning }]) => `  ${exitCode}  ${code}: ${meaning}`,
  );
  return `
Exit codes: the first failure of the first decision that has one.
  0   Every decision holds (with --all, those that can not be evaluated again are only counted).
  1   The command failed, or there is no such decision.
  2   The command could not be understood.
  3   Nothing is wrong, but not everything could be evaluated again.
${codes.join('\n')}
`;
}

function misuseOf(ids: readonly string[], options: VerifyOptions): string | undefined {
  const { all, since, organisation, environment } = options;
  if (all === true && ids.length > 0) return 'Name decisions, or say --all, not both.';
  if (all === true) {
    if (since !== undefined && parseDuration(since) === undefined)
      return '--since must be a number and a unit letter (m minutes, h hours, d days, w weeks).';
    return undefined;
  }
  if (ids.length === 0) return 'Name the decisions to verify, or say --all.';
  if (since !== undefined || organisation !== undefined || environment !== undefined)
    return '--since, --organisation and --environment go with --all.';
  return undefined;
}

/** @returns the exit code */
async function run(admin: AdminStore, ids: readonly string[], options: VerifyOptions): Promise<number> {
  const verifier = createStoredVerifier({ store: createEvidenceStore({ db: admin.db }), compileLexicon });
  const outcomes = options.all === true ? verifier.all(await rangeOf(admin, options)) : named(verifier, ids);
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
  return counts.not_evaluable > 0 && options.all !== true ? EXIT_NOT_EVALUABLE : 0;
}

async function* named(verifier: StoredVerifier, ids: readonly string[]): AsyncGenerator<VerifiedDecision> {
  for (const id of ids) {
    const outcome = await verifier.byId(id);
    if (outcome === undefined) throw new CommandError(`There is no decision ${id}.`);
    yield outcome;
  }
}

async function rangeOf(
  { db, nowMs }: AdminStore,
  { since, organisation, environment }: VerifyOptions,
): Promise<DecisionRange> {
  const sinceMs = since === undefined ? undefined : parseDuration(since);
  return {
    organisationId: organisation === undefined ? undefined : (await requireOrganisation(db, organisation)).id,
    environment,
    fromMs: sinceMs === undefined ? undefined : nowMs - sinceMs,
  };
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
    process.stdout.write(`${head}: ${what}. ${sentence}\n`);
    return;
  }
  for (const failure of outcome.failures) process.stdout.write(`${head}: ${failure.code}. ${failure.sentence}\n`);
  for (const code of notEvaluable) process.stdout.write(`${head}: NOT_EVALUABLE. ${NOT_EVALUABLE[code]}\n`);
}
