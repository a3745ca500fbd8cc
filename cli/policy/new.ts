// `custos policy new`: writes a first valid policy, and a test file that shows its effect beside the other policies.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { createReadings } from '../../shared/domain/decisions/readings.ts';
import type { Lexicon } from '../../shared/core/intent/lexicon/types.ts';
import { didYouMean } from '../../shared/kernel/near.ts';
import { checkPolicy } from '../../shared/core/policy/check.ts';
import { NO_DECLARATIONS } from '../../shared/core/policy/declarations.ts';
import { createEvaluator } from '../../shared/core/policy/evaluate.ts';
import type { PolicySet } from '../../shared/core/policy/load.ts';
import { POLICY_SCHEMA_ID } from '../../shared/core/policy/schema.ts';
import { factsOf } from '../../shared/core/policy/testing/facts.ts';
import { timeOf } from '../../shared/core/policy/values.ts';
import { POLICY_TEST_SCHEMA_ID } from '../../shared/core/policy/testing/schema.ts';
import { TEST_DEFAULTS } from '../../shared/core/policy/testing/defaults.ts';
import type { PolicyTestCase, PolicyTestFile } from '../../shared/core/policy/testing/schema.ts';
import type { Expectation } from '../../shared/core/policy/testing/schema-parts.ts';
import type { Evaluation, Facts } from '../../shared/core/policy/types.ts';
import { LEXICON_FILE } from '../../shared/core/policy/lexicon-files.ts';
import { type Action, ACTIONS, ENVIRONMENTS, type Environment } from '../../shared/kernel/vocabulary.ts';
import { EXIT, exitWith, UsageError } from '../exit.ts';
import { collect } from '../options.ts';
import { paint, printFindings, printJson, printLine } from '../output.ts';
import type { CommandBody } from '../program.ts';
import { printBroken } from './findings.ts';
import { admitFolder, readFolder, shownFinding, shownPath, testsDirOf } from './folder.ts';
import { FOLDER_HELP, policyDirOf, refuseShipped } from './place.ts';
import { prettyJson } from '../../shared/kernel/pretty-json.ts';
import { makeFolder } from '../../shared/platform/files/folders.ts';
import { type Draft, draftOf, TEMPLATE_EFFECTS, type TemplateEffect } from './template.ts';

interface NewOptions {
  readonly effect: TemplateEffect;
  readonly action: readonly (Action | '*')[];
  readonly resource: readonly string[];
  readonly environment: readonly Environment[];
  readonly description?: string;
  readonly json?: true;
}

/** Parser of an option that may be repeated, with values of a list. */
function collectOf<Choice extends string>(choices: readonly Choice[]) {
  return (value: string, before: readonly Choice[] = []): readonly Choice[] => {
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined)
      throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}${didYouMean(value, choices)}`);
    return [...before, chosen];
  };
}

export const newPolicyCommand: CommandBody = {
  exitCodes: { [EXIT.broken]: 'The folder is broken as it is: nothing was written.' },
  define: (command) =>
    command
      .argument('<name>', 'the id of the policy, and the name of its file')
      .argument('[folder]', FOLDER_HELP)
      .addOption(
        new Option('--effect <effect>', 'the effect of its rule').choices(TEMPLATE_EFFECTS).default('DENY' as const),
      )
      .option(
        '--action <action>',
        `an action of its target, one of ${ACTIONS.join(', ')} or * (default: update); may be repeated`,
        collectOf([...ACTIONS, '*'] as const),
      )
      .option('--resource <resource>', 'a resource of its target (default: db/<name>/*); may be repeated', collect)
      .option(
        '--environment <environment>',
        'an environment of its target (default: all); may be repeated',
        collectOf(ENVIRONMENTS),
      )
      .option('--description <sentence>', 'the purpose of the policy (default: the effect of its rule)')
      .option('--json', 'print JSON: the files that were written')
      .action(
        exitWith(
          (name, folder, { action = ['update'] as const, resource = [`db/${name}/*`], environment = [], ...options }) =>
            writeNew(name, policyDirOf(folder), { ...options, action, resource, environment }),
        ),
      ),
};

/** @returns the exit code */
async function writeNew(id: string, dir: string, options: NewOptions): Promise<number> {
  const folder = await readFolder(dir);
  refuseShipped(dir);
  const file = `${id}.json`;
  const hasSchemas = existsSync(path.join(dir, 'schema', 'policy.schema.json'));
  const { action, resource, environment, json } = options;
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
  const checked = checkPolicy(draft.policy, NO_DECLARATIONS);
  if (!checked.ok || file === LEXICON_FILE) {
    const why = checked.ok
      ? ['/id is the name of the lexicon']
      : checked.problems.map(({ pointer, message }) => `${pointer} ${message}`);
    throw new UsageError(`This policy would not be valid: ${why.join('; ')}.`);
  }
  const files = { policy: path.join(dir, file), test: path.join(testsDirOf(dir), file) };
  for (const taken of Object.values(files))
    if (existsSync(taken)) throw new UsageError(`${taken} already exists and is not overwritten. Choose another name.`);
  const policyText = prettyJson(draft.policy);
  if (admitFolder(folder).set === undefined) {
    await printBroken(dir, json, { policy: null, test: null });
    if (!json) printLine('The folder is broken as it is: nothing was written.');
    return EXIT.broken;
  }
  const policies = [...folder.policies, { path: file, text: policyText }];
  const { set, errors, warnings } = admitFolder({ ...folder, policies });
  if (set === undefined)
    throw new UsageError(`The policy can't be added: ${errors.map(({ message }) => message).join('; ')}.`);
  const test = await testOf(draft, set, hasSchemas);
  makeFolder(path.dirname(files.test));
  await writeFile(files.test, prettyJson(test.content), { flag: 'wx' });
  // Last, because a service that reads the folder puts the policy into force now.
  await writeFile(files.policy, policyText, { flag: 'wx' });
  const findings = warnings.filter((warning) => warning.file === file).map((warning) => shownFinding(dir, warning));
  const written = { policy: shownPath(dir, file), test: shownPath(testsDirOf(dir), file) };
  if (json) printJson({ ok: true, ...written, verdict: test.first.verdict, findings });
  else {
    for (const name of Object.values(written)) printLine(`${paint().green('wrote')} ${name}`);
    printNextSteps(dir, id, options.effect, test.first);
    printFindings(findings);
  }
  return EXIT.ok;
}

