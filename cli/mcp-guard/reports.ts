// Reports: a proof `tool.called` or `tool.not_called` for each permitted call, with digests only, and trust signals when asked for.
import type { Clock } from './clock.ts';
import type { Custos } from './custos.ts';
import type { Allowed } from './decision.ts';

/** `pending`: the server asks for input or made a task of it; `unanswered`: the session ended before an answer came. */
export type CallOutcome = 'success' | 'failure' | 'pending' | 'cancelled' | 'unanswered';

export interface CallReport {
  readonly allowed: Allowed;
  readonly outcome: CallOutcome;
  /** Absent without a result, and for one without canonical JSON. */
  readonly resultDigest: string | undefined;
}

interface Post {
  readonly path: string;
  readonly body: object;
}

export interface ReporterOptions {
  readonly custos: Pick<Custos, 'report'>;
  readonly clock: Clock;
  readonly withSignals: boolean;
  readonly log: (line: string) => void;
}

const MAX_WAITING = 10_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;
/** After the end of a session: enough when the service is available, and short for the client that waits for the exit. */
const GRACE_MS = 3_000;

export class Reporter {
  private readonly options: ReporterOptions;
  private readonly waiting: Post[] = [];
  private readonly stop = new AbortController();
  private sending: Promise<void> | undefined;
  private lost = 0;

  constructor(options: ReporterOptions) {
    this.options = options;
  }

  called({ allowed, outcome, resultDigest }: CallReport): void {
    const { question, decisionId } = allowed;
    const payload = {
      ...payloadOf(allowed),
      ...(resultDigest === undefined ? {} : { resultDigest }),
      outcome,
    };
    // The ids make a repetition after a lost answer count once. Each round of a call is called.
    const { rounds } = allowed.attempt;
    const proofId = `tool.called:${decisionId}${rounds === 0 ? '' : `:${rounds}`}`;
    this.post('/v1/proofs', { event: 'tool.called', entityId: question.agentId, payload, proofId });
    if (!this.options.withSignals || (outcome !== 'success' && outcome !== 'failure')) return;
    const { agentId, server, call } = question;
    const evidence = { decisionId, server, tool: call.name };
    this.post('/v1/trust/signals', { signalId: proofId, agentId, type: outcome, source: 'mcp-guard', evidence });
  }

  /** The call was permitted, and the server has not got it. */
  notCalled(allowed: Allowed): void {
    const proofId = `tool.not_called:${allowed.decisionId}`;
    const entityId = allowed.question.agentId;
    this.post('/v1/proofs', { event: 'tool.not_called', entityId, payload: payloadOf(allowed), proofId });
    // An earlier round of the call may have reached the server.
    if (allowed.hasBudgets && allowed.attempt.rounds === 0)
      this.post(`/v1/decisions/${allowed.decisionId}/outcome`, { outcome: 'not_carried_out' });
  }

  /** Resolves when everything is sent, or after a grace period; what is left is logged. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.stop.abort(), GRACE_MS);
    await this.sending;
    clearTimeout(timer);
    const unsent = this.waiting.length + this.lost;
    if (unsent > 0) this.options.log(`${unsent} reports of tool calls could not be delivered to Custos.`);
  }

  private post(path: string, body: object): void {
    if (this.waiting.length >= MAX_WAITING) {
      this.waiting.shift();
      this.lost += 1;
    }
    this.waiting.push({ path, body });
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  private async send(): Promise<void> {
    const { custos, clock, log } = this.options;
    let retryMs = FIRST_RETRY_MS;
    for (let [next] = this.waiting; next !== undefined && !this.stop.signal.aborted; [next] = this.waiting) {
      const answer = await custos.report(next.path, next.body);
      if (answer === 'later') {
        await clock.sleep(retryMs, this.stop.signal);
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
        continue;
      }
      retryMs = FIRST_RETRY_MS;
      // A full queue may have dropped it meanwhile.
      if (this.waiting[0] === next) this.waiting.shift();
      if (answer !== 'done') log(`A report to ${next.path} was refused. ${answer.refused}`);
    }
  }
}

function payloadOf({ question, decisionId }: Allowed): object {
  const { server, call, definitionDigest } = question;
  return {
    decisionId,
    server,
    tool: call.name,
    argumentsDigest: call.argumentsDigest,
    ...(definitionDigest === undefined ? {} : { definitionDigest }),
  };
}
