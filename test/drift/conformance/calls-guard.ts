// Conformance cases: a guarded function. It runs only for a decision about its very question, and never twice.
import type { CallCase, CallStep, ExpectedRequests, ScriptedReply } from './call-case.ts';
import { GARBAGE } from './calls-faults.ts';

const GUARD = {
  agentId: 'agent-1',
  server: 'files',
  name: 'write_file',
  arguments: { path: '/a', mode: 420 },
  function: 'ok',
  waitSeconds: 10,
};
const RAN = { result: { ran: true, arguments: GUARD.arguments }, ran: 1 };
const APPROVAL = 'apr_01m7z6w78c5ardnz9csgncbv86';
const REDACT = { type: 'redact_fields', fields: ['email'] };
const ROWS = { type: 'max_rows', limit: 3 };

const decision = (body: object, more: Partial<ScriptedReply> = {}): ScriptedReply => ({
  when: 'POST /v1/enforce',
  status: 200,
  like: 'enforce',
  decision: true,
  body,
  ...more,
});
const ALLOW = decision({ verdict: 'ALLOW', allowed: true, obligations: [] });
const DENY = decision({ verdict: 'DENY', allowed: false, obligations: [] });
const degrade = (...obligations: readonly object[]) => decision({ verdict: 'DEGRADE', allowed: true, obligations });
const ESCALATE = decision({
  verdict: 'ESCALATE',
  allowed: false,
  obligations: [],
  approval: { approval_id: APPROVAL, expires_at: '2040-01-01T00:00:00.000Z' },
});
/** A decision that is valid for seconds only. The wall clock of the client is years away from them. */
const TIMES = { evaluated_at: '2031-01-01T00:00:00.000Z', expires_at: '2031-01-01T00:00:04.000Z' };
/** The scripted server counts requests; the first question is the first request. */
const OUTCOME_OF_FIRST = '/v1/decisions/dec_00000000000000000000000001/outcome';
const BUDGETS = [{ name: 'refunds', limit: 500, left: 380, window: '24h' }];
const REPORTED: readonly ScriptedReply[] = [
  { when: `POST ${OUTCOME_OF_FIRST}`, like: 'reportOutcome', status: 200 },
  { when: 'POST /v1/proofs', like: 'createProof', status: 202 },
  { when: 'POST /v1/trust/signals', like: 'sendTrustSignals', status: 202 },
];
const approval = (status: string): ScriptedReply => ({
  when: `GET /v1/approvals/${APPROVAL}`,
  like: 'getApproval',
  status: 200,
  body: { approvalId: APPROVAL, status },
});
const lapsed = (): ScriptedReply => ({
  when: 'POST /v1/enforce',
  status: 409,
  headers: { 'content-type': 'application/problem+json' },
  body: {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'E5004',
    category: 'conflict',
    retryable: false,
    detail: 'The decision does not stand any more.',
    instance: '/v1/enforce',
    requestId: 'r',
  },
});

const called = (outcome: 'success' | 'failure', count: ExpectedRequests['count'] = 1): ExpectedRequests => ({
  method: 'POST',
  path: '/v1/proofs',
  count,
  body: { event: 'tool.called', entityId: 'agent-1', payload: { server: 'files', tool: 'write_file', outcome } },
});
const NO_REPORT: ExpectedRequests = { method: 'POST', path: '/v1/proofs', count: 0 };
const askedTimes = (count: ExpectedRequests['count'], distinct?: number): ExpectedRequests => ({
  method: 'POST',
  path: '/v1/enforce',
  count,
  ...(distinct === undefined ? {} : { distinct }),
});

function guarded(
  name: string,
  replies: readonly ScriptedReply[],
  expect: CallStep['expect'],
  more: {
    readonly args?: Readonly<Record<string, unknown>>;
    readonly step?: Partial<CallStep>;
    readonly client?: CallCase['client'];
    readonly requests?: readonly ExpectedRequests[];
  } = {},
): CallCase {
  const { args = {}, step = {}, client, requests } = more;
  return {
    name: `guard: ${name}`,
    server: { replies: [...replies, ...REPORTED] },
    ...(client === undefined ? {} : { client }),
    steps: [{ call: 'guard', arguments: { ...GUARD, ...args }, ...step, expect }],
    ...(requests === undefined ? {} : { requests }),
  };
}

