// Serializes a decision: the answer and the canonical record for the log, in one pass.
import { Buffer } from 'node:buffer';
import { createHash, hash, randomFillSync } from 'node:crypto';
import { flatText } from '../../kernel/flat-text.ts';
import type { ApproverDemand } from '../policy/approvers.ts';
import type { BudgetLeft } from '../policy/budget.ts';
import type { Evaluation, Facts } from '../policy/types.ts';
import { EVALUATION, FIRST_EVALUATION } from '../policy/evaluation-version.ts';
import { canonicalize } from '../proof/canonical.ts';
import { recordDigest } from '../proof/record.ts';
import { unpackRecord } from './packed-record.ts';

/** Validity of a decision. */
export const DECISION_TTL_MS = 3_600_000;

/** The members of a normalized intent that a decision repeats. */
export function intentMember(intent: Facts['intent']): object {
  const { requested, normalized, domain, action, verb, resource, effect, traits, risk, parsed } = intent;
  const repeated = { normalized, domain, action, verb, resource, effect, traits, risk, parsed };
  return requested === undefined ? repeated : { requested, ...repeated };
}

/** JCS pieces of a request's facts; each is built once and reused while it does not change. */
export interface FactPieces {
  readonly agent: string;
  readonly context: string;
  readonly intent: string;
  readonly key: string;
  /** Absent when the registry has no attributes for it. */
  readonly resource?: string | undefined;
  /** Absent when the question is no tool call. */
  readonly tool?: string | undefined;
}

/** JCS of all facts (RFC 8785): sorted members with the prepared pieces spliced in. */
export function canonicalFacts(facts: Facts, pieces: FactPieces): string {
  const { budgets, client, history, organisation, time, trust, environment } = facts;
  const clientText = client === undefined ? '' : `"client":{"address":"${client.address}"},`;
  const budgetsFact = budgets === undefined ? '' : `"budgets":${canonicalize(budgets)},`;
  const resourceText = pieces.resource === undefined ? '' : `,"resource":${pieces.resource}`;
  return (
    `{"agent":${pieces.agent},${budgetsFact}${clientText}"context":${pieces.context},"environment":"${environment}"` +
    `,"history":${canonicalHistory(history)},"intent":${pieces.intent},"key":${pieces.key}` +
    `,"organisation":{"slug":"${organisation.slug}"}${resourceText}` +
    `,"time":{"date":"${time.date}","hour":${time.hour},"minute_of_day":${time.minute_of_day},"now":"${time.now}","weekday":${time.weekday}}${pieces.tool === undefined ? '' : `,"tool":${pieces.tool}`}` +
    `,"trust":${trustText(trust)}}`
  );
}

// Agents without signals share a few trust objects.
const trustTexts = new WeakMap<Facts['trust'], string>();

function trustText(trust: Facts['trust']): string {
  let text = trustTexts.get(trust);
  if (text === undefined) {
    text = flatText(canonicalize(trust));
    trustTexts.set(trust, text);
  }
  return text;
}

function canonicalHistory(history: Facts['history']): string {
  const counts = ({ ALLOW, DENY, ESCALATE, DEGRADE }: Facts['history']['last_1h']): string =>
    `{"ALLOW":${ALLOW},"DEGRADE":${DEGRADE},"DENY":${DENY},"ESCALATE":${ESCALATE}}`;
  return `{"last_1h":${counts(history.last_1h)},"last_24h":${counts(history.last_24h)},"last_60s":${counts(history.last_60s)}}`;
}

