// Verifies a recorded decision by evaluating it again from its facts, its policy set and its agent's logged signals. Pure.
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { createHash } from 'node:crypto';
import { permits } from '../../kernel/vocabulary.ts';
import { quoted } from '../proof/encoding.ts';
import { budgetFact, budgetsLeft, isCharged, toMillionths } from '../policy/budget.ts';
import { EVALUATION, FIRST_EVALUATION } from '../policy/evaluation-version.ts';
import { builtInEvaluation, isUnknownRisk } from '../policy/combine.ts';
import { createEvaluator, type Evaluator } from '../policy/evaluate.ts';
import type { PolicySet } from '../policy/load.ts';
import { loadCanonicalSet } from '../policy/stored-set.ts';
import { BUILT_IN_POLICY } from '../policy/schema.ts';
import type { Evaluation, Facts, RiskFacts } from '../policy/types.ts';
import type { Verdict } from '../../kernel/vocabulary.ts';
import { type ApprovalMention, approvalMentionOf, standsFirst } from '../decision/approval.ts';
import { isBeforeBinding } from '../decision/approval-bound.ts';
import { checkAnswer, checkColumns, type DecisionColumns } from './answer.ts';
import {
  checkApproval,
  checkEscalation,
  decidedOf,
  namesItsOwnApproval,
  openingOf,
  opensApproval,
  readApprovals,
} from './approvals.ts';
import { checkQuorum } from './quorum.ts';
import type { ChangeOwner } from './changes.ts';
import { checkAgreement, readFacts, same, shown, type StoredFacts } from './facts.ts';
import {
  type DecisionFailure,
  type LoggedRecord,
  NOT_EVALUABLE,
  type NotEvaluableCode,
  type Report,
  fail,
  IN_ANY_VERSION,
} from './failures.ts';
import { checkHalts, readHalts } from './halts.ts';
import { haltReasonOf } from '../decision/halt.ts';
import { checkHands, readKeys } from './keys.ts';
import { checkRefusal } from './refusals.ts';
import { type BodyReason, type DecisionRecord, isAsLogged, readDecisionRecord } from './record.ts';
import { checkInForce, readPolicySets } from './policy-sets.ts';
import { checkTrust, type TrustLedger } from './trust.ts';
import { historyOf } from './trust-history.ts';

/** The inputs of a verification. */
export interface DecisionEvidence {
  readonly record: LoggedRecord;
  /** The columns of the database row; undefined when the record has another source. */
  readonly columns?: DecisionColumns | undefined;
  /** Undefined: deleted by retention. */
  readonly facts: StoredFacts | undefined;
  /** The canonical text of the policy set that the record names; undefined when it is not available. */
  readonly policySet: string | undefined;
  /** The agent's `custos.trust` records, in order; cached by array identity. Undefined: not given. */
  readonly trustRecords: readonly LoggedRecord[] | undefined;
  /** Reads them in pages, because there may be many. Takes the place of `trustRecords`. */
  readonly trustLedger?: ((owner: ChangeOwner) => Promise<TrustLedger>) | undefined;
  /** The `custos.halt` records of its log, in order; cached by array identity. Undefined: not given. */
  readonly haltRecords: readonly LoggedRecord[] | undefined;
  /** The agent's `custos.approval` records, in order; cached by array identity. Undefined: not given. */
  readonly approvalRecords: readonly LoggedRecord[] | undefined;
  /** The `custos.key` records of its log, in order; the same array is read once. Undefined: not given. */
  readonly keyRecords: readonly LoggedRecord[] | undefined;
  /** The `custos.policy_set` records of its log, in order; the same array is read once. Absent: it is not checked whether its set was in force. */
  readonly policyRecords?: readonly LoggedRecord[] | undefined;
  /** The ESCALATE that opened the approval which the decision names (`namedApprovalOf`). Undefined: there is none. */
  readonly opening?: LoggedRecord | undefined;
  /** Whether its policy set was in force when it was made, as far as the service recorded it. Absent: no. Called for a set that can't be loaded. */
  readonly wasInForce?: (() => Promise<boolean>) | undefined;
  /** Whether it is missing because retention dropped it. Default: false. */
  readonly isOpeningDropped?: boolean | undefined;
}

