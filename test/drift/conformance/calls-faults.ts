// Conformance cases: a service that is away, slow, overloaded, or answers something else.
import type { CallCase, CallStep, ExpectedError, ExpectedRequests, ScriptedReply } from './call-case.ts';

const ASK = { agentId: 'agent-1', intent: 'data.read.user_profile' };
const ENFORCE = { method: 'POST', path: '/v1/enforce' };
const DECISION: ScriptedReply = { like: 'enforce', status: 200 };
const DECIDED = { result: { verdict: 'ALLOW', allowed: true } };

const problem = (
  status: number,
  code: string,
  more: Partial<ScriptedReply> & { readonly retryable?: boolean } = {},
): ScriptedReply => {
  const { retryable = false, headers, ...rest } = more;
  return {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8', 'x-request-id': 'req-scripted', ...headers },
    body: {
      type: `urn:custos:error:${code}`,
      title: 'A problem',
      status,
      code,
      category: 'client',
      retryable,
      detail: 'A problem of the script.',
      instance: '/v1',
      requestId: 'req-scripted',
    },
    ...rest,
  };
};
const BUSY = problem(503, 'E6002', { retryable: true, headers: { 'retry-after': '0' } });
const LIMITED = problem(429, 'E3001', { retryable: true });

const html = (status: number, headers: Readonly<Record<string, string>> = {}): ScriptedReply => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: '<!doctype html><title>A proxy</title>',
});

const asked = (
  name: string,
  server: CallCase['server'] | readonly ScriptedReply[],
  expect: CallStep['expect'],
  more: {
    readonly client?: CallCase['client'];
    readonly step?: Partial<CallStep>;
    readonly requests?: Partial<ExpectedRequests>;
  } = {},
): CallCase => ({
  name: `enforce.evaluate: ${name}`,
  server: typeof server === 'object' && !('replies' in server) ? { replies: server } : server,
  ...(more.client === undefined ? {} : { client: more.client }),
  steps: [{ call: 'enforce.evaluate', arguments: ASK, ...more.step, expect }],
  ...(more.requests === undefined ? {} : { requests: [{ ...ENFORCE, count: 1, ...more.requests }] }),
});

const failing = (type: string, more: Omit<ExpectedError, 'type'> = {}): CallStep['expect'] => ({
  error: { type, ...more },
});

/** Answers with status 200 (or no error status) that are no answer of this operation. */
export const GARBAGE: Readonly<Record<string, { readonly reply: ScriptedReply; readonly type: string }>> = {
  'a page of HTML': { reply: html(200), type: 'unexpected' },
  'a page of HTML that calls itself JSON': {
    reply: { status: 200, headers: { 'content-type': 'application/json' }, body: '<html>' },
    type: 'unexpected',
  },
  'an empty body': {
    reply: { status: 200, headers: { 'content-type': 'application/json' }, body: '' },
    type: 'unexpected',
  },
  'no content': { reply: { status: 204 }, type: 'unexpected' },
  'JSON that ends early': {
    reply: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"verdict":"ALLOW","allowed":tr' },
    type: 'unexpected',
  },
  'a body that ends before its length': { reply: { ...DECISION, truncate: 100 }, type: 'unexpected|connection' },
  'a list': { reply: { status: 200, body: [] }, type: 'unexpected' },
  'a text in JSON': {
    reply: { status: 200, headers: { 'content-type': 'application/json' }, body: '"ALLOW"' },
    type: 'unexpected',
  },
  null: { reply: { status: 200, headers: { 'content-type': 'application/json' }, body: 'null' }, type: 'unexpected' },
  'a redirect': { reply: html(302, { location: '/elsewhere' }), type: 'unexpected' },
  'a redirect that keeps the method': { reply: html(307, { location: '/elsewhere' }), type: 'unexpected' },
  'a page of a proxy with status 403': { reply: html(403), type: 'unexpected' },
  'a page of a proxy with status 502': { reply: html(502), type: 'unexpected' },
  'a byte order mark': { reply: { ...DECISION, prefix: '\ufeff' }, type: 'unexpected' },
  'more than 8 MB': { reply: { ...DECISION, bytes: 9_000_000 }, type: 'unexpected' },
};

function garbage(): CallCase[] {
  return Object.entries(GARBAGE).map(([name, { reply, type }]) => ({
    ...asked(name, [reply], failing(type)),
    requests: [
      { ...ENFORCE, count: [1, 4], distinct: 1 },
      { method: 'GET', path: '/elsewhere', count: 0 },
      { method: 'POST', path: '/elsewhere', count: 0 },
    ],
  }));
}

/** Answered at the second request, under the same Idempotency-Key. */
function repeated(): CallCase[] {
  const replies: Readonly<Record<string, ScriptedReply>> = {
    '429 without Retry-After': LIMITED,
    '503': BUSY,
    '503 with Retry-After in the past as a date': problem(503, 'E6002', {
      headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' },
    }),
    '503 with a Retry-After that is none': problem(503, 'E6002', { headers: { 'retry-after': 'soon' } }),
    '409 with Retry-After': problem(409, 'E2010', { headers: { 'retry-after': '0' } }),
    'a retryable 500': problem(500, 'E6001', { retryable: true }),
    'a connection that is reset': { reset: true },
  };
  return Object.entries(replies).map(([name, reply]) =>
    asked(`${name} is repeated once, with the same key`, [reply, DECISION], DECIDED, {
      requests: { count: 2, distinct: 1, body: { agent_id: 'agent-1' } },
    }),
  );
}

