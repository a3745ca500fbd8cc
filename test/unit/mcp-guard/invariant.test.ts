// The guard's invariant as a property: whatever client, server and service do, each call that reaches the server has its own decision.
import { expect } from 'chai';
import fc from 'fast-check';
import { FrameError } from '../../../cli/mcp/frames.ts';
import type { Question } from '../../../cli/mcp-guard/decision.ts';
import { parseJson } from '../../../shared/kernel/json.ts';
import { digestOf } from '../../support/fake-custos.ts';
import { type Answer, startGuardSession, turn } from '../../support/guard-session.ts';

const names = fc.constantFrom('read', 'write', 'wipe');
const ids = fc.constantFrom<unknown>(1, 2, '1', null, 1.5);
const args = fc.constantFrom<unknown>({}, { path: '/a' }, { path: '/b', limit: 5 }, [], null, undefined, {
  a: 1,
  A: 2,
});
const digests = fc.constantFrom('one', 'two');

const call = fc
  .record({ id: ids, name: names, arguments: args })
  .map(({ id, ...params }) => ({ jsonrpc: '2.0', id, method: 'tools/call', params }));
const other = fc.oneof(
  fc.record({ id: ids, method: fc.constantFrom('ping', 'tools/list', 'resources/read') }),
  ids.map((requestId) => ({ method: 'notifications/cancelled', params: { requestId } })),
  ids.map((id) => ({ id, result: {} })),
);
/** Frames that another parser would read as a call. */
const tricky = fc.constantFrom(
  '{"method":"tools/call","id":1,"params":{"name":"wipe"},"method":"ping"}',
  '{"method":"ping","id":1,"params":{"name":"wipe"},"m\\u0065thod":"tools/call"}',
  '{"METHOD":"tools/call","id":1,"params":{"name":"wipe"}}',
  '{"method":"tools/call","id":1,"params":{"name":"read","name":"wipe"}}',
  '{"method":"tools/call","id":1,"params":{"name":"read","arguments":{"path":"/a","path":"/b"}}}',
  '{"method":"n","params":\r{"method":"tools/call","id":1,"params":{"name":"wipe"}}\r}',
  '{"__proto__":{"method":"tools/call"},"id":1}',
  'tools/call',
);
const clientFrame = fc.oneof(
  { weight: 6, arbitrary: call.map((one) => JSON.stringify(one)) },
  { weight: 2, arbitrary: other.map((one) => JSON.stringify(one)) },
  { weight: 2, arbitrary: fc.array(fc.oneof(call, other), { maxLength: 3 }).map((batch) => JSON.stringify(batch)) },
  { weight: 1, arbitrary: tricky },
);
const tool = fc.record({ name: names, description: digests });
const serverFrame = fc.oneof(
  fc.record({ id: ids, tools: fc.array(tool, { maxLength: 3 }) }).map(({ id, tools }) => ({ id, result: { tools } })),
  ids.map((id) => ({ id, result: { content: [{ type: 'text', text: '{}' }] } })),
  fc.constant({ method: 'notifications/tools/list_changed' }),
);
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.constantFrom<Answer>({ verdict: 'ALLOW' }, { verdict: 'DENY' }, { verdict: 'ESCALATE' }, 'away'),
  fc.constant<Answer>({ verdict: 'DEGRADE', obligations: [{ type: 'redact_fields', fields: ['path'] }] }),
  fc.constant<Answer>({ verdict: 'DEGRADE', obligations: [{ type: 'mystery' }] }),
  // Answers that contradict themselves, or concern another request.
  fc.constantFrom<Answer>(
    { verdict: 'ALLOW', allowed: false },
    { verdict: 'DENY', allowed: true },
    { verdict: 'DEGRADE', obligations: [] },
    { verdict: 'ALLOW', agent_id: 'another' },
    { verdict: 'ALLOW', tool: { server: 'files', name: 'ping', arguments_digest: digestOf({}) } },
    { verdict: 'ALLOW', dry_run: true },
  ),
  fc.constant<Answer>({ verdict: 'ALLOW', decision_id: 'dec_same' }),
);
const step = fc.oneof(
  { weight: 5, arbitrary: clientFrame.map((line) => ({ kind: 'client' as const, line })) },
  { weight: 3, arbitrary: serverFrame.map((message) => ({ kind: 'server' as const, message })) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('decide' as const), answer, at: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('pending', 'approved', 'rejected', 'used')
      .map((status) => ({ kind: 'human' as const, status })),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'turn' as const }) },
);

interface SentCall {
  readonly params: { readonly name: string; readonly arguments?: Record<string, unknown> };
}

/** Every position where any parser could see a call: an overestimate. */
function mentionsOf(line: string): number {
  const plain = line.replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return [...plain.matchAll(/tools\/call/gi)].length;
}

function callsIn(line: string): SentCall[] {
  // Strict: a repeated member is another call for another parser.
  const value = parseJson(line);
  return [value].flat().filter((one) => (one as { method?: unknown }).method === 'tools/call') as SentCall[];
}

const RUNS = Number(process.env['CUSTOS_PROPERTY_RUNS'] ?? 300);

describe('the invariant of the guard', () => {
  it('holds for random sequences of frames, decisions and approvals', async () => {
    let forwarded = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const open: ((said: Answer) => void)[] = [];
        let status = 'pending';
        const session = startGuardSession({
          answer: () => new Promise((resolve) => open.push(resolve)),
          approval: () => ({ kind: 'status', status }),
          tools: () => [{ name: 'read', description: 'one' }],
          waitMs: 3_000,
        });
        for (const one of steps) {
          try {
            if (one.kind === 'client') session.fromClient(one.line);
            else if (one.kind === 'server') session.fromServer(one.message);
            else if (one.kind === 'human') status = one.status;
            else await turn();
            if (one.kind === 'decide') open.splice(one.at % Math.max(1, open.length), 1)[0]?.(one.answer);
          } catch (error) {
            // An invalid frame ends the session.
            if (!(error instanceof FrameError)) throw error;
            break;
          }
        }
        await turn();
        // Each permitted question covers one forwarded call.
        const covers: Question[] = [...session.permitted.values()];
        for (const line of session.server) {
          const calls = callsIn(line);
          expect(calls).to.have.length(mentionsOf(line));
          for (const { params } of calls) {
            forwarded += 1;
            const at = covers.findIndex(
              ({ call: { name, argumentsDigest } }) =>
                name === params.name && argumentsDigest === digestOf(params.arguments ?? {}),
            );
            expect(at, `no decision for ${line}`).to.not.equal(-1);
            covers.splice(at, 1);
          }
        }
      }),
      { numRuns: RUNS },
    );
    // The property would hold for a guard that forwards nothing.
    expect(forwarded).to.be.greaterThan(RUNS / 10);
  }).timeout(60_000 + RUNS * 50);
});
