// Output of `custos policy explain`: verdict and reasons, then each rule whose target matches, with the values that it saw.
import type { BodyReason } from '../../shared/core/verification/record.ts';
import type { Evidence } from '../../shared/core/intent/attack/learned.ts';
import type { Meaning } from '../../shared/core/intent/types.ts';
import type { Explanation } from '../../shared/core/policy/evaluate.ts';
import type { ExplainedCondition, ExplainedRule, Facts } from '../../shared/core/policy/types.ts';
import type { ToolFacts } from '../../shared/core/tools/call.ts';
import { fullPath } from '../../shared/core/policy/vocabulary.ts';
import { printable } from '../../shared/core/proof/encoding.ts';
import { tierName } from '../../shared/core/trust/score.ts';
import type { Verdict } from '../../shared/kernel/vocabulary.ts';
import { type Paint, paint } from '../output.ts';

export interface Explained extends Explanation {
  readonly facts: Facts;
  /** Digest of the policy set. */
  readonly digest: string;
  /** The words by which the learned weights took the text for an injection; empty when they did not. */
  readonly learned?: readonly Evidence[];
  /** The words by which the learned weights tell of harm that the reading does not tell; empty when there is none. */
  readonly hidden?: readonly string[];
  /** The decision whose facts these are, and what was decided then. */
  readonly decision?: {
    readonly decisionId: string;
    readonly verdict: string | null;
    /** Reasons that come from no policy, such as an approval that was used. */
    readonly beside: readonly BodyReason[];
  };
}

export function explainedJson({
  evaluation,
  candidates,
  facts,
  digest,
  decision,
  learned = [],
  hidden = [],
}: Explained): object {
  return {
    ...(decision === undefined
      ? {}
      : { decision_id: decision.decisionId, recorded_verdict: decision.verdict, beside_policies: decision.beside }),
    ...evaluation,
    risk: facts.intent.risk,
    ...(learned.length === 0 ? {} : { learned }),
    ...(hidden.length === 0 ? {} : { hidden_harm: hidden }),
    policy_set: { digest },
    candidates,
    facts,
  };
}

const MAX_VALUE_LENGTH = 100;

/** The possible meanings of an intent. Policies judge each of them. */
const meaningsText = (meanings: readonly Meaning[]): string =>
  printable([...new Set(meanings.map(({ action, verb, effect }) => `${action} (${verb}): ${effect}`))].join('; '));

const learnedText = (learned: readonly Evidence[]): string =>
  `an injection by its words: ${learned.map(({ feature, weight }) => `${printable(feature)} +${weight}`).join(', ')}`;