/** Answers that are final: the request is not repeated. */
function final(): CallCase[] {
  const codes = {
    400: 'E2001',
    401: 'E1002',
    403: 'E1004',
    404: 'E4001',
    413: 'E2005',
    415: 'E2009',
    422: 'E2010',
    500: 'E6001',
  };
  const cases = Object.entries(codes).map(([status, code]) =>
    asked(
      `${status} is final`,
      [problem(Number(status), code)],
      failing('api', { status: Number(status), code, requestId: 'req-scripted', retryable: false }),
      {
        requests: { count: 1 },
      },
    ),
  );
  const ofLaterVersion = {
    ...problem(422, 'E2999'),
    body: {
      code: 'E2999',
      detail: 'A problem of a later version.',
      category: null,
      retryable: null,
      errors: null,
      more: 1,
    },
  };
  return [
    ...cases,
    asked(
      'a problem of a later version, with null for what it does not say, is an error with its code',
      [ofLaterVersion],
      failing('api', { status: 422, code: 'E2999', requestId: 'req-scripted', retryable: false }),
      { requests: { count: 1 } },
    ),
    asked('409 without Retry-After is final', [problem(409, 'E5001')], failing('api', { status: 409, code: 'E5001' }), {
      requests: { count: 1 },
    }),
  ];
}

function timing(): CallCase[] {
  const later = problem(429, 'E3001', { retryable: true, headers: { 'retry-after': '1' } });
  const muchLater = problem(429, 'E3001', { retryable: true, headers: { 'retry-after': '60' } });
  const within = (hours: number): CallCase =>
    asked(
      `Retry-After is waited for with a wall clock that is ${hours} hours off`,
      [later, DECISION],
      { ...DECIDED, elapsedMs: [900, 8_000] },
      {
        client: { wallClockOffsetHours: hours },
        requests: { count: 2, distinct: 1 },
      },
    );
  return [
    asked('a service that is refused', 'refused', failing('connection'), { client: { timeoutMs: 4_000 } }),
    asked(
      'a service that is slow',
      [{ ...DECISION, delayMs: 5_000 }],
      { ...failing('timeout'), elapsedMs: [300, 4_000] },
      { client: { timeoutMs: 500 } },
    ),
    asked(
      'a body that is slow to end',
      [{ ...DECISION, truncate: 50, delayMs: 5_000 }],
      { ...failing('timeout'), elapsedMs: [300, 4_000] },
      { client: { timeoutMs: 500 } },
    ),
    asked(
      '429 with Retry-After is waited for',
      [later, DECISION],
      { ...DECIDED, elapsedMs: [900, 8_000] },
      { requests: { count: 2, distinct: 1 } },
    ),
    asked(
      'a Retry-After beyond the timeout is returned at once',
      [muchLater],
      {
        ...failing('api', { status: 429, code: 'E3001', retryAfterSeconds: 60 }),
        elapsedMs: [0, 4_000],
      },
      { client: { timeoutMs: 5_000 }, requests: { count: 1 } },
    ),
    asked(
      '503 is asked four times, and then returned',
      [BUSY],
      failing('api', { status: 503, code: 'E6002', retryable: true }),
      { requests: { count: 4, distinct: 1 } },
    ),
    asked('without retries nothing is repeated', [BUSY], failing('api', { status: 503 }), {
      client: { retries: 0 },
      requests: { count: 1 },
    }),
    within(5),
    within(-5),
    asked(
      'a call that is cancelled during the request',
      [{ ...DECISION, delayMs: 6_000 }],
      { ...failing('cancelled'), elapsedMs: [0, 4_000] },
      {
        step: { cancelAfterMs: 600 },
        requests: { count: [0, 1] },
      },
    ),
    asked(
      'a call that is cancelled during the back-off',
      [problem(429, 'E3001', { headers: { 'retry-after': '6' } }), DECISION],
      { ...failing('cancelled'), elapsedMs: [0, 5_500] },
      {
        step: { cancelAfterMs: 2_000 },
        requests: { count: 1 },
      },
    ),
  ];
}

