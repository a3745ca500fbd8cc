// A guard's stdio session in memory: input and output are lines of text, the test supplies decisions and moves the clock.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../cli/mcp-guard/clock.ts';
import type { ApprovalStatus, Custos } from '../../cli/mcp-guard/custos.ts';
import { type Allowed, type Attempt, type Question, readDecision, type Ruling } from '../../cli/mcp-guard/decision.ts';
import { Guard } from '../../cli/mcp-guard/guard.ts';
import type { HideDenied } from '../../cli/mcp-guard/hiding.ts';
import type { CallReport } from '../../cli/mcp-guard/reports.ts';
import { newState, Session } from '../../cli/mcp-guard/session.ts';
import { StdioSession } from '../../cli/mcp-guard/stdio-session.ts';
import { type Asked, decisionFor } from './fake-custos.ts';

export const AGENT = 'agent-7';
export const SERVER = 'files';

/** A clock that only `sleep` advances. Each sleep ends after one turn of the event loop. */
export function quickClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    dateMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
      await turn();
    },
  };
}

/** Waits until everything that needs no further input has run. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

export type Verdict = 'ALLOW' | 'DENY' | 'ESCALATE' | 'DEGRADE';

/** Members of a decision; 'away': the service cannot be reached. */
export type Answer = { readonly verdict: Verdict; readonly [member: string]: unknown } | 'away';

export interface GuardSessionOptions {
  readonly answer?: (question: Question, approvalId: string | undefined) => Answer | Promise<Answer>;
  readonly approval?: (id: string) => ApprovalStatus;
  /** Whether the service can't be reached now. */
  readonly isAway?: () => boolean;
  /** Decides instead of `answer` and `approval`. */
  readonly custos?: Pick<Custos, 'ask' | 'approval'>;
  readonly clock?: Clock;
  /** Default: SERVER */
  readonly server?: string;
  readonly waitMs?: number;
  readonly hide?: HideDenied;
  /** The tools that the server returns to the guard's own list request. */
  readonly tools?: () => readonly object[];
}

export interface GuardSession {
  readonly stdio: StdioSession;
  readonly session: Session;
  /** Lines received by the client and by the server, without line ends and without the guard's own list requests. */
  readonly client: string[];
  readonly server: string[];
  /** Ids of the guard's own list requests. */
  readonly ownLists: unknown[];
  readonly asked: {
    readonly question: Question;
    readonly approvalId: string | undefined;
    readonly attemptId: string;
  }[];
  /** Permitted requests by decision id. */
  readonly permitted: Map<string, Question>;
  readonly reports: CallReport[];
  /** Ids of decisions that permitted a call which was not forwarded. */
  readonly unused: string[];
  readonly logs: string[];
  fromClient(message: unknown): void;
  fromServer(message: unknown): void;
}

export function startGuardSession(options: GuardSessionOptions = {}): GuardSession {
  const { answer = (): Answer => ({ verdict: 'ALLOW' }), approval, waitMs = 60_000, hide, tools = () => [] } = options;
  const [client, server, logs]: [string[], string[], string[]] = [[], [], []];
  const asked: GuardSession['asked'] = [];
  const ownLists: unknown[] = [];
  const reports: CallReport[] = [];
  const permitted = new Map<string, Question>();
  const unused: string[] = [];
  /** Of the request that made a decision, by decision id. */
  const requestIds = new Map<string, string>();
  /** Answers by Idempotency-Key. */
  const answered = new Map<string, unknown>();
  const ask = async (question: Question, attempt: Attempt): Promise<Ruling> => {
    const { id, approvalId } = attempt;
    asked.push({ question, approvalId, attemptId: id });
    const n = asked.length;
    if (options.isAway?.() === true) return { kind: 'none', sentence: 'Custos could not be reached.' };
    if (answered.has(id))
      return readDecision(question, attempt, { body: answered.get(id), requestId: null, clockAheadMs: 0 });
    const said = await answer(question, approvalId);
    if (said === 'away') return { kind: 'none', sentence: 'Custos could not be reached.' };
    const { call, agentId, server: name } = question;
    const body: Asked = {
      agent_id: agentId,
      tool: { server: name, name: call.name, arguments: { ...call.arguments } },
    };
    // The service returns the same decision again only for the same request.
    const same = said['decision_id'] === 'dec_same' ? { decision_id: `dec_${call.name}_${call.argumentsDigest}` } : {};
    const decision = decisionFor(body, `dec_${n}`, { ...said, ...same });
    const decisionId = String(decision['decision_id']);
    const requestId = requestIds.get(decisionId) ?? id;
    requestIds.set(decisionId, requestId);
    const isAbout = decision['agent_id'] === agentId && decision['dry_run'] === undefined && !('tool' in said);
    if (decision['allowed'] === true && isAbout && !permitted.has(decisionId)) permitted.set(decisionId, question);
    const answerBody: unknown = JSON.parse(JSON.stringify({ request_id: requestId, ...decision }));
    answered.set(id, answerBody);
    return readDecision(question, attempt, { body: answerBody, requestId: null, clockAheadMs: 0 });
  };
  const custos: Pick<Custos, 'ask' | 'approval'> = options.custos ?? {
    ask,
    approval: async (id) => approval?.(id) ?? { kind: 'status', status: 'pending' },
  };
  const clock = options.clock ?? quickClock();
  const log = (line: string): void => void logs.push(line);
  const guard = new Guard({
    agentId: AGENT,
    server: options.server ?? SERVER,
    custos,
    clock,
    waitMs,
    newId: randomUUID,
  });
  const reporter = {
    called: (report: CallReport): void => void reports.push(report),
    notCalled: ({ decisionId }: Allowed): void => void unused.push(decisionId),
  };
  const session = new Session({ reporter, hide, log, state: newState() });
  const fromClient = new Set<string>();
  const stdio = new StdioSession({
    guard,
    session,
    log,
    newId: randomUUID,
    ends: {
      toClient: (line) => void client.push(line.toString('utf8').replace(/\r?\n$/, '')),
      toServer: (line) => {
        const text = line.toString('utf8').replace(/\r?\n$/, '');
        if (!text.includes('"method":"tools/list"') || fromClient.has(text)) return void server.push(text);
        const { id } = JSON.parse(text) as { id: unknown };
        ownLists.push(id);
        const list = { jsonrpc: '2.0', id, result: { tools: tools() } };
        setImmediate(() => stdio.fromServer(Buffer.from(`${JSON.stringify(list)}\n`)));
      },
    },
  });
  const lineOf = (message: unknown): Buffer =>
    Buffer.from(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return {
    stdio,
    session,
    client,
    server,
    ownLists,
    asked,
    permitted,
    reports,
    unused,
    logs,
    fromClient: (message) => {
      const line = lineOf(message);
      fromClient.add(line.toString('utf8').trim());
      stdio.fromClient(line);
    },
    fromServer: (message) => stdio.fromServer(lineOf(message)),
  };
}
