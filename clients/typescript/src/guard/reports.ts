// Reports of permitted calls: a proof with digests only, and a trust signal when asked for. They are sent in the background.
import type { Http, OperationName } from '../http.ts';
import { canonicalize, digestOf } from '../json.ts';
import type { Decision } from '../types.ts';
import type { FixedQuestion } from './question.ts';

export interface CallReport {
  readonly outcome: 'success' | 'failure';
  /** Reported as a digest, if JSON can represent it. */
  readonly result?: unknown;
}

export interface ReportOptions {
  /** Also reports the outcome as a trust signal of the agent. Default: false. */
  readonly reportSignals?: boolean | undefined;
  /** Is told of a report that could not be delivered. The guarded function's result does not depend on it. */
  readonly onReportError?: ((error: unknown) => void) | undefined;
}

export interface Reporter {
  called(question: FixedQuestion<object>, decision: Decision, report: CallReport, options: ReportOptions): void;
  /** The call was permitted and not carried out. @returns when that is delivered, or lost */
  notCalled(question: FixedQuestion<object>, decision: Decision, options: ReportOptions): Promise<void>;
  flush(): Promise<void>;
}

function resultDigestOf(result: unknown): string | undefined {
  try {
    return digestOf(canonicalize(result));
  } catch {
    return undefined;
  }
}

function payloadOf({ server, name, argumentsDigest, definitionDigest }: FixedQuestion<object>, decisionId: string) {
  return { decisionId, server, tool: name, argumentsDigest, definitionDigest };
}

export function createReporter(http: Http): Reporter {
  const pending = new Set<Promise<void>>();
  const post = (
    operation: OperationName,
    body: object,
    { onReportError }: ReportOptions,
    path: readonly string[] = [],
  ): Promise<void> => {
    const sending = http
      .send({ operation, path, body })
      .then(
        () => undefined,
        (error: unknown) => onReportError?.(error),
      )
      // An error of the callback has no caller that could receive it.
      .catch(() => undefined)
      .finally(() => pending.delete(sending));
    pending.add(sending);
    return sending;
  };
  return {
    called(question, decision, { outcome, result }, options) {
      const { agentId, server, name } = question;
      const { decisionId } = decision;
      // The id makes a repetition after a lost answer count once.
      const proofId = `tool.called:${decisionId}`;
      const resultDigest = outcome === 'success' ? resultDigestOf(result) : undefined;
      const payload = { ...payloadOf(question, decisionId), resultDigest, outcome };
      void post('POST /v1/proofs', { event: 'tool.called', entityId: agentId, proofId, payload }, options);
      if (options.reportSignals !== true) return;
      const evidence = { decisionId, server, tool: name };
      const signal = { signalId: proofId, agentId, type: outcome, source: 'client', evidence };
      void post('POST /v1/trust/signals', signal, options);
    },
    async notCalled(question, { decisionId, budgets }, options) {
      const proofId = `tool.not_called:${decisionId}`;
      const payload = payloadOf(question, decisionId);
      const proof = { event: 'tool.not_called', entityId: question.agentId, proofId, payload };
      const sent = [post('POST /v1/proofs', proof, options)];
      // Gives back what the decision counted against budgets.
      if (budgets !== undefined)
        sent.push(post('POST /v1/decisions/{id}/outcome', { outcome: 'not_carried_out' }, options, [decisionId]));
      await Promise.all(sent);
    },
    async flush() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