export interface DecisionParts {
  readonly decisionId: string;
  readonly keyId: string;
  /** As a canonical JSON string. */
  readonly agentId: string;
  readonly environment: string;
  readonly organisationSlug: string;
  readonly proofId: string;
  readonly evaluatedAtMs: number;
  readonly policyDigest: string;
  /** JCS of intentMember. */
  readonly intent: string;
  /** JCS of toolMember. Absent when the question is no tool call. */
  readonly tool?: string | undefined;
  readonly trust: Facts['trust'];
  /** X-Request-Id of the request that asked: ASCII without quotes and backslashes. Absent where no request is known. */
  readonly requestId?: string | undefined;
  /** The number of signals behind the trust score, and the UTC day for which it was computed. */
  readonly asOf: { readonly signals: number; readonly day: string };
  readonly evaluation: Evaluation;
  /** The version of the evaluation. Default: that of this service. */
  readonly evaluationVersion?: number | undefined;
  /** The approval that an ESCALATE opened. */
  readonly approval?:
    | {
        readonly approvalId: string;
        readonly expiresAtMs: number;
        readonly approvers?: readonly ApproverDemand[] | undefined;
      }
    | undefined;
  /** The budgets that were read, and whether the decision counts against them. Absent: none. */
  readonly budgets?: readonly BudgetLeft[] | undefined;
  /** JCS of all facts, and 16 random bytes. */
  readonly facts: string;
  readonly salt: Buffer;
}

export interface DecisionBytes {
  /** The answer, JSON, with the JSON text of a promise that the record will be in the log; undefined where nothing is promised. */
  readonly answer: (promise: string | undefined) => string;
  /** Canonical record without its previousHash: the text before `,"previousHash":"..."}`. */
  readonly record: string;
}

const SALT_BYTES = 16;
const salts = { pool: Buffer.alloc(SALT_BYTES * 256), at: SALT_BYTES * 256 };

/** 16 random bytes; requested from the system for many decisions at a time. */
export function newSalt(): Buffer {
  if (salts.at === salts.pool.length) {
    salts.pool = randomFillSync(Buffer.alloc(SALT_BYTES * 256));
    salts.at = 0;
  }
  salts.at += SALT_BYTES;
  return salts.pool.subarray(salts.at - SALT_BYTES, salts.at);
}

/** factsDigest = SHA-256(salt || JCS of all facts), lower-case hex. */
export function factsDigest(salt: Buffer, facts: string): string {
  if (3 * facts.length > SCRATCH.length - salt.length)
    return createHash('sha256').update(salt).update(facts).digest('hex');
  // One hash call on contiguous bytes costs less than half of feeding a hash object twice.
  salt.copy(SCRATCH);
  const end = salt.length + SCRATCH.write(facts, salt.length);
  return hash('sha256', SCRATCH.subarray(0, end), 'hex');
}

const SCRATCH = Buffer.allocUnsafeSlow(65_536);

let lastTimes = { atMs: Number.NaN, evaluatedAt: '', expiresAt: '' };

/** RFC 3339 texts of a decision's times; decisions of the same millisecond share them. */
function timesOf(atMs: number): { readonly evaluatedAt: string; readonly expiresAt: string } {
  if (lastTimes.atMs !== atMs) {
    lastTimes = {
      atMs,
      evaluatedAt: new Date(atMs).toISOString(),
      expiresAt: new Date(atMs + DECISION_TTL_MS).toISOString(),
    };
  }
  return lastTimes;
}

// A memoized evaluation is always the same object, so its texts can be cached by identity.
const evaluationTexts = new WeakMap<Evaluation, { obligations: string; reasons: string }>();

function textsOf(evaluation: Evaluation): { obligations: string; reasons: string } {
  let texts = evaluationTexts.get(evaluation);
  if (texts === undefined) {
    texts = {
      obligations: flatText(canonicalize(evaluation.obligations)),
      reasons: flatText(canonicalize(evaluation.reasons)),
    };
    evaluationTexts.set(evaluation, texts);
  }
  return texts;
}

/**
 * Serializes a decision. The body is JCS: `agent_id allowed approval? budgets? decision_id evaluated_at evaluation? expires_at factsDigest intent
 * key_id obligations policy_set reasons request_id? tool? trust verdict`; the answer is the same without evaluation and factsDigest, with `proof`.
 */
