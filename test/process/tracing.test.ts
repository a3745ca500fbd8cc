// Traces over OTLP: one receiver, one ingress and one worker process, and the trace of an intent through all of them.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Database } from '../../shared/platform/db/database.ts';
import { folderWithFewWords } from '../support/lexicon.ts';
import { type Client, createClient } from '../support/client.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { startIngress, startWorker, type TestService } from '../support/process.ts';
import { bootstrap } from '../support/service.ts';
import { waitFor } from '../support/wait.ts';

/** The members of an OTLP JSON span that these tests read. */
interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Whole numbers as text. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly links?: readonly object[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const attribute = ({ attributes }: Pick<SentSpan, 'attributes'>, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

/** Spans that follow each other may overlap by this much: each reads a clock of milliseconds at its start. */
const CLOCK_NANOS = 1_000_000n;

describe('traces over OTLP', () => {
  const spans: (SentSpan & { readonly service: unknown })[] = [];
  const seen: { path: string | undefined; text: string }[] = [];
  let receiver: Server;
  let database: TestDatabase;
  let db: Database;
  let ingress: TestService;
  let worker: TestService;
  let client: Client;
  let key: string;

  before(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        seen.push({ path: request.url, text });
        for (const { resource, scopeSpans } of (JSON.parse(text) as Sent).resourceSpans)
          for (const scope of scopeSpans)
            for (const span of scope.spans) spans.push({ ...span, service: attribute(resource, 'service.name') });
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const { port } = receiver.address() as AddressInfo;
    database = await createTestDatabase();
    db = await openTestDatabase(database.url);
    ({ key } = await bootstrap(db));
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
      CUSTOS_LOG_LEVEL: 'info',
      CUSTOS_LOG_REQUESTS: 'all',
      CUSTOS_POLICY_DIR: folderWithFewWords(),
    };
    [ingress, worker] = await Promise.all([startIngress(database.url, env), startWorker(database.url, env)]);
    client = createClient(ingress.address, key, { patient: true });
  });

  after(async () => {
    client.close();
    await Promise.all([ingress.stop(), worker.stop()]);
    await new Promise((resolve) => receiver.close(resolve));
    await db.close();
    await database.drop();
  });

  /** Waits for the named spans of a trace, and returns the trace's spans by name. */
  const traceOf = (traceId: string, names: readonly string[]): Promise<Map<string, SentSpan & { service: unknown }>> =>
    waitFor(
      () => {
        const found = new Map(spans.filter((span) => span.traceId === traceId).map((span) => [span.name, span]));
        return names.every((name) => found.has(name)) && found;
      },
      { what: `the spans ${names.join(', ')} of ${traceId}` },
    );

  it("an intent continues the caller's trace: request, evaluation, and the append of its decision to the log", async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { status } = await client.post(
      '/v1/intents',
      { agentId: 'traced', action: 'read', resource: 'files/report' },
      { headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } },
    );
    expect(status).to.equal(202);
    const trace = await traceOf(traceId, ['POST /v1/intents', 'evaluate intent', 'append to log']);
    const request = trace.get('POST /v1/intents');
    expect(request).to.include({ parentSpanId: '00f067aa0ba902b7', service: 'custos-ingress' });
    const evaluate = trace.get('evaluate intent');
    expect(evaluate).to.include({ parentSpanId: request?.spanId, service: 'custos-workers' });
    expect(evaluate?.links, 'a link to the job that evaluated its batch').to.have.length(1);
    const append = trace.get('append to log');
    expect(append).to.include({ parentSpanId: request?.spanId, service: 'custos-workers' });
    expect(append?.links, 'a link to the job that appended').to.have.length(1);
    expect(attribute(append ?? { attributes: [] }, 'custos.log_index')).to.match(/^\d+$/);
  });

  it('a decision and a proof each have their own trace from the request to the log', async () => {
    const decided = await client.post('/v1/enforce', { intent: 'files.read.report', agent_id: 'traced' });
    expect(decided.status).to.equal(200);
    const proven = await client.post('/v1/proofs', { event: 'seen', entityId: 'traced', payload: { n: 1 } });
    expect(proven.status).to.equal(202);
    for (const [route, answer] of [['POST /v1/enforce', decided] as const, ['POST /v1/proofs', proven] as const]) {
      const request = await waitFor(
        () =>
          spans.find(
            ({ name, attributes }) =>
              name === route && attribute({ attributes }, 'custos.request_id') === answer.headers['x-request-id'],
          ),
        { what: route },
      );
      expect(request.parentSpanId ?? '').to.equal('');
      const append = (await traceOf(request.traceId, ['append to log'])).get('append to log');
      expect(append?.parentSpanId).to.equal(request.spanId);
    }
  });

  it('a decision shows where its time went: reading the intent, facts, rules and commit, one after the other', async () => {
    const steps = ['read intent', 'facts', 'rules', 'commit'];
    const traceId = 'a3ce929d0e0e47364bf92f3577b34da6';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, 'idempotency-key': 'traced-once' };
    await client.post('/v1/enforce', { intent: 'files.read.report', agent_id: 'traced' }, { headers });
    const trace = await traceOf(traceId, ['POST /v1/enforce', ...steps]);
    const request = trace.get('POST /v1/enforce');
    let endedAt = BigInt(request?.startTimeUnixNano ?? 0);
    for (const step of steps) {
      const span = trace.get(step);
      expect(span?.parentSpanId, step).to.equal(request?.spanId);
      expect(BigInt(span?.startTimeUnixNano ?? 0) + CLOCK_NANOS >= endedAt, `${step} follows`).to.equal(true);
      endedAt = BigInt(span?.endTimeUnixNano ?? 0);
    }
    expect(endedAt <= BigInt(request?.endTimeUnixNano ?? 0) + CLOCK_NANOS).to.equal(true);
  });

  it('log lines carry the ids of their span, so that they can be correlated with traces', async () => {
    const answer = await client.get('/v1/agents');
    const requestId = String(answer.headers['x-request-id']);
    const line = await waitFor(() =>
      ingress
        .stdout()
        .split('\n')
        .find((text) => text.includes(requestId) && text.endsWith('}')),
    );
    const { traceId, spanId } = JSON.parse(line) as { traceId: string; spanId: string };
    const span = await waitFor(() => spans.find((sent) => sent.spanId === spanId));
    expect(span).to.include({ traceId, name: 'GET /v1/agents' });
  });

  it('exported spans contain routes, ids and sizes, never a key, a body or a query', async () => {
    const secret = 'very-private-4711';
    await client.post('/v1/intent', { agent_id: 'traced', raw_intent: `read ${secret}` });
    const { traceId } = await waitFor(() => spans.find(({ name }) => name === 'POST /v1/intent'));
    await traceOf(traceId, ['POST /v1/intent']);
    expect(new Set(seen.map(({ path }) => path))).to.deep.equal(new Set(['/v1/traces']));
    const sent = seen.map(({ text }) => text).join('\n');
    expect(sent).not.to.include(secret);
    expect(sent).not.to.include(key);
  });
});