const refused = (verdict: string | null, more: object = {}): CallStep['expect'] => ({
  error: { type: 'refused', verdict, ...more },
  ran: 0,
});

/** An absence must not equal an absence: nothing shows for which request such a decision was made. */
const UNNAMED: readonly (readonly [name: string, requestId: string | null, header: string | null])[] = [
  ['with a request id of null, in an answer without one', null, null],
  ['with an empty request id, in an answer without one', '', null],
  ['with an empty request id, in an answer with an empty one', '', ''],
];

/** Answers that look like an ALLOW and are none for this question. */
function confused(): CallCase[] {
  const answers: Readonly<Record<string, object>> = {
    'another agent': { agent_id: 'agent-2' },
    'another tool': { tool: { name: 'read_file' } },
    'another server': { tool: { server: 'mail' } },
    'other arguments': { tool: { arguments_digest: `sha256:${'0'.repeat(64)}` } },
    'no tool': { tool: null },
    'a dry run': { dry_run: true },
    'no decision id': { decision_id: null },
    'ALLOW that is not allowed': { allowed: false },
    'ALLOW without allowed': { allowed: null },
    'DENY that is allowed': { verdict: 'DENY' },
    'ESCALATE that is allowed': { verdict: 'ESCALATE' },
    'DEGRADE without obligations': { verdict: 'DEGRADE', obligations: [] },
    'an unknown verdict': { verdict: 'PERMIT' },
    'a verdict in small letters': { verdict: 'allow' },
    'a verdict with a space': { verdict: 'ALLOW ' },
    'a verdict in a list': { verdict: ['ALLOW'] },
    'a verdict in an object': { verdict: { verdict: 'ALLOW' } },
    'its verdict one level deeper': { verdict: null, decision: { verdict: 'ALLOW', allowed: true, obligations: [] } },
    'allowed as a number': { allowed: 1 },
    'obligations that are no list': { obligations: {} },
    'obligations that are null': { obligations: null },
    'an obligation without a type': { obligations: [{}] },
    'an obligation that is null': { obligations: [null] },
    'an obligation whose type is null': { verdict: 'DEGRADE', obligations: [{ type: null }] },
    'an approval whose id is null': { verdict: 'ESCALATE', allowed: false, approval: { approval_id: null } },
    'a verdict that is null': { verdict: null },
    'an agent that is null': { agent_id: null },
    'a tool whose name is null': { tool: { name: null } },
    'reasons that are null': { reasons: null },
    'a reason whose message is null': { reasons: [{ code: 'READ_OPEN', message: null }] },
    'allowed as a text': { allowed: 'true' },
    'no expiry': { expires_at: null },
    'an expiry that is no time': { expires_at: 'soon' },
    'an empty decision id': { decision_id: '' },
    'an expiry that is a year': { expires_at: '2035' },
    'an expiry without a zone': { expires_at: '2035-01-01T00:00:00' },
    'an expiry of another form': { expires_at: 'Mon, 01 Jan 2035 00:00:00 GMT' },
    'an expiry without separators': { expires_at: '20350101T000000Z' },
    'an expiry that is a day of a week': { expires_at: '2035-W01-1T00:00:00Z' },
    'an expiry with a decimal comma': { expires_at: '2035-01-01T00:00:00,5Z' },
    'an expiry at the 24th hour': { expires_at: '2035-01-01T24:00:00Z' },
    'an expiry in a list': { expires_at: ['2035-01-01T00:00:00Z'] },
    'an evaluation that is a number': { evaluated_at: 1 },
    'a reason without a message': { reasons: [{ code: 'READ_OPEN' }] },
    'an expiry before its evaluation': { expires_at: TIMES.evaluated_at, evaluated_at: TIMES.expires_at },
  };
  /** Texts that readers of JSON understand in different ways. */
  const texts: Readonly<Record<string, string>> = {
    'a DENY before its ALLOW': '"verdict":"DENY","allowed":false',
    'a DENY before its ALLOW, with an escaped name': '"\\u0076erdict":"DENY"',
    'obligations before none': '"obligations":[{"type":"redact_fields","fields":["email"]}]',
    'a number that is none': '"note":1e400',
    'a word that is no number': '"note":NaN',
    'a comma too many': '',
    'an integer beyond 2^53': '"note":9007199254740993',
    'a lone surrogate': '"note":"\\ud800"',
  };
  const first = decision({ verdict: 'ALLOW', allowed: true, obligations: [], request_id: 'of-another-request' });
  return [
    ...Object.entries(answers).map(([name, body]) =>
      guarded(
        `refuses an answer with ${name}`,
        [decision({ verdict: 'ALLOW', allowed: true, obligations: [], ...body })],
        refused(null),
        { requests: [NO_REPORT] },
      ),
    ),
    ...Object.entries(texts).map(([name, before]) =>
      guarded(
        `refuses an answer with ${name}`,
        [decision({ verdict: 'ALLOW', allowed: true, obligations: [] }, { before })],
        refused(null),
        { requests: [NO_REPORT] },
      ),
    ),
    guarded(
      'refuses an answer with a byte order mark',
      [decision({ verdict: 'ALLOW', allowed: true, obligations: [] }, { prefix: '\ufeff' })],
      refused(null),
      { requests: [NO_REPORT] },
    ),
    guarded('asks once more when the decision was made for another request, and then refuses', [first], refused(null), {
      requests: [askedTimes(2, 2), NO_REPORT],
    }),
    ...UNNAMED.map(([name, request_id, header]) =>
      guarded(
        `refuses a decision ${name}`,
        [
          decision(
            { verdict: 'ALLOW', allowed: true, obligations: [], request_id },
            { headers: { 'x-request-id': header } },
          ),
        ],
        refused(null),
        { requests: [NO_REPORT] },
      ),
    ),
    ...[201, 202, 203, 206].map((status) =>
      guarded(`refuses a decision with the status ${status}`, [{ ...ALLOW, status }], refused(null), {
        requests: [NO_REPORT],
      }),
    ),
    ...['of-another-question', null].map((key) =>
      guarded(
        `refuses an earlier answer that a proxy repeats as a whole, with the Idempotency-Key ${key}`,
        [
          decision(
            { verdict: 'ALLOW', allowed: true, obligations: [], request_id: 'of-another-request' },
            { headers: { 'x-request-id': 'of-another-request', 'idempotency-key': key } },
          ),
        ],
        refused(null),
        { requests: [askedTimes(2, 2), NO_REPORT] },
      ),
    ),
    guarded('runs when the second answer is for its own request', [first, ALLOW], RAN, {
      requests: [askedTimes(2, 2), called('success')],
    }),
    guarded(
      'runs when a proxy has replaced the request id',
      [
        decision(
          { verdict: 'ALLOW', allowed: true, obligations: [], request_id: 'of-the-proxy' },
          { headers: { 'x-request-id': 'of-the-proxy' } },
        ),
      ],
      RAN,
      {
        requests: [askedTimes(1)],
      },
    ),
    guarded(
      'does not run on a decision that expires within seconds, by its own times',
      [decision({ verdict: 'ALLOW', allowed: true, obligations: [], ...TIMES })],
      refused('ALLOW', { decisionId: '*' }),
      {
        requests: [askedTimes(1), { method: 'POST', path: '/v1/proofs', count: 1, body: { event: 'tool.not_called' } }],
      },
    ),
    ...[-24, 24].map((hours) =>
      guarded(`runs with a wall clock that is ${hours} hours off`, [ALLOW], RAN, {
        client: { wallClockOffsetHours: hours },
        requests: [askedTimes(1), called('success')],
      }),
    ),
    guarded(
      'does not run on a decision that expires within seconds, with a wall clock that is a day behind',
      [decision({ verdict: 'ALLOW', allowed: true, obligations: [], ...TIMES })],
      refused('ALLOW', { decisionId: '*' }),
      { client: { wallClockOffsetHours: -24 } },
    ),
    guarded('asks once more when the decision no longer stands', [lapsed(), ALLOW], RAN, {
      requests: [askedTimes(2, 2), called('success')],
    }),
    guarded('refuses when the second decision no longer stands either', [lapsed()], refused(null), {
      requests: [askedTimes(2, 2), NO_REPORT],
    }),
  ];
}