export function writeDecision(parts: DecisionParts): DecisionBytes {
  const { verdict } = parts.evaluation;
  const { obligations, reasons } = textsOf(parts.evaluation);
  const { trust, asOf, agentId } = parts;
  const { evaluatedAt, expiresAt } = timesOf(parts.evaluatedAtMs);
  const head =
    `{"agent_id":${agentId},"allowed":${verdict === 'ALLOW' || verdict === 'DEGRADE'}${approvalText(parts.approval)}${budgetsText(parts.budgets)}` +
    `,"decision_id":"${parts.decisionId}","evaluated_at":"${evaluatedAt}"`;
  const expires = `,"expires_at":"${expiresAt}"`;
  const requestText = parts.requestId === undefined ? '' : `,"request_id":"${parts.requestId}"`;
  const toolText = parts.tool === undefined ? '' : `,"tool":${parts.tool}`;
  const beforeProof = `,"intent":${parts.intent},"key_id":"${parts.keyId}","obligations":${obligations},"policy_set":{"digest":"${parts.policyDigest}"}`;
  const tail =
    `,"reasons":${reasons}${requestText}${toolText},"trust":{"as_of":{"day":"${asOf.day}","signals":${asOf.signals}}` +
    `,"claimed_level":${trust.claimed === null ? 'null' : trust.claimed.level},"effective_level":${trust.level}` +
    `,"recorded_level":${trust.recorded.level},"score":${trust.recorded.score},"uncertainty":${trust.uncertainty}}` +
    `,"verdict":"${verdict}"}`;
  const body = `${head}${versionText(parts.evaluationVersion)}${expires},"factsDigest":"${factsDigest(parts.salt, parts.facts)}"${beforeProof}${tail}`;
  const record =
    `{"agentId":${agentId},"eventType":"custos.decision","occurredAt":"${evaluatedAt}","payload":{"body":${body}` +
    `,"environment":"${parts.environment}","organisation":"${parts.organisationSlug}","proofId":"${parts.proofId}"}`;
  const answer: DecisionBytes['answer'] = (promise) =>
    `${head}${expires}${beforeProof},"proof":{${promise === undefined ? '' : `"promise":${promise},`}"proof_id":"${parts.proofId}"}${tail}`;
  return { answer, record };
}

function versionText(version: number = EVALUATION): string {
  return version === FIRST_EVALUATION ? '' : `,"evaluation":${version}`;
}

function budgetsText(budgets: DecisionParts['budgets']): string {
  return budgets === undefined ? '' : `,"budgets":${canonicalize(budgets)}`;
}

function approvalText(approval: DecisionParts['approval']): string {
  if (approval === undefined) return '';
  const { approvalId, expiresAtMs, approvers } = approval;
  const approversText = approvers === undefined ? '' : `,"approvers":${canonicalize(approvers)}`;
  return `,"approval":{"approval_id":"${approvalId}"${approversText},"expires_at":"${new Date(expiresAtMs).toISOString()}"}`;
}

/** Builds the promise of a stored decision again. */
export type PromiseAgain = (about: { proofId: string; recordDigest: string; issuedAtMs: number }) => object;

/**
 * Rebuilds the answer of a stored decision from its record: byte for byte the original answer, as long as the promise key is the same, and
 * except that the promise is signed alone here. @param stored the column `record`
 */
export function answerOfRecord(stored: Buffer, promiseOf?: PromiseAgain): string {
  const record = unpackRecord(stored);
  const { payload, occurredAt } = JSON.parse(`${record.toString('utf8')}}`) as {
    payload: { body: Record<string, unknown>; proofId: string };
    occurredAt: string;
  };
  const { evaluation: _, factsDigest: __, ...body } = payload.body;
  const { proofId } = payload;
  const promise = promiseOf?.({ proofId, recordDigest: recordDigest(record), issuedAtMs: Date.parse(occurredAt) });
  return canonicalize({ ...body, proof: { ...(promise === undefined ? {} : { promise }), proof_id: proofId } });
}
