// `custos policy explain`: a question, or a decision on record, with every rule that was looked at and the values it saw.
import type { Command } from 'commander';
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { type BodyReason, readDecisionRecord } from '../../shared/core/verification/record.ts';
import { parseFacts } from '../../shared/core/verification/facts.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { BUILT_IN_REASONS } from '../../shared/core/policy/combine.ts';
import { meaningOf } from '../../shared/core/decision/approval-bound.ts';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import { loadCanonicalSet, type PolicySet } from '../../shared/core/policy/load.ts';
import { BUILT_IN_POLICY } from '../../shared/core/policy/schema.ts';
import type { Facts } from '../../shared/core/policy/types.ts';
import { runAdmin } from '../admin.ts';
import { CommandError } from '../frame.ts';
import { say } from '../frame.ts';
import { checkFolder } from './findings.ts';
import { admitFolder, FOLDER_HELP, policyDirOf, readFolder } from './folder.ts';
import { type Explained, explainedJson, explainedLines } from './explained.ts';
import { EXIT, UsageError } from '../frame.ts';
import { printFindings, printJson, printLine } from '../output.ts';
import { POLICY_EXIT_CODES, type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { factsOfQuestion, questionOptions, type QuestionOptions } from './question.ts';

interface ExplainOptions extends QuestionOptions {
  readonly decision?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  custos policy explain --intent delete:db/production/users --trust-level 3
  custos policy explain --text "Delete all users in production" --no-registered
  custos policy explain --decision dec_01jq3k...            as it was decided
  custos policy explain drafts --decision dec_01jq3k...     as the policies in drafts/ would decide
`;

export function registerPolicyExplain(policy: Command): void {
  const command = policy
    .command('explain')
    .description('show the verdict of a question or of a recorded decision, and every rule that was looked at')
    .argument('[folder]', FOLDER_HELP);
  questionOptions(command)
    .option(
      '--decision <id>',
      'a decision on record: its facts, under the policies that were in force, or those of [folder]',
    )
    .option('--all', 'show the conditions of rules that did not match, too')
    .option('--json', 'print JSON')
    .addHelpText('after', `${EXAMPLES}${POLICY_EXIT_CODES}`)
    .action((folder: string | undefined, options: ExplainOptions) =>
      runPolicyCommand(async () => {
        const given = [options.intent, options.text, options.decision].filter((value) => value !== undefined);
        if (given.length !== 1)
          throw new UsageError('Say what to explain: --intent, --text or --decision, one of them.');
        return options.decision === undefined
          ? explainQuestion(folder, options)
          : explainDecision(folder, options.decision, options);
      }),
    );
}

/** The set of a folder; its findings are shown when it has errors. */
async function setOf(dir: string, { json }: ExplainOptions): Promise<PolicySet<Lexicon> | undefined> {
  const { set } = admitFolder(await readFolder(dir));
  if (set !== undefined) return set;
  const findings = (await checkFolder(dir)).findings.filter(({ severity }) => severity === 'error');
  if (json === true) printJson({ ok: false, findings });
  else printFindings(findings);
  return undefined;
}

async function explainQuestion(folder: string | undefined, options: ExplainOptions): Promise<ExitCode> {
  const set = await setOf(policyDirOf(folder), options);
  if (set === undefined) return EXIT.broken;
  const evaluator = createEvaluator({ set, memoLimit: 0, onError: (error) => say(`custos: ${String(error)}`) });
  const gathered = factsOfQuestion(options, set, Date.now());
  const risk = await evaluator.assessRisk(gathered);
  const facts: Facts = { ...gathered, intent: { ...gathered.intent, risk } };
  print({ facts, digest: set.digest, ...(await evaluator.explain(facts)) }, options);
  return EXIT.ok;
}

async function explainDecision(folder: string | undefined, id: string, options: ExplainOptions): Promise<ExitCode> {
  const draft = folder === undefined ? undefined : await setOf(policyDirOf(folder), options);
  if (folder !== undefined && draft === undefined) return EXIT.broken;
  return runAdmin(async ({ db }) => {
    const store = createEvidenceStore({ db });
    const found = await store.byId(id);
    if (found === undefined) throw new UsageError(`There is no decision ${id}.`);
    const { evidence, policyDigest } = found;
    if (evidence.facts === undefined)
      throw new CommandError(
        `The facts of ${id} have been erased by retention; its record stays, and "custos decision verify" checks it.`,
      );
    const recorded = parseFacts(evidence.facts.text);
    if (recorded === undefined)
      throw new CommandError(`The facts of ${id} can't be read; "custos decision verify ${id}" says more.`);
    const set = draft ?? storedSet(policyDigest === null ? undefined : await store.policySet(policyDigest));
    const evaluator = createEvaluator({
      set,
      memoLimit: 0,
      missingOpens: meaningOf(recorded),
      onError: (error) => say(`custos: ${String(error)}`),
    });
    // The risk is that of the record, unless a draft computes it anew.
    const risk = draft === undefined ? recorded.intent.risk : await evaluator.assessRisk(recorded);
    const facts: Facts = { ...recorded, intent: { ...recorded.intent, risk } };
    const beside = besidePolicies(evidence.record.bytes);
    const decision = { decisionId: id, verdict: evidence.columns?.verdict ?? null, beside };
    print({ facts, digest: set.digest, decision, ...(await evaluator.explain(facts)) }, options);
    return EXIT.ok;
  });
}

/** Reasons that no policy gives: an approval, a halt. A record that can't be read has none; "decision verify" names it. */
function besidePolicies(record: Uint8Array): readonly BodyReason[] {
  const read = readDecisionRecord(record);
  if (!('body' in read)) return [];
  return read.body.reasons.filter(
    ({ policy, code }) => policy === BUILT_IN_POLICY && !Object.hasOwn(BUILT_IN_REASONS, code),
  );
}

function storedSet(text: string | undefined): PolicySet<Lexicon> {
  if (text === undefined) throw new CommandError('The policy set of this decision is not stored.');
  const loaded = loadCanonicalSet(text, { compileLexicon });
  if (loaded.ok) return loaded.set;
  throw new CommandError(
    `The policy set of this decision can't be loaded: ${loaded.findings[0]?.message ?? 'it is damaged'}.`,
  );
}

function print(explained: Explained, { json, all }: ExplainOptions): void {
  if (json === true) printJson(explainedJson(explained));
  else for (const line of explainedLines(explained, all === true)) printLine(line);
}
