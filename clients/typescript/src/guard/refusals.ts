// Refusals in words, which models can be shown: what was refused, why, and what can be done about it.
import { type ErrorOptions, RefusedError } from '../errors.ts';
import type { Decision } from '../types.ts';
import type { FixedQuestion } from './question.ts';

type Named = Pick<FixedQuestion<object>, 'server' | 'name'>;

/** Texts of policies and approvers come from outside: invisible characters are escaped. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);

const headOf = ({ server, name }: Named): string =>
  printable(`Custos did not permit this call of the tool ${JSON.stringify(name)} of ${JSON.stringify(server)}.`);

function because({ reasons, approval }: Decision): string {
  const texts = reasons.map(({ code, message }) => `${printable(message)} (${printable(code)})`);
  const why = texts.length === 0 ? 'no reason was given' : texts.join('; ');
  return approval === undefined ? why : `a human has to approve it, because ${why}`;
}

/** There is no decision; the same call may be permitted later. */
export function withoutDecision(
  question: Named,
  why: string,
  options: ErrorOptions & { approvalId?: string | undefined } = {},
) {
  const message = `${headOf(question)} It was not carried out, because nothing runs without a decision. ${printable(why)}`;
  return new RefusedError(message, { ...options, verdict: null });
}

/** The call was made, and the caller does not get what came of it. Without a cause, which may contain that. */
export function withheld({ name }: Named, decision: Decision, why: string): RefusedError {
  const { verdict, reasons, decisionId } = decision;
  const message = printable(`The tool ${JSON.stringify(name)} has run, but ${why}. Decision ${decisionId}.`);
  return new RefusedError(message, { verdict, reasons, decisionId, hasRun: true });
}

/** The decision does not permit the call. @param why instead of the decision's reasons */
export function refused(question: Named, decision: Decision, why?: string, options: ErrorOptions = {}): RefusedError {
  const { verdict, reasons, decisionId } = decision;
  const approvalId = decision.approval?.approvalId;
  const waiting = approvalId === undefined ? '' : ` The approval is ${printable(approvalId)}.`;
  const message = `${headOf(question)} It was not carried out: ${why === undefined ? because(decision) : printable(why)}. Decision ${printable(decisionId)}.${waiting}`;
  return new RefusedError(message, { ...options, verdict, reasons, decisionId, approvalId });
}