interface VerificationOutcome {
  /** The version of the evaluation that the record names; undefined when it can not be read. */
  readonly evaluation: number | undefined;
  /** From the record; undefined when it can not be read. */
  readonly decisionId: string | undefined;
  readonly verdict: Verdict | undefined;
  /** The result in one sentence, for a person. */
  readonly sentence: string;
  /** Parts that could not be evaluated again, although nothing is wrong with them. */
  readonly notEvaluable: readonly NotEvaluableCode[];
}

/** `not_evaluable`: nothing is wrong, but not everything could be evaluated again. */
export type VerifiedDecision =
  | (VerificationOutcome & { readonly status: 'verified' | 'not_evaluable' })
  | (VerificationOutcome & { readonly status: 'failed'; readonly failures: readonly DecisionFailure[] });

export interface DecisionVerifier {
  verify(evidence: DecisionEvidence): Promise<VerifiedDecision>;
}

/** A large set takes about 50 MB with its lexicon; decisions sorted by time rarely switch between sets. */
const MAX_SETS = 4;

/** @param facts of a decision; earlier versions treated missing facts differently */
type EvaluatorFor = (facts: Facts) => Evaluator;

type LoadedSet = { readonly evaluatorFor: EvaluatorFor } | { readonly failure: DecisionFailure };

/** Facts hold what was read, so that a lexicon, which texts are read by, is not needed to evaluate them again. */
const noLexicon = (): undefined => undefined;

export interface VerifierDeps {
  /** The set with this digest, if this process has loaded it already. Absent: each set is loaded from its text. */
  readonly loadedSet?: ((digest: string) => PolicySet | undefined) | undefined;
  /** The version of the evaluation of this service. Default: EVALUATION. */
  readonly evaluation?: number;
}

