// Decides one tool call: asks Custos, waits for a human where one is needed, and keeps obligations. No permission without a decision.
import { ApiError, CancelledError, CustosError, TimeoutError } from '../errors.ts';
import type { Http } from '../http.ts';
import { buildCancelledError, type Runtime, startTimer } from '../runtime.ts';
import type { ApprovalDetail, Decision, JsonObject } from '../types.ts';
import { waitUntil } from '../wait.ts';
import { readDecision } from './decision.ts';
import { keepObligations, type ObligationHandlers } from './obligations.ts';
import { Permission } from './permission.ts';
import { bodyOf, type FixedQuestion, fixQuestion, type ToolQuestion } from './question.ts';
import { refused, withoutDecision } from './refusals.ts';
import { createReporter, type ReportOptions } from './reports.ts';
import { createValidity } from './validity.ts';

export type { ToolQuestion } from './question.ts';

export interface AuthorizeOptions<Args extends object = JsonObject> extends ReportOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the call waits for a human. 0: it is refused at once, with the approval's id. Default: 300. */
  readonly waitSeconds?: number | undefined;
  /** An approval of an earlier attempt, which a human has given meanwhile. */
  readonly approvalId?: string | undefined;
  /** Handlers of obligations, by type. A decision with an obligation that has none is a refusal. */
  readonly obligations?: ObligationHandlers<Args> | undefined;
}

/** Options of `guard`: the question without its arguments, and how it is asked. */
export type GuardOptions<Args extends object = JsonObject> = Omit<ToolQuestion, 'arguments'> &
  Omit<AuthorizeOptions<Args>, 'signal' | 'approvalId'>;

const DEFAULT_WAIT_SECONDS = 300;
/** The answer to the first question may belong to another request, or its decision may not stand any more. */
const MAX_QUESTIONS = 2;
const DECISION_LAPSED = 'E5004';

interface Asked {
  readonly decision: Decision;
  /** Since the question was sent. */
  readonly ageMs: () => number;
}

export function createGuard({ http, runtime }: { readonly http: Http; readonly runtime: Runtime }) {
  const reporter = createReporter(http);

  /** One decision about the question. Each question has a new id, which is its Idempotency-Key and X-Request-Id. */
  const ask = async (
    question: FixedQuestion<object>,
    approvalId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Asked> => {
    const body = bodyOf(question, approvalId);
    let cause: unknown;
    for (let asked = 0; asked < MAX_QUESTIONS; asked += 1) {
      const id = runtime.newId();
      const ageMs = startTimer(runtime);
      try {
        const options = { signal, idempotencyKey: id, requestId: id };
        const answer = await http.send({ operation: 'POST /v1/enforce', body }, options);
        const decision = readDecision(question, id, answer);
        if (decision !== undefined) return { decision, ageMs };
        cause = new CustosError('The answer is not a decision about this call, or was made for another request.');
      } catch (error) {
        if (error instanceof CancelledError) throw error;
        cause = error;
        if (!(error instanceof ApiError) || error.code !== DECISION_LAPSED) break;
      }
    }
    throw withoutDecision(question, cause instanceof Error ? cause.message : String(cause), { cause, approvalId });
  };

  /** Waits until the approval of an ESCALATE is given. @throws {RefusedError} when it is not */
  const waitForApproval = async (
    question: FixedQuestion<object>,
    decision: Decision,
    { waitSeconds = DEFAULT_WAIT_SECONDS, signal }: Pick<AuthorizeOptions, 'waitSeconds' | 'signal'>,
  ): Promise<string> => {
    const approvalId = decision.approval?.approvalId;
    // Also for NaN.
    if (approvalId === undefined || !(waitSeconds > 0)) throw refused(question, decision);
    let state: ApprovalDetail;
    try {
      state = await waitUntil<ApprovalDetail>(
        { http, runtime },
        'GET /v1/approvals/{id}',
        approvalId,
        ({ status }) => status !== 'pending',
        { timeoutMs: waitSeconds * 1_000, signal },
      );
    } catch (cause) {
      if (cause instanceof CancelledError) throw cause;
      if (cause instanceof TimeoutError) throw refused(question, decision, 'no human has decided in time', { cause });
      const why = cause instanceof Error ? cause.message : String(cause);
      throw withoutDecision(question, why, { cause, approvalId });
    }
    // Whether an approval that is used can be used by this call is up to the service.
    if (state.status === 'approved' || state.status === 'used') return approvalId;
    const reason = typeof state.reason === 'string' ? `: ${state.reason}` : '';
    throw refused(question, decision, `its approval is ${state.status}${reason}`);
  };

  return {
    async authorize<Args extends object = JsonObject>(
      given: ToolQuestion<Args>,
      options: AuthorizeOptions<Args> = {},
    ): Promise<Permission<Args>> {
      const { signal, obligations = {} } = options;
      if (signal?.aborted === true) throw buildCancelledError(signal);
      let question: FixedQuestion<Args>;
      try {
        question = fixQuestion(given);
      } catch (cause) {
        throw withoutDecision(given, `The call can't be judged: ${String(cause)}.`, { cause });
      }
      let asked = await ask(question, options.approvalId, signal);
      if (asked.decision.verdict === 'ESCALATE')
        asked = await ask(question, await waitForApproval(question, asked.decision, options), signal);
      const { decision, ageMs } = asked;
      if (!decision.allowed) throw refused(question, decision);
      let permission: Permission<Args>;
      try {
        const kept = await keepObligations(decision, question.arguments, obligations);
        const validity = createValidity({ http, runtime }, decision, ageMs);
        permission = new Permission({ question, decision, kept, validity, reporter, options });
      } catch (cause) {
        void reporter.notCalled(question, decision, options);
        throw refused(question, decision, cause instanceof Error ? cause.message : String(cause), { cause });
      }
      // Handlers of obligations may take their time.
      await permission.confirm();
      return permission;
    },
    flush: reporter.flush,
  };
}