interface TestDraft {
  readonly content: PolicyTestFile;
  /** The evaluation of the first case, for which the rule matches, under all policies. */
  readonly first: Evaluation;
}

/** The test file of a draft: the verdicts of the set with the draft, for an agent that the rule matches and for another. */
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
      nowMs: timeOf(TEST_DEFAULTS.now) ?? 0,
      key: {},
      context: {},
      history: undefined,
      budgets: undefined,
      claim: undefined,
    });
    const facts = { ...gathered, intent: { ...gathered.intent, risk: await evaluator.assessRisk(gathered) } };
    return { evaluation: await evaluator.evaluate(facts), facts };
  };
  const caseOf = async (agent: string, level: number): Promise<{ made: PolicyTestCase; evaluation: Evaluation }> => {
    const { evaluation, facts } = await ask(agent, level);
    const isReason = evaluation.reasons.some((reason) => reason.policy === policy.id && reason.rule === rule);
    const counted = factor !== undefined && facts.intent.risk.factors.some((one) => one.factor === factor);
    const expect: Expectation = {
      verdict: evaluation.verdict,
      ...(isReason ? { reasons: [`${policy.id}/${rule}`] } : {}),
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
    description:
      'The verdicts of all policies together for two agents. Change the policy to see which verdicts change.',
    fixtures: { agents: { first: { level: levels.matching }, second: { level: levels.other } } },
    cases: [first.made, second.made],
  };
  return { content, first: first.evaluation };
}

function printNextSteps(dir: string, id: string, effect: TemplateEffect, { verdict, reasons }: Evaluation): void {
  const { bold, dim } = paint();
  const place = path.relative(process.cwd(), dir) || '.';
  const others = [
    ...new Set(reasons.filter((reason) => reason.policy !== id).map((reason) => `${reason.policy}/${reason.rule}`)),
  ];
  if (effect !== 'RISK' && verdict !== effect)
    printLine(`Beside the other policies the first case is ${verdict}, not ${effect}: ${others.join(', ')}.`);
  printLine();
  printLine(bold('Next'));
  const steps = [
    ['check', 'lists errors and warnings; --watch while you edit'],
    ['test', 'runs the cases'],
    ['coverage', 'lists the rules that no case matches'],
    ['replay', 'shows which past decisions would have changed'],
  ] as const;
  const width = Math.max(...steps.map(([command]) => command.length));
  for (const [command, what] of steps)
    printLine(`  npx custos policy ${`${command} ${place}`.padEnd(width + 1 + place.length)}  ${dim(what)}`);
  printLine(dim('A service that reads this folder puts the policy into force within two seconds.'));
}