export function createDecisionVerifier(deps: VerifierDeps = {}): DecisionVerifier {
  const present = deps.evaluation ?? EVALUATION;
  const sets = new BoundedCache<LoadedSet>({ max: MAX_SETS });
  /** By text, because hashing a set with its lexicon costs as much as evaluating a decision. */
  const digests = new BoundedCache<string>({ max: MAX_SETS });
  const digestOf = (text: string): string => {
    const known = digests.get(text) ?? createHash('sha256').update(text).digest('hex');
    digests.set(text, known);
    return known;
  };
  const [ledgerOf, haltsOf, approvalsOf, keysOf, setsOf] = [
    onceFor(historyOf),
    onceFor(readHalts),
    onceFor(readApprovals),
    onceFor(readKeys),
    onceFor(readPolicySets),
  ];

  const load = (text: string, digest: string): LoadedSet => {
    const known = deps.loadedSet?.(digest);
    const loaded =
      known === undefined ? loadCanonicalSet(text, { compileLexicon: noLexicon }) : { ok: true as const, set: known };
    // No memoization between decisions, so that json-rules-engine evaluates each of them.
    if (loaded.ok) {
      const usual = createEvaluator({ set: loaded.set, memoLimit: 0 });
      const earlier = createEvaluator({ set: loaded.set, memoLimit: 0, missingOpens: 'everything' });
      return { evaluatorFor: (facts) => (isBeforeBinding(facts) ? earlier : usual) };
    }
    const why = loaded.findings.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; ');
    return { failure: { code: 'POLICY_SET_REFUSED', sentence: `The policy set can not be loaded: ${why}.` } };
  };

  const evaluatorOf = async (
    { body }: DecisionRecord,
    { policySet: text, wasInForce }: DecisionEvidence,
    report: Report,
  ): Promise<EvaluatorFor | undefined> => {
    const { digest } = body.policy_set;
    if (text === undefined) {
      fail(report, 'POLICY_SET_MISSING', `The policy set ${digest} is not there.`);
      return undefined;
    }
    const actual = digestOf(text);
    if (actual !== digest) {
      const sentence = `The policy set has the digest ${actual}; the decision names ${digest}.`;
      fail(report, 'POLICY_SET_DIGEST', sentence);
      return undefined;
    }
    let set = sets.get(actual);
    if (set === undefined) {
      set = load(text, actual);
      sets.set(actual, set);
    }
    if ('evaluatorFor' in set) return set.evaluatorFor;
    // A set that was never in force must not excuse what was decided in its name.
    if ((await wasInForce?.()) === true) report.notEvaluable.push('POLICY_SET_OF_OTHER_VERSION');
    else report.failures.push(set.failure);
    return undefined;
  };

  return {
    async verify(evidence) {
      const report: Report = { failures: [], notEvaluable: [] };
      const read = readDecisionRecord(evidence.record, present);
      if (!isAsLogged(evidence.record))
        fail(report, 'RECORD_ALTERED', 'The record is not the one that the log has hashed.');
      if ('why' in read && read.later !== undefined) {
        report.notEvaluable.push('OTHER_VERSION');
        return { ...outcomeOf(undefined, report), evaluation: read.later };
      }
      if ('why' in read) {
        fail(report, 'RECORD_NOT_CANONICAL', `The record ${read.why}.`);
        return outcomeOf(undefined, report);
      }
      const { body, record } = read;
      if (evidence.columns !== undefined) checkColumns(evidence.columns, read, report);
      checkAnswer(read, report);
      const facts = evidence.facts === undefined ? undefined : readFacts(evidence.facts, read, report);
      if (evidence.facts === undefined) report.notEvaluable.push('FACTS_ERASED');
      if (facts !== undefined) checkAgreement(facts, read, report);
      const evaluatorFor = await evaluatorOf(read, evidence, report);
      const evaluation =
        facts !== undefined && evaluatorFor !== undefined
          ? await evaluateAgain(facts, read, evaluatorFor(facts), report)
          : undefined;

      const owner = { ...record.payload, agentId: record.agentId };
      const { trustRecords, trustLedger, haltRecords, approvalRecords, keyRecords, policyRecords } = evidence;
      if (policyRecords !== undefined) checkInForce(read, setsOf(policyRecords, owner), report);
      const history = approvalRecords && approvalsOf(approvalRecords, owner);
      if (evaluation !== undefined && opensApproval(body, history))
        checkEscalation(evaluation.escalation, body, report);
      if (trustLedger !== undefined || trustRecords !== undefined || body.trust.as_of.signals === 0) {
        const ledger = await (trustLedger?.(owner) ?? ledgerOf(trustRecords ?? NONE, owner));
        await checkTrust(read, ledger, facts, report);
      } else report.notEvaluable.push('TRUST_RECORDS_NOT_GIVEN');

      const special = specialOf(body.reasons);
      if (haltRecords !== undefined) {
        // An aborted evaluation reads nothing, not even halts.
        if (special?.kind !== 'failed')
          checkHalts(
            read,
            haltsOf(haltRecords, owner),
            special?.kind === 'halted' ? special.reason : undefined,
            report,
          );
      } else if (special?.kind === 'halted') report.notEvaluable.push('HALT_RECORDS_NOT_GIVEN');
      const named = special !== undefined && 'approvalId' in special ? special : undefined;
      if (named !== undefined && history !== undefined) {
        const isOpeningDropped = evidence.isOpeningDropped === true;
        const known = { opening: evidence.opening, isOpeningDropped, facts };
        if (named.kind === 'used' && isOpeningDropped) report.notEvaluable.push('APPROVAL');
        if (named.kind === 'used') checkApproval(read, history, named, known, report);
        else if (!checkRefusal(read, history, named, known, report)) report.notEvaluable.push('APPROVAL');
        const asked = openingOf(read, evidence.opening, named.approvalId);
        const decided = decidedOf(history, named.approvalId);
        if (asked !== undefined && decided !== undefined) {
          const keys = keyRecords && keysOf(keyRecords, owner);
          checkHands(keys, { approvalId: named.approvalId, askedBy: asked.key_id, ...decided }, report);
          // Earlier versions did not compare an approval with what the policies demanded at its use.
          const escalation = namesItsOwnApproval(asked) ? evaluation?.escalation : undefined;
          const logged = history.approvals.get(named.approvalId);
          if (named.kind === 'used') checkQuorum({ asked, used: body, escalation }, logged, keys, report);
        }
      } else if (named !== undefined) report.notEvaluable.push('APPROVAL_RECORDS_NOT_GIVEN');
      // Without its facts nothing of its verdict can be evaluated, which is already reported.
      else if (special?.kind === 'refused' && facts !== undefined) report.notEvaluable.push('APPROVAL');
      return outcomeOf(read, versionOf(read) === present ? report : ofOtherVersion(report));
    },
  };
}

