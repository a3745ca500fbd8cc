// `custos policy new`: a first policy that is valid, and a test file that shows what it does beside the others.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createReadings } from '../../shared/domain/decisions/readings.ts';
import { knownVerbs } from '../../shared/core/intent/lexicon/known-verbs.ts';
import { compileLexicon } from '../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { didYouMean } from '../../shared/kernel/near.ts';
import { admitPolicySet } from '../../shared/core/policy/admit.ts';
import { checkPolicy } from '../../shared/core/policy/check.ts';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { POLICY_SCHEMA_ID } from '../../shared/core/policy/schema.ts';
import { factsOf, instantOf } from '../../shared/core/policy/testing/facts.ts';
import { POLICY_TEST_SCHEMA_ID } from '../../shared/core/policy/testing/schema.ts';
import {
  type Expectation,
  type PolicyTestCase,
  type PolicyTestFile,
  TEST_DEFAULTS,
} from '../../shared/core/policy/testing/types.ts';
import type { Evaluation, Facts } from '../../shared/core/policy/types.ts';
import { LEXICON_FILE } from '../../shared/domain/policy-sets/folder.ts';
import { type Action, ACTIONS, ENVIRONMENTS, type Environment } from '../../shared/kernel/vocabulary.ts';
import { checkFolder, shownFinding } from './findings.ts';
import { FOLDER_HELP, policyDirOf, readFolder, shownPath, testsDirOf } from './folder.ts';
import { EXIT, UsageError } from '../frame.ts';
import { paint, printFindings, printJson, printLine } from '../output.ts';
import { POLICY_EXIT_CODES, type ExitCode, runPolicyCommand } from './exit-codes.ts';
import { prettyJson } from './pretty.ts';
import { type Draft, draftOf, TEMPLATE_EFFECTS, type TemplateEffect } from './template.ts';

interface NewOptions {
  readonly effect: TemplateEffect;
  readonly action?: readonly (Action | '*')[];
  readonly resource?: readonly string[];
  readonly environment?: readonly Environment[];
  readonly description?: string;
  readonly json?: boolean;
}

const append = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function repeatable(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, `${description}; may be repeated`).argParser(
    (value: string, before: readonly string[] | undefined) => {
      if (!choices.includes(value))
        throw new InvalidArgumentError(`It is none of ${choices.join(', ')}${didYouMean(value, choices)}`);
      return append(value, before);
    },
  );
}

export function registerPolicyNew(policy: Command): void {
  policy
    .command('new')
    .description('write a first policy and a test file for it, both valid')
    .argument('<name>', 'the id of the policy, and the name of its file')
    .argument('[folder]', FOLDER_HELP)
    .addOption(new Option('--effect <effect>', 'what its rule does').choices(TEMPLATE_EFFECTS).default('DENY'))
    .addOption(repeatable('--action <action>', 'an action of its target (default: update)', [...ACTIONS, '*']))
    .option('--resource <resource>', 'a resource of its target (default: db/<name>/*); may be repeated', append)
    .addOption(repeatable('--environment <environment>', 'an environment of its target (default: all)', ENVIRONMENTS))
    .option('--description <sentence>', 'what it is for (default: what its rule says)')
    .option('--json', 'print JSON: the files that were written')
    .addHelpText('after', POLICY_EXIT_CODES)
    .action((name: string, folder: string | undefined, options: NewOptions) =>
      runPolicyCommand(() => writeNew(name, policyDirOf(folder), options)),
    );
}

async function writeNew(id: string, dir: string, options: NewOptions): Promise<ExitCode> {
  const folder = await readFolder(dir);
  const file = `${id}.json`;
  const hasSchemas = existsSync(path.join(dir, 'schema', 'policy.schema.json'));
  const { action = ['update'], resource = [`db/${id}/*`], environment = [] } = options;
  const draft = draftOf({
    id,
    effect: options.effect,
    description: options.description,
    schema: hasSchemas ? './schema/policy.schema.json' : POLICY_SCHEMA_ID,
    target: {
      actions: [...new Set(action)],
      resources: [...new Set(resource)],
      ...(environment.length === 0 ? {} : { environments: [...new Set(environment)] }),
    },
  });
  const checked = checkPolicy(draft.policy);
  if (!checked.ok || file === LEXICON_FILE) {
    const why = checked.ok
      ? ['/id is the name of the lexicon']
      : checked.problems.map(({ pointer, message }) => `${pointer} ${message}`);
    throw new UsageError(`This would be no valid policy: ${why.join('; ')}.`);
  }
  const files = { policy: path.join(dir, file), test: path.join(testsDirOf(dir), file) };
  for (const taken of Object.values(files))
    if (existsSync(taken))
      throw new UsageError(`${taken} is there already, and is not overwritten. Choose another name.`);
  const policyText = prettyJson(draft.policy);
  const before = admitPolicySet(folder, { compileLexicon, verbsOf: knownVerbs });
  if (before.set === undefined) {
    const findings = (await checkFolder(dir)).findings.filter(({ severity }) => severity === 'error');
    if (options.json === true) {
      printJson({ ok: false, policy: null, test: null, findings });
      return EXIT.broken;
    }
    printFindings(findings);
    printLine('The folder is broken as it is: nothing was written.');
    return EXIT.broken;
  }
  const { set, errors, warnings } = admitPolicySet(
    { ...folder, policies: [...folder.policies, { path: file, text: policyText }] },
    { compileLexicon, verbsOf: knownVerbs },
  );
  if (set === undefined)
    throw new UsageError(`The policy can't be added: ${errors.map(({ message }) => message).join('; ')}.`);
  const test = await testOf(draft, set, hasSchemas);
  await mkdir(path.dirname(files.test), { recursive: true });
  await writeFile(files.test, prettyJson(test.content), { flag: 'wx' });
  // Last: from now on a service that reads the folder has it in force.
  await writeFile(files.policy, policyText, { flag: 'wx' });
  const doubts = warnings.filter((warning) => warning.file === file).map((warning) => shownFinding(dir, warning));
  if (options.json === true) {
    const written = { policy: shownPath(dir, file), test: shownPath(testsDirOf(dir), file) };
    printJson({ ok: true, ...written, verdict: test.first.verdict, findings: doubts });
    return EXIT.ok;
  }
  tellNext(dir, id, options.effect, test.first);
  printFindings(doubts);
  return EXIT.ok;
}