function faults(): CallCase[] {
  const problem = (status: number, code: string): ScriptedReply => ({
    ...lapsed(),
    status,
    body: {
      status,
      code,
      detail: 'A problem.',
      title: 'A problem',
      type: 'about:blank',
      category: 'client',
      retryable: false,
      instance: '/',
      requestId: 'r',
    },
  });
  return [
    ...Object.entries(GARBAGE).map(([name, { reply }]) =>
      guarded(`refuses after ${name}`, [{ ...reply, when: 'POST /v1/enforce' }], refused(null), {
        requests: [askedTimes([1, 4]), NO_REPORT],
      }),
    ),
    guarded('refuses when the key is not valid', [problem(401, 'E1002')], refused(null, { cause: 'api' }), {
      requests: [askedTimes(1), NO_REPORT],
    }),
    guarded('refuses when the key lacks the scope', [problem(403, 'E1004')], refused(null, { cause: 'api' }), {
      requests: [askedTimes(1), NO_REPORT],
    }),
    guarded(
      'refuses when the service is slow',
      [{ ...ALLOW, delayMs: 5_000 }],
      { ...refused(null, { cause: 'timeout' }), elapsedMs: [300, 4_500] },
      { client: { timeoutMs: 500 }, requests: [NO_REPORT] },
    ),
    guarded(
      'refuses when the answer comes in pieces that take too long',
      [{ ...ALLOW, pieceMs: 300 }],
      { ...refused(null, { cause: 'timeout' }), elapsedMs: [300, 2_500] },
      { client: { timeoutMs: 500 }, requests: [NO_REPORT] },
    ),
    guarded('runs when the answer comes in pieces', [{ ...ALLOW, pieceMs: 20 }], RAN, {
      requests: [askedTimes(1), called('success')],
    }),
    guarded(
      'repeats 503 under one id, and runs once',
      [
        { ...problem(503, 'E6002'), headers: { 'content-type': 'application/problem+json', 'retry-after': '0' } },
        ALLOW,
      ],
      RAN,
      {
        requests: [askedTimes(2, 1), called('success')],
      },
    ),
    guarded(
      'repeats after a connection that broke under one id, and runs once',
      [{ when: 'POST /v1/enforce', reset: true }, ALLOW],
      RAN,
      { requests: [askedTimes(2, 1), called('success')] },
    ),
    {
      name: 'guard: refuses when nothing listens',
      server: 'refused',
      client: { timeoutMs: 4_000 },
      steps: [{ call: 'guard', arguments: GUARD, expect: refused(null, { cause: 'connection' }) }],
    },
    guarded(
      'does not run when the call is cancelled while it asks',
      [{ ...ALLOW, delayMs: 6_000 }],
      { error: { type: 'cancelled|refused' }, ran: 0, elapsedMs: [0, 4_500] },
      {
        step: { cancelAfterMs: 600 },
        requests: [askedTimes([0, 1]), NO_REPORT],
      },
    ),
  ];
}