const versionOf = ({ body }: DecisionRecord): number => body.evaluation ?? FIRST_EVALUATION;

/** What differs in a decision of another version may do so because the versions differ. */
function ofOtherVersion({ failures, notEvaluable }: Report): Report {
  const remaining = failures.filter(({ code }) => IN_ANY_VERSION.includes(code));
  if (remaining.length === failures.length) return { failures, notEvaluable };
  return { failures: remaining, notEvaluable: [...notEvaluable, 'OTHER_VERSION'] };
}

const NONE: readonly LoggedRecord[] = [];

/** A reader of records that runs once for each array, because many decisions share the records of their agent and log. */
function onceFor<T>(
  read: (records: readonly LoggedRecord[], owner: ChangeOwner) => T,
): (records: readonly LoggedRecord[], owner: ChangeOwner) => T {
  const known = new WeakMap<readonly LoggedRecord[], T>();
  return (records, owner) => {
    const result = known.get(records) ?? read(records, owner);
    known.set(records, result);
    return result;
  };
}

/** Decisions that the service makes independently of policies. */
export type Special =
  | { readonly kind: 'halted'; readonly reason: string }
  | ApprovalMention
  | { readonly kind: 'failed' | 'key_invalid'; readonly evaluation: Evaluation };

export function specialOf(reasons: readonly BodyReason[]): Special | undefined {
  const mention = approvalMentionOf(reasons);
  if (mention !== undefined) return mention;
  const [reason] = reasons;
  if (reasons.length !== 1 || reason === undefined || reason.policy !== BUILT_IN_POLICY || reason.effect !== 'DENY')
    return undefined;
  const { code } = reason;
  const halt = haltReasonOf(reason);
  if (halt !== undefined) return { kind: 'halted', reason: halt };
  if (code !== 'EVALUATION_FAILED' && code !== 'ENGINE_INCOMPLETE' && code !== 'KEY_INVALID') return undefined;
  const evaluation = builtInEvaluation(code);
  const kind = code === 'KEY_INVALID' ? 'key_invalid' : 'failed';
  return same(evaluation.reasons, reasons) ? { kind, evaluation } : undefined;
}

async function evaluateAgain(
  facts: Facts,
  { body }: DecisionRecord,
  evaluator: Evaluator,
  report: Report,
): Promise<Evaluation> {
  const { risk: recordedRisk, ...intent } = facts.intent;
  const gathered: RiskFacts = { ...facts, intent };
  const risk = await evaluator.assessRisk(gathered);
  if (!same(risk, recordedRisk)) {
    if (isUnknownRisk(recordedRisk)) report.notEvaluable.push('EVALUATION_FAILED');
    else
      fail(report, 'RISK_DIFFERS', `The recorded risk is ${shown(recordedRisk)}; the policy set finds ${shown(risk)}.`);
  }
  const special = specialOf(body.reasons);
  // Uses the recorded risk, because the verdict was based on it.
  const evaluation =
    special?.kind === 'used'
      ? await evaluator.evaluateApproved(facts, special.reason)
      : await evaluator.evaluate(facts);
  checkBudgets(evaluation, facts, body, report);
  compareAnswer(evaluation, special, body, report);
  return evaluation;
}