interface TestDraft {
  readonly content: PolicyTestFile;
  /** What the question for which the rule matches gets, beside all other policies. */
  readonly first: Evaluation;
}

/** The test file of a draft: what the whole set, with the draft, says to an agent that the rule is for, and to another. */
async function testOf(draft: Draft, set: PolicySet<Lexicon>, hasSchemas: boolean): Promise<TestDraft> {
  const { policy, rule, factor, levels } = draft;
  const { actions, resources, environments } = policy.target;
  const environment = environments?.[0] ?? TEST_DEFAULTS.environment;
  const action = actions.find((one) => one !== '*') ?? 'update';
  const intent = `${action}:${(resources[0] ?? '*').replace(/\*$/, 'example')}`;
  const evaluator = createEvaluator({ set, memoLimit: 0 });
  const organisation = policy.target.organisations?.[0] ?? TEST_DEFAULTS.organisation;
  const reading = createReadings().of({ set, organisation }, intent, '/intent');
  const ask = async (agentName: string, level: number): Promise<{ evaluation: Evaluation; facts: Facts }> => {
    const gathered = factsOf(reading.unassessed, {
      agent: { level },
      agentName,
      environment,
      organisation,
      nowMs: instantOf(TEST_DEFAULTS.now) ?? 0,
      key: {},
      context: {},
      history: undefined,
      claim: undefined,
    });
    const facts = { ...gathered, intent: { ...gathered.intent, risk: await evaluator.assessRisk(gathered) } };
    return { evaluation: await evaluator.evaluate(facts), facts };
  };
  const caseOf = async (agent: string, level: number): Promise<{ made: PolicyTestCase; evaluation: Evaluation }> => {
    const { evaluation, facts } = await ask(agent, level);
    const told = evaluation.reasons.some((reason) => reason.policy === policy.id && reason.rule === rule);
    const counted = factor !== undefined && facts.intent.risk.factors.some((one) => one.factor === factor);
    const expect: Expectation = {
      verdict: evaluation.verdict,
      ...(told ? { reasons: [`${policy.id}/${rule}`] } : {}),
      ...(counted ? { risk: { factors: [factor] } } : {}),
    };
    const name = `an agent of trust level ${level}: ${evaluation.verdict}`;
    const place = environment === TEST_DEFAULTS.environment ? {} : { environment };
    return { made: { name, agent, intent, ...place, expect }, evaluation };
  };
  const first = await caseOf('first', levels.matching);
  const second = await caseOf('second', levels.other);
  const content: PolicyTestFile = {
    $schema: hasSchemas ? '../schema/policy-test.schema.json' : POLICY_TEST_SCHEMA_ID,
    name: policy.id,
    description: 'What the policies say together to two agents: change the policy, and see which answers change.',
    fixtures: { agents: { first: { level: levels.matching }, second: { level: levels.other } } },
    cases: [first.made, second.made],
  };
  return { content, first: first.evaluation };
}

function tellNext(dir: string, id: string, effect: TemplateEffect, { verdict, reasons }: Evaluation): void {
  const { bold, dim, green } = paint();
  const place = path.relative(process.cwd(), dir) || '.';
  const others = [
    ...new Set(reasons.filter((reason) => reason.policy !== id).map((reason) => `${reason.policy}/${reason.rule}`)),
  ];
  printLine(`${green('wrote')} ${shownPath(dir, `${id}.json`)}`);
  printLine(`${green('wrote')} ${shownPath(testsDirOf(dir), `${id}.json`)}`);
  if (effect !== 'RISK' && verdict !== effect)
    printLine(`Beside the other policies the first case is ${verdict}, not ${effect}: ${others.join(', ')}.`);
  printLine();
  printLine(bold('Next'));
  const steps = [
    ['check', 'what is wrong, with file, line and column; --watch while you edit'],
    ['test', 'the cases'],
    ['coverage', 'which rules no case matches'],
    ['replay', 'what would have changed in past decisions'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  for (const [command, what] of steps)
    printLine(`  npx custos policy ${`${command} ${place}`.padEnd(width + 1 + place.length)}  ${dim(what)}`);
  printLine(dim('A service that reads this folder has the policy in force within two seconds.'));
}