function obligations(): CallCase[] {
  return [
    guarded('refuses obligations that nothing keeps', [degrade(REDACT)], refused('DEGRADE'), {
      requests: [askedTimes(1)],
    }),
    // Names that objects of some languages have by themselves.
    ...['toString', '__proto__', ''].map((type) =>
      guarded(`refuses the obligation "${type}"`, [degrade({ type })], { error: { type: 'refused' }, ran: 0 }),
    ),
    guarded('refuses when one of two obligations has no handler', [degrade(REDACT, ROWS)], refused('DEGRADE'), {
      args: { obligations: { redact_fields: 'keep' } },
    }),
    guarded('runs when every obligation has a handler', [degrade(REDACT, ROWS)], RAN, {
      args: { obligations: { redact_fields: 'keep', max_rows: 'keep' } },
      requests: [called('success')],
    }),
    guarded(
      'treats an ALLOW with obligations alike',
      [decision({ verdict: 'ALLOW', allowed: true, obligations: [REDACT] })],
      { error: { type: 'refused' }, ran: 0 },
    ),
    guarded(
      'does not run when a handler fails, and reports it',
      [degrade(REDACT)],
      { error: { type: 'refused' }, ran: 0 },
      {
        args: { obligations: { redact_fields: 'throw' } },
        requests: [{ method: 'POST', path: '/v1/proofs', count: 1, body: { event: 'tool.not_called' } }],
      },
    ),
    guarded(
      'gives budgets back when a permitted call is not made',
      [decision({ verdict: 'DEGRADE', allowed: true, obligations: [REDACT], budgets: BUDGETS })],
      refused('DEGRADE'),
      { requests: [{ method: 'POST', path: OUTCOME_OF_FIRST, count: 1, body: { outcome: 'not_carried_out' } }] },
    ),
    guarded(
      'gives no budget back for a call that was made and failed',
      [decision({ verdict: 'ALLOW', allowed: true, obligations: [], budgets: BUDGETS })],
      { error: { type: 'function' }, ran: 1 },
      {
        args: { function: 'throw' },
        requests: [called('failure'), { method: 'POST', path: OUTCOME_OF_FIRST, count: 0 }],
      },
    ),
    guarded(
      'runs with arguments that a handler has changed',
      [degrade(ROWS)],
      { result: { ran: true, arguments: { path: '/a', changedBy: 'max_rows' } }, ran: 1 },
      {
        args: { obligations: { max_rows: 'change' } },
      },
    ),
    guarded(
      'gives a result that a handler has changed',
      [degrade(REDACT)],
      { result: { ran: true, keptBy: 'redact_fields' }, ran: 1 },
      {
        args: { obligations: { redact_fields: 'result' } },
      },
    ),
    guarded(
      'withholds a result that a handler fails on, and the error of the handler, which may contain it',
      [degrade(REDACT)],
      { error: { type: 'refused', verdict: 'DEGRADE', hasRun: true, cause: null }, ran: 1 },
      { args: { obligations: { redact_fields: 'fail' } }, requests: [called('success')] },
    ),
    guarded(
      'withholds the error of a function whose result a handler changes',
      [degrade(REDACT)],
      { error: { type: 'refused', verdict: 'DEGRADE', hasRun: true }, ran: 1 },
      {
        args: { function: 'throw', obligations: { redact_fields: 'result' } },
        requests: [called('failure')],
      },
    ),
    guarded(
      'passes on the error of a function whose arguments alone a handler changes',
      [degrade(ROWS)],
      { error: { type: 'function' }, ran: 1 },
      { args: { function: 'throw', obligations: { max_rows: 'change' } } },
    ),
  ];
}