/** A value of a fact or a policy on one line, short and printable. */
function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return printable(text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}...` : text);
}

function painted(verdict: Verdict, { red, yellow, green, cyan }: Paint): string {
  return { DENY: red, ESCALATE: yellow, DEGRADE: cyan, ALLOW: green }[verdict](verdict);
}

function conditionLine(
  { fact, path, operator, expected, expectedFact, actual, item, missing, result, condition }: ExplainedCondition,
  style: Paint,
): string {
  const other = expectedFact === undefined ? '' : `${fullPath(expectedFact.fact, expectedFact.path)} = `;
  const saw = missing ? `missing, so it ${result ? 'holds' : 'does not hold'} in this rule` : `is ${valueText(actual)}`;
  const decided = item === undefined ? '' : `; item ${item.index} decided: ${valueText(item.actual)}`;
  const mark = result ? style.green('+') : style.red('-');
  return `    ${mark} ${printable(fullPath(fact, path))} ${operator} ${printable(other)}${valueText(expected)}  ${style.dim(`(${saw}${decided}${condition === undefined ? '' : `; in the condition ${printable(condition)}`})`)}`;
}

const alternativeText = (text: string, matched: boolean): string =>
  matched ? `without "${printable(text)}" it would not match` : `"${printable(text)}" alone would have been enough`;

/** The conditions of a rule: all of them when it matched, otherwise those that failed. */
function ruleLines(rule: ExplainedRule, isWhole: boolean, style: Paint): string[] {
  const { policy, rule: name, effect, matched, skipped, conditions } = rule;
  const state = matched ? style.bold('matched') : style.dim('no match');
  const shown = matched || isWhole ? conditions : conditions.filter(({ result }) => !result);
  return [
    `  ${painted(effect, style)} ${policy}/${name}: ${state}${skipped === undefined ? '' : `; ${printable(skipped)}`}`,
    ...shown.map((condition) => conditionLine(condition, style)),
    ...(rule.alternatives ?? []).map(({ text }) => `    ${style.dim(alternativeText(text, matched))}`),
  ];
}

/** Claimed and recorded trust. It is shown because the lower one counts, which a caller may not expect. */
function claimText({ claimed, recorded }: Facts['trust']): string {
  if (claimed === null) return '';
  return ` (the lower of level ${claimed.level}, score ${claimed.score} claimed and level ${recorded.level}, score ${recorded.score} recorded)`;
}

/** What the catalogue made of a call. */
function toolText({ server, name, known, changed, problem }: ToolFacts): string {
  const why = problem === undefined ? '' : ` (${printable(problem)})`;
  const pin = changed ? ', with another definition than the pinned one' : '';
  return `${printable(name)} of ${printable(server)}, ${known ? 'known' : `unknown${why}`}${pin}`;
}

/** @param isWhole whether rules that did not match are shown with the conditions that held, too */
export function explainedLines(explained: Explained, isWhole: boolean): string[] {
  const style = paint();
  const { evaluation, candidates, facts, digest, decision, learned = [], hidden = [] } = explained;
  const { intent, agent, trust, time, environment, tool } = facts;
  const { bold, dim } = style;
  const indent = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  const then =
    decision === undefined ? '' : dim(` (${decision.decisionId} was decided ${decision.verdict ?? 'unreadably'})`);
  const beside = (decision?.beside ?? []).map(({ code, message }) =>
    dim(`  then, beside the policies: ${code}, ${printable(message)}`),
  );
  const traits = intent.traits.length === 0 ? '' : ` (${intent.traits.join(', ')})`;
  const word = intent.verb === intent.action ? '' : ` (verb ${printable(intent.verb)})`;
  const matched = candidates.filter((rule) => rule.matched);
  return [
    `${bold('Verdict')}  ${painted(evaluation.verdict, style)}${then}`,
    ...evaluation.reasons.map(
      ({ policy, rule, effect, code, message }) =>
        `  ${painted(effect, style)} ${policy}/${rule}: ${code}, ${printable(message)}`,
    ),
    ...evaluation.obligations.map((obligation) => `  obligation ${valueText(obligation)}`),
    ...(evaluation.escalation?.approvers ?? []).map(
      ({ policy, rule, keys, tags, at_least: atLeast }) =>
        `  approvers ${atLeast} of ${[...tags.map((tag) => `tag ${printable(tag)}`), ...keys.map((key) => `key ${key}`)].join(', ')} (${policy}/${rule})`,
    ),
    ...beside,
    '',
    `${bold('Question')} ${printable(intent.normalized)}`,
    ...indent(
      [
        ...(tool === undefined ? [] : [['tool', toolText(tool)]]),
        [
          'intent',
          `${intent.action} ${printable(intent.resource)}${word}: ${intent.effect}${traits}, confidence ${intent.confidence}`,
        ],
        ...(intent.meanings === undefined ? [] : [['means', meaningsText(intent.meanings)]]),
        ...(intent.places.length === 0 ? [] : [['places', printable(intent.places.join(', '))]]),
        ...(learned.length === 0 ? [] : [['learned', learnedText(learned)]]),
        ...(hidden.length === 0
          ? []
          : [['hidden', `harm that no request tells, by ${hidden.map(printable).join(', ')}`]]),
        ['agent', `${printable(agent.id)}, ${agent.status}`],
        ['trust', `level ${trust.level} ${tierName(trust.level)}, score ${trust.score}${claimText(trust)}`],
        ['when', `${time.now}, in ${environment}`],
        ['risk', `${intent.risk.level} ${intent.risk.score}`],
      ].map(([name = '', text = '']) => `${name.padEnd(8)}${text}`),
    ),
    ...intent.risk.factors.map(({ factor, score, message }) => `          +${score} ${factor}: ${printable(message)}`),
    '',
    `${bold('Rules')}    ${candidates.length} with a target that fits, ${matched.length} matched ${dim(`(policy set ${digest.slice(0, 12)})`)}`,
    ...[...candidates]
      .sort((a, b) => Number(b.matched) - Number(a.matched))
      .flatMap((rule) => ruleLines(rule, isWhole, style)),
  ];
}