function compareAnswer(
  evaluation: Evaluation,
  special: Special | undefined,
  body: DecisionRecord['body'],
  report: Report,
): void {
  const { escalation: _, charges: __, ...answered } = evaluation;
  const recorded = { verdict: body.verdict, reasons: body.reasons, obligations: body.obligations };
  if (same(answered, recorded)) return;
  if (special === undefined || special.kind === 'used') return compare(evaluation, body, report);
  if (special.kind === 'failed' && !report.notEvaluable.includes('EVALUATION_FAILED'))
    report.notEvaluable.push('EVALUATION_FAILED');
  if (special.kind === 'key_invalid') report.notEvaluable.push('KEY_INVALID');
  // Some denials take precedence over any approval, whichever was named.
  if (special.kind === 'refused' && standsFirst(evaluation)) return compare(evaluation, body, report);
  // Each of these is a DENY without obligations, independent of the policies.
  compare({ verdict: 'DENY', reasons: body.reasons as Evaluation['reasons'], obligations: [] }, body, report);
}

/** A permission by rules with budgets must have read each of them, with the amount and limit that follow from facts and policies. */
function checkBudgets(evaluation: Evaluation, { budgets }: Facts, body: DecisionRecord['body'], report: Report): void {
  const wrong = (sentence: string): void => fail(report, 'BUDGETS_DIFFER', sentence);
  const left = budgets && budgetsLeft(budgets, isCharged(evaluation) && permits(body.verdict));
  if (!same(body.budgets, left))
    wrong(`The answer has the budgets ${shown(body.budgets)}; its facts make them ${shown(left)}.`);
  if (!permits(body.verdict)) return;
  for (const charge of evaluation.charges ?? []) {
    const known = budgets?.[charge.name];
    const expected = known && budgetFact(charge, toMillionths(known.used) ?? 0);
    if (known === undefined || !same(known, expected))
      wrong(
        `The budget ${quoted(charge.name)} is recorded as ${shown(known)}; the policy set counts ${shown(expected)}.`,
      );
  }
}

function compare(evaluation: Evaluation, body: DecisionRecord['body'], report: Report): void {
  if (evaluation.verdict !== body.verdict)
    fail(
      report,
      'VERDICT_DIFFERS',
      `The recorded verdict is ${body.verdict}; the policy set reaches ${evaluation.verdict} (${evaluation.reasons.map(({ code }) => code).join(', ')}).`,
    );
  if (!same(evaluation.reasons, body.reasons))
    fail(
      report,
      'REASONS_DIFFER',
      `The recorded reasons are ${shown(body.reasons)}; the policy set gives ${shown(evaluation.reasons)}.`,
    );
  if (!same(evaluation.obligations, body.obligations))
    fail(
      report,
      'OBLIGATIONS_DIFFER',
      `The recorded obligations are ${shown(body.obligations)}; the policy set asks for ${shown(evaluation.obligations)}.`,
    );
}

function outcomeOf(read: DecisionRecord | undefined, { failures, notEvaluable }: Report): VerifiedDecision {
  const decisionId = read?.body.decision_id;
  const verdict = read?.body.verdict;
  const known = { decisionId, verdict, notEvaluable, evaluation: read && versionOf(read) };
  if (failures.length > 0)
    return { ...known, status: 'failed', failures, sentence: failures.map(({ sentence }) => sentence).join(' ') };
  if (notEvaluable.length > 0)
    return { ...known, status: 'not_evaluable', sentence: notEvaluable.map((code) => NOT_EVALUABLE[code]).join(' ') };
  return { ...known, status: 'verified', sentence: read === undefined ? '' : praiseOf(read.body) };
}

function praiseOf({ reasons, verdict, policy_set: { digest }, trust }: DecisionRecord['body']): string {
  const { signals, day } = trust.as_of;
  const evidence = signals === 0 ? 'no signals' : `the first ${signals} logged signals`;
  const special = specialOf(reasons);
  const led = `its facts lead to ${verdict} under the policy set ${digest.slice(0, 12)}`;
  const because =
    special?.kind === 'halted'
      ? 'it says HALTED, and a logged halt was in force'
      : special?.kind === 'used'
        ? `${led} and the logged approval ${special.approvalId}, which nothing else has used`
        : special?.kind === 'refused'
          ? `it says ${special.code}, and so do the log's records of the approval`
          : led;
  return `The record holds: ${because}; ${evidence} give its trust on ${day}.`;
}
