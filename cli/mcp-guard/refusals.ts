// Refusals in words, for the model that called the tool: what was refused, why, and what can be done about it.
import { printable } from '../../shared/core/proof/encoding.ts';
import type { DecisionReason } from './decision.ts';

const MAX_REASONS = 10;

/** "because A (CODE); B (CODE)". Texts of policies and of approvers come from outside. */
function because(reasons: readonly DecisionReason[]): string {
  const [shown, more] = [reasons.slice(0, MAX_REASONS), reasons.length - MAX_REASONS];
  const texts = shown.map(({ code, message }) => `${printable(message)} (${printable(code)})`);
  if (more > 0) texts.push(`and ${more} more`);
  return texts.length === 0 ? 'no reason was given' : texts.join('; ');
}

export class Refusals {
  private readonly server: string;

  constructor(server: string) {
    this.server = server;
  }

  /** A refusal by the guard itself, before or instead of a decision. */
  byGuard(tool: string, why: string): string {
    return `${this.head(tool)} It was not carried out: ${why.replace(/\.$/, '')}.`;
  }

  /** A request that can't be put as a question. */
  malformed(why: string): string {
    return `Custos did not permit this call of a tool of ${printable(JSON.stringify(this.server))}. It was not carried out: ${printable(why)}.`;
  }

  /** No decision could be had: the same call may be permitted later. */
  withoutDecision(tool: string, sentence: string): string {
    return `${this.head(tool)} It was not carried out, because nothing runs without a decision. ${sentence}`;
  }

  denied(tool: string, decisionId: string, reasons: readonly DecisionReason[]): string {
    return `${this.head(tool)} It was not carried out: ${because(reasons)}. Decision ${printable(decisionId)}.`;
  }

  degraded(tool: string, decisionId: string, why: string): string {
    return `${this.head(tool)} It is permitted only under conditions, and ${why}. It was not carried out. Decision ${printable(decisionId)}.`;
  }

  /** A human has to agree, and no approval could be opened. */
  withoutApproval(tool: string, decisionId: string, reasons: readonly DecisionReason[]): string {
    return `${this.head(tool)} A human would have to approve it, and no approval could be opened: ${because(reasons)}. Decision ${printable(decisionId)}.`;
  }

  notApprovedInTime(
    tool: string,
    approval: { readonly id: string; readonly expiresAt: string },
    reasons: readonly DecisionReason[],
  ): string {
    const id = printable(approval.id);
    return (
      `${this.head(tool)} A human has to approve it: ${because(reasons)}. Nobody has decided yet. ` +
      `The approval is ${id}, open until ${printable(approval.expiresAt)}; an operator sees it on the dashboard under Approvals, ` +
      `or with "custos approvals show ${id}". Once it is approved, call the tool again with the same arguments.`
    );
  }

  private head(tool: string): string {
    return `Custos did not permit this call of the tool ${printable(JSON.stringify(tool))} of ${printable(JSON.stringify(this.server))}.`;
  }
}

/** Shown to the person at the client while a call waits. */
export function waitingText(tool: string, approvalId: string, reasons: readonly DecisionReason[]): string {
  return `Waiting for a human to approve ${printable(JSON.stringify(tool))} (${printable(approvalId)}): ${because(reasons)}`;
}