/** Which methods are repeated after a connection that broke. */
function methods(): CallCase[] {
  const broken = (
    call: string,
    method: string,
    path: string,
    args: CallStep['arguments'],
    reply: ScriptedReply,
  ): CallCase => ({
    name: `${call}: repeated after a connection that broke`,
    server: { replies: [{ reset: true }, reply] },
    steps: [{ call, arguments: args ?? {}, expect: { result: {} } }],
    requests: [{ method, path, count: 2 }],
  });
  return [
    broken('agents.get', 'GET', '/v1/agents/agent-1', { agentId: 'agent-1' }, { like: 'getAgent', status: 200 }),
    broken(
      'agents.terminate',
      'DELETE',
      '/v1/agents/agent-1',
      { agentId: 'agent-1' },
      { like: 'terminateAgent', status: 200 },
    ),
    {
      name: 'agents.update: not repeated after a connection that broke',
      server: { replies: [{ reset: true }, { like: 'updateAgent', status: 200 }] },
      steps: [
        {
          call: 'agents.update',
          arguments: { agentId: 'agent-1', name: 'New' },
          expect: { error: { type: 'connection' } },
        },
      ],
      requests: [{ method: 'PATCH', path: '/v1/agents/agent-1', count: 1, body: { name: 'New' } }],
    },
    {
      name: 'halt.lift: not repeated after a connection that broke, because another halt may be set by then',
      server: { replies: [{ reset: true }, { like: 'liftHalt', status: 200 }] },
      steps: [{ call: 'halt.lift', arguments: { reason: 'over' }, expect: { error: { type: 'connection' } } }],
      requests: [{ method: 'DELETE', path: '/v1/halt', count: 1, body: { reason: 'over' } }],
    },
    {
      name: 'an id is one segment of the path, whatever it contains',
      server: { replies: [{ like: 'getAgent', status: 200 }] },
      steps: [{ call: 'agents.get', arguments: { agentId: 'a/b?c#d%2e é' }, expect: { result: {} } }],
      requests: [{ method: 'GET', path: '/v1/agents/a%2Fb%3Fc%23d%252e%20%C3%A9', count: 1 }],
    },
  ];
}

/** Addresses as people copy them: with a slash, with the version that every path begins with, and below a path. */
function addresses(): CallCase[] {
  const paths: Readonly<Record<string, string>> = {
    '/': '/v1/enforce',
    '/v1': '/v1/enforce',
    '/v1/': '/v1/enforce',
    '/gateway/v1': '/gateway/v1/enforce',
    '/gateway-v1/': '/gateway-v1/v1/enforce',
  };
  return Object.entries(paths).map(([base, path]) => ({
    name: `an address of the service that ends in ${base} leads to ${path}`,
    server: { replies: [DECISION], base },
    steps: [{ call: 'enforce.evaluate', arguments: ASK, expect: DECIDED }],
    requests: [{ method: 'POST', path, count: 1 }],
  }));
}

/** Waiting for an intent, with a service that honours `Prefer: wait` and with one that does not. */
function waits(): CallCase[] {
  const path = '/v1/intents/int_1';
  const intent = (status: string, headers?: ScriptedReply['headers']): ScriptedReply => ({
    like: 'getIntent',
    status: 200,
    body: { intentId: 'int_1', status },
    ...(headers === undefined ? {} : { headers }),
  });
  const waiting = (
    name: string,
    replies: readonly ScriptedReply[],
    step: Omit<CallStep, 'call'>,
    count: ExpectedRequests['count'],
  ): CallCase => ({
    name: `intents.waitDecided: ${name}`,
    server: { replies },
    steps: [{ call: 'intents.waitDecided', ...step }],
    requests: [{ method: 'GET', path, count }],
  });
  const decided = { result: { intentId: 'int_1', status: 'decided' } };
  const held = { 'preference-applied': 'wait=1' };
  return [
    waiting(
      'asks again until it is decided',
      [intent('queued', held), intent('evaluating', held), intent('decided', held)],
      { arguments: { id: 'int_1', timeoutSeconds: 10 }, expect: decided },
      3,
    ),
    waiting(
      'pauses between requests when the wait is not honoured',
      [intent('queued'), intent('decided')],
      {
        arguments: { id: 'int_1', timeoutSeconds: 10 },
        expect: { ...decided, elapsedMs: [100, 8_000] },
      },
      2,
    ),
    waiting(
      'ends at its deadline with the last state',
      [intent('queued')],
      {
        // Long enough for a first answer on a busy machine: without one there is no last state.
        arguments: { id: 'int_1', timeoutSeconds: 5 },
        expect: { error: { type: 'timeout', state: { status: 'queued' } }, elapsedMs: [4_500, 12_000] },
      },
      [1, 24],
    ),
    waiting(
      'goes on after 503',
      [BUSY, intent('failed', held)],
      { arguments: { id: 'int_1', timeoutSeconds: 10 }, expect: { result: { status: 'failed' } } },
      2,
    ),
    waiting(
      'fails at once for an id that does not exist',
      [problem(404, 'E4001')],
      {
        arguments: { id: 'int_1', timeoutSeconds: 10 },
        expect: { error: { type: 'api', status: 404 }, elapsedMs: [0, 4_000] },
      },
      1,
    ),
    waiting(
      'is cancelled',
      [intent('queued', { 'preference-applied': 'wait=30' }), { ...intent('queued'), delayMs: 6_000 }],
      {
        arguments: { id: 'int_1', timeoutSeconds: 20 },
        cancelAfterMs: 2_000,
        expect: { error: { type: 'cancelled' }, elapsedMs: [0, 5_500] },
      },
      [1, 3],
    ),
  ];
}

export function faultCases(): CallCase[] {
  return [...garbage(), ...repeated(), ...final(), ...timing(), ...methods(), ...addresses(), ...waits()];
}