function approvals(): CallCase[] {
  const named = { approvalId: APPROVAL };
  return [
    guarded('refuses at once what needs an approval when it may not wait', [ESCALATE], refused('ESCALATE', named), {
      args: { waitSeconds: 0 },
      requests: [askedTimes(1), { method: 'GET', path: `/v1/approvals/${APPROVAL}`, count: 0 }],
    }),
    guarded('asks again with the approval, and runs once', [ESCALATE, approval('approved'), ALLOW], RAN, {
      requests: [{ ...askedTimes(2, 2), body: { approval_id: APPROVAL } }, called('success')],
    }),
    guarded('asks at once with an approval that it is given, and runs once', [ALLOW], RAN, {
      args: { approvalId: APPROVAL },
      requests: [{ ...askedTimes(1), body: { approval_id: APPROVAL } }, called('success')],
    }),
    guarded(
      'waits for an approval that it is given and that is still pending',
      [ESCALATE, approval('approved'), ALLOW],
      RAN,
      {
        args: { approvalId: APPROVAL },
        requests: [{ ...askedTimes(2, 2), body: { approval_id: APPROVAL } }, called('success')],
      },
    ),
    guarded(
      'uses an approval that it is given for one call',
      [ALLOW, DENY],
      { error: { type: 'refused', verdict: 'DENY', hasRun: false }, ran: 1 },
      { args: { approvalId: APPROVAL, calls: 2 }, requests: [askedTimes(2, 2)] },
    ),
    ...['rejected', 'expired', 'APPROVED', 'granted'].map((status) =>
      guarded(
        `refuses what is ${status}`,
        [ESCALATE, approval(status)],
        { error: { type: 'refused', ...named }, ran: 0 },
        { requests: [askedTimes([1, 2]), NO_REPORT] },
      ),
    ),
    guarded(
      'refuses what is still pending at the end of its wait',
      [ESCALATE, approval('pending')],
      { ...refused('ESCALATE', named), elapsedMs: [500, 6_000] },
      {
        args: { waitSeconds: 1 },
        requests: [askedTimes(1), NO_REPORT],
      },
    ),
    guarded(
      'refuses when the answer with the approval is still ESCALATE',
      [ESCALATE, approval('approved'), ESCALATE],
      { error: { type: 'refused', verdict: 'ESCALATE' }, ran: 0 },
      {
        requests: [askedTimes(2, 2), NO_REPORT],
      },
    ),
    guarded(
      'refuses when the approved action is denied meanwhile',
      [ESCALATE, approval('approved'), DENY],
      refused('DENY'),
      { requests: [askedTimes(2, 2)] },
    ),
    guarded(
      'does not run when the call is cancelled while it waits',
      [ESCALATE, { ...approval('pending'), delayMs: 6_000 }],
      { error: { type: 'cancelled|refused' }, ran: 0, elapsedMs: [0, 5_500] },
      {
        step: { cancelAfterMs: 2_000 },
        requests: [askedTimes(1), NO_REPORT],
      },
    ),
    guarded(
      'goes on waiting when an approval can not be read for a moment',
      [ESCALATE, { when: `GET /v1/approvals/${APPROVAL}`, reset: true }, approval('approved'), ALLOW],
      RAN,
      {
        requests: [askedTimes(2, 2)],
      },
    ),
  ];
}

