// `custos policy explain`: the verdict of a question or a recorded decision, with every rule considered and the values it saw.
import { createEvidenceStore } from '../../shared/domain/verification/store.ts';
import { type BodyReason, readDecisionRecord } from '../../shared/core/verification/record.ts';
import { parseFacts } from '../../shared/core/verification/facts.ts';
import { compileStoredLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { BUILT_IN_REASONS } from '../../shared/core/policy/combine.ts';
import { meaningOf } from '../../shared/core/decision/approval-bound.ts';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { loadCanonicalSet } from '../../shared/core/policy/stored-set.ts';
import { BUILT_IN_POLICY } from '../../shared/core/policy/schema.ts';
import type { Facts } from '../../shared/core/policy/types.ts';
import { runAdmin } from '../admin.ts';
import { CommandError, EXIT, exitWith, say, UsageError } from '../exit.ts';
import { printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { type Explained, explainedJson, explainedLines } from './explained.ts';
import { BROKEN, printBroken } from './findings.ts';
import { loadFolder, readFolder } from './folder.ts';
import { FOLDER_HELP, policyDirOf } from './place.ts';
import {
  addQuestionOptions,
  evidenceOfQuestion,
  hiddenHarmOf,
  factsOfQuestion,
  type QuestionOptions,
} from './question.ts';

interface ExplainOptions {
  readonly all?: true;
  readonly json?: true;
}

export const explainPoliciesCommand: CommandBody = {
  notes: `Examples:
  custos policy explain --intent delete:db/production/users --trust-level 3
  custos policy explain --text "Delete all users in production" --no-registered
  custos policy explain --tool '{"server":"filesystem","name":"read_file","arguments":{"path":"/srv/a"}}'
  custos policy explain --decision dec_01jq3k...            as it was decided
  custos policy explain drafts --decision dec_01jq3k...     as the policies in drafts/ would decide`,
  exitCodes: BROKEN,
  define: (command) =>
    addQuestionOptions(command)
      .argument('[folder]', FOLDER_HELP)
      .option(
        '--decision <id>',
        'a recorded decision: its facts, under the policies that were in force, or under those of [folder]',
      )
      .option('--all', 'show the conditions that held in rules that did not match, too')
      .option('--json', 'print JSON')
      .action(
        exitWith(async (folder, options) => {
          const { intent, text, tool, decision } = options;
          if ([intent, text, tool, decision].filter((value) => value !== undefined).length !== 1)
            throw new UsageError('Give exactly one of --intent, --text, --tool and --decision.');
          const dir = decision === undefined || folder !== undefined ? policyDirOf(folder) : undefined;
          const set = dir === undefined ? undefined : loadFolder(await readFolder(dir)).set;
          if (dir !== undefined && set === undefined) {
            await printBroken(dir, options.json);
            return EXIT.broken;
          }
          if (decision !== undefined) await explainDecision(set, decision, options);
          else if (set !== undefined) await explainQuestion(set, options);
          return EXIT.ok;
        }),
      ),
};

async function explainQuestion(set: PolicySet<Lexicon>, options: ExplainOptions & QuestionOptions): Promise<void> {
  const evaluator = createEvaluator({ set, memoLimit: 0, onError });
  const gathered = factsOfQuestion(options, set, Date.now());
  const risk = await evaluator.assessRisk(gathered);
  const facts: Facts = { ...gathered, intent: { ...gathered.intent, risk } };
  const learned = evidenceOfQuestion(options, set);
  const hidden = hiddenHarmOf(options, set);
  print({ facts, digest: set.digest, learned, hidden, ...(await evaluator.explain(facts)) }, options);
}

/** @param draft undefined for the set that was in force */
async function explainDecision(
  draft: PolicySet<Lexicon> | undefined,
  id: string,
  options: ExplainOptions,
): Promise<void> {
  await runAdmin(async ({ db }) => {
    const store = createEvidenceStore({ db });
    const found = await store.byId(id);
    if (found === undefined) throw new UsageError(`There is no decision ${id}.`);
    const { evidence, policyDigest } = found;
    if (evidence.facts === undefined)
      throw new CommandError(
        `The facts of ${id} have been erased by retention. Its record remains, and "custos decision verify" checks it.`,
      );
    const recorded = parseFacts(evidence.facts.text);
    if (recorded === undefined)
      throw new CommandError(`The facts of ${id} can't be read; "custos decision verify ${id}" says more.`);
    const set = draft ?? storedSet(policyDigest === null ? undefined : await store.policySet(policyDigest));
    const evaluator = createEvaluator({ set, memoLimit: 0, missingOpens: meaningOf(recorded), onError });
    // A draft computes the risk again; otherwise the recorded risk is shown.
    const risk = draft === undefined ? recorded.intent.risk : await evaluator.assessRisk(recorded);
    const facts: Facts = { ...recorded, intent: { ...recorded.intent, risk } };
    const beside = besidePolicies(evidence.record.bytes);
    const decision = { decisionId: id, verdict: evidence.columns?.verdict ?? null, beside };
    print({ facts, digest: set.digest, decision, ...(await evaluator.explain(facts)) }, options);
  });
}

function onError(error: unknown): void {
  say(`custos: ${String(error)}`);
}

/** Reasons that come from no policy: an approval, a halt. A damaged record has none; "custos decision verify" reports it. */
function besidePolicies(record: Uint8Array): readonly BodyReason[] {
  const read = readDecisionRecord({ bytes: record });
  if (!('body' in read)) return [];
  return read.body.reasons.filter(
    ({ policy, code }) => policy === BUILT_IN_POLICY && !Object.hasOwn(BUILT_IN_REASONS, code),
  );
}

function storedSet(text: string | undefined): PolicySet<Lexicon> {
  if (text === undefined) throw new CommandError('The policy set of this decision is not stored.');
  const loaded = loadCanonicalSet(text, { compileLexicon: compileStoredLexicon });
  if (loaded.ok) return loaded.set;
  throw new CommandError(
    `The policy set of this decision can't be loaded: ${loaded.findings[0]?.message ?? 'it is damaged'}.`,
  );
}

function print(explained: Explained, { json, all }: ExplainOptions): void {
  if (json) printJson(explainedJson(explained));
  else for (const line of explainedLines(explained, all === true)) printLine(line);
}