function reports(): CallCase[] {
  return [
    guarded('runs what is allowed, and reports it', [ALLOW], RAN, {
      requests: [askedTimes(1, 1), called('success'), { method: 'POST', path: '/v1/trust/signals', count: 0 }],
    }),
    guarded('refuses what is denied', [DENY], refused('DENY', { decisionId: '*' }), {
      requests: [askedTimes(1, 1), NO_REPORT],
    }),
    guarded(
      'asks and runs each time it is called',
      [ALLOW],
      { ...RAN, ran: 2 },
      { args: { calls: 2 }, requests: [askedTimes(2, 2), called('success', 2)] },
    ),
    guarded(
      'passes on the error of the function, and reports a failure',
      [ALLOW],
      { error: { type: 'function', message: 'function failed' }, ran: 1 },
      {
        args: { function: 'throw' },
        requests: [called('failure')],
      },
    ),
    guarded('reports a signal when it is asked to', [ALLOW], RAN, {
      args: { reportSignals: true },
      requests: [
        called('success'),
        {
          method: 'POST',
          path: '/v1/trust/signals',
          count: 1,
          body: { agentId: 'agent-1', type: 'success', source: 'client' },
        },
      ],
    }),
    {
      ...guarded('gives the result although the report fails', [ALLOW], RAN),
      server: {
        replies: [
          ALLOW,
          {
            when: 'POST /v1/proofs',
            status: 422,
            headers: { 'content-type': 'application/problem+json' },
            body: {
              status: 422,
              code: 'E2010',
              detail: 'No.',
              title: 'No',
              type: 'about:blank',
              category: 'client',
              retryable: false,
              instance: '/',
              requestId: 'r',
            },
          },
        ],
      },
    },
    guarded(
      'sends no arguments and no result in its report',
      [ALLOW],
      { result: { ran: true, arguments: { path: 'a-secret-path' } }, ran: 1 },
      {
        args: { arguments: { path: 'a-secret-path' } },
        requests: [{ ...called('success'), without: 'a-secret-path' }],
      },
    ),
    guarded('judges and runs the arguments as they were when the call began', [ALLOW], RAN, {
      args: { function: 'mutate' },
      requests: [{ ...askedTimes(1), body: { tool: { arguments: GUARD.arguments } } }],
    }),
    guarded(
      'asks nothing about arguments that are too large',
      [ALLOW],
      { error: { type: '*' }, ran: 0 },
      {
        args: { arguments: { text: 'x'.repeat(300_000) } },
        requests: [{ method: 'POST', path: '/v1/enforce', count: 0 }, NO_REPORT],
      },
    ),
  ];
}

export function guardCases(): CallCase[] {
  return [...reports(), ...confused(), ...faults(), ...obligations(), ...approvals()];
}
