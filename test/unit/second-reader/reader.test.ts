// The second reader against a real HTTP endpoint that answers well, badly, late or not at all.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { checkSecondReader } from '../../../cli/doctor/second-reader.ts';
import { createReaderMetrics } from '../../../shared/domain/second-reader/metrics.ts';
import { HARMLESS } from '../../../shared/domain/second-reader/question.ts';
import { createSecondReader, type SecondReader } from '../../../shared/domain/second-reader/reader.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { answers, completion, type FakeReader, MILD, type Reply, startFakeReader } from '../../support/fake-reader.ts';
import { waitFor } from '../../support/wait.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

const TEXT = 'Read the quarterly report';
const parse = parseIntent(TEXT, shippedLexicon());
const GRAVE = {
  ...MILD,
  effect: 'destructive',
  action: 'delete',
  traits: ['bulk'],
  why: 'It empties\u202e the\ntable.',
};

const raw =
  (body: string, status = 200, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end(body);

describe('the second reader', () => {
  let endpoint: FakeReader;
  let reader: SecondReader;
  let registry: Registry;
  let nowMs = 0;
  let changes: (string | undefined)[] = [];
  const create = (timeoutMs = 5_000) => {
    registry = new Registry();
    nowMs = 0;
    changes = [];
    reader = createSecondReader({
      url: endpoint.url,
      key: 'sk-reader',
      model: 'small',
      timeoutMs,
      monotonicMs: () => nowMs,
      metrics: createReaderMetrics(registry),
      onChange: (problem) => changes.push(problem),
    });
  };
  const outcome = async (text = TEXT) => (await reader.readAgain('org', text, parse)).parse.second_reading;
  before(async () => {
    endpoint = await startFakeReader();
  });
  beforeEach(() => {
    create();
    endpoint.reply = answers(MILD);
  });
  after(() => endpoint?.close());

  it('sends the text as data, masks credentials in it, and sends the key', async () => {
    await outcome('Use ghp_abcdefghijklmnopqrstuvwx0123 to "read"\nthe report');
    const { text, body, headers } = endpoint.asked.at(-1) ?? {};
    expect(text).to.equal('Use [secret] to "read"\nthe report');
    expect(body).to.deep.include({ model: 'small', temperature: 0 });
    expect(headers?.authorization).to.equal('Bearer sk-reader');
  });

  it('agrees when its answer is no stricter, also when it is milder', async () => {
    const { parse: read, raised, why } = await reader.readAgain('org', TEXT, { ...parse, effect: 'destructive' });
    expect(read).to.deep.include({ effect: 'destructive', second_reading: 'agreed' });
    expect(raised).to.deep.equal({});
    expect(why).to.equal('It only reads.');
  });

  it('makes a parse stricter, with its reason in one line', async () => {
    endpoint.reply = answers(GRAVE);
    const { parse: read, raised, why } = await reader.readAgain('org', TEXT, parse);
    expect(read).to.deep.include({ effect: 'destructive', action: 'delete', second_reading: 'raised' });
    expect(read.traits).to.include('bulk');
    expect(read.normalized).to.equal(parse.normalized);
    expect(raised).to.deep.equal({ effect: 'destructive', action: 'delete', traits: ['bulk'] });
    expect(why).to.equal('It empties the table.');
  });

  const BAD: Readonly<Record<string, Reply>> = {
    'no JSON': raw('<html>'),
    'no completion': raw('{"choices":[]}'),
    'content that is no JSON': answers('I am sorry'),
    'an answer with another member': answers({ ...MILD, allowed: true }),
    'an answer without an effect': answers({ ...MILD, effect: undefined }),
    'an answer with a member twice': answers(JSON.stringify(MILD).replace('{', '{"effect":"destructive",')),
    'a trait that is no trait': answers({ ...MILD, traits: ['bulky'] }),
    'an unknown effect': answers({ ...MILD, effect: 'none' }),
    'a very long reason': answers({ ...MILD, why: 'x'.repeat(2_001) }),
    'more than 64 kB': raw(completion({ ...MILD, why: 'x'.repeat(70_000) })),
    'status 500': raw(completion(MILD), 500),
    'status 204': raw('', 204),
    'a redirect': (response, { text }) =>
      void response.writeHead(307, { location: `${endpoint.url}?${text.length}` }).end(),
    'a broken connection': (response) => response.destroy(),
  };
  for (const [name, reply] of Object.entries(BAD)) {
    it(`is away after ${name}, and asks again the next time`, async () => {
      endpoint.reply = reply;
      const before = endpoint.asked.length;
      expect(await outcome()).to.equal('away');
      expect(endpoint.asked.length).to.equal(before + 1);
      endpoint.reply = answers(MILD);
      expect(await outcome()).to.equal('agreed');
    });
  }

  it('is away when the answer is late, or its body never ends', async () => {
    create(100);
    endpoint.reply = () => undefined;
    expect(await outcome()).to.equal('away');
    endpoint.reply = (response) => void response.writeHead(200).write('{"choices":');
    expect(await outcome()).to.equal('away');
  });

  it('asks once about equal texts of an organisation, at once and for an hour', async () => {
    const before = endpoint.asked.length;
    await Promise.all([outcome(), outcome(), outcome()]);
    expect(await outcome()).to.equal('agreed');
    expect(endpoint.asked.length).to.equal(before + 1);
    await reader.readAgain('another', TEXT, parse);
    expect(endpoint.asked.length).to.equal(before + 2);
    nowMs += 3_600_001;
    await outcome();
    expect(endpoint.asked.length).to.equal(before + 3);
  });

  it('asks at most sixteen questions of one organisation at once, and those of others meanwhile', async () => {
    const held: (() => void)[] = [];
    const before = endpoint.asked.length;
    endpoint.reply = (response, asked) => held.push(() => answers(MILD)(response, asked));
    const all = Array.from({ length: 20 }, (_, i) => outcome(`Read report ${i}`));
    await waitFor(() => held.length === 16);
    expect(endpoint.asked.length).to.equal(before + 16);
    endpoint.reply = answers(MILD);
    expect((await reader.readAgain('other', TEXT, parse)).parse.second_reading).to.equal('agreed');
    endpoint.reply = (response, asked) => held.push(() => answers(MILD)(response, asked));
    while (held.length > 0) {
      held.shift()?.();
      if (endpoint.asked.length < before + 21) await waitFor(() => held.length === 16);
    }
    expect(new Set(await Promise.all(all))).to.deep.equal(new Set(['agreed']));
  });

  it('leaves an endpoint alone that fails three times, tries it with a harmless text, and reports both changes', async () => {
    endpoint.reply = raw('', 503);
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => outcome(`Read number ${i}`)));
    expect(new Set(all)).to.deep.equal(new Set(['away']));
    await waitFor(() => reader.problem() === 'it answers with status 503');
    const before = endpoint.asked.length;
    nowMs += 1_000;
    expect(await Promise.all([outcome('Read a'), outcome('Read b')])).to.deep.equal(['away', 'away']);
    expect(endpoint.asked.slice(before).map(({ text }) => text)).to.deep.equal([HARMLESS]);
    endpoint.reply = answers(MILD);
    nowMs += 1_999;
    expect(await outcome()).to.equal('away');
    nowMs += 1;
    expect(await outcome()).to.equal('agreed');
    expect(reader.problem()).to.equal(undefined);
    expect(changes).to.deep.equal(['it answers with status 503', undefined]);
  });

  it('is not left alone for texts that it does not answer, while it answers others', async () => {
    create(300);
    for (const fail of [() => undefined, raw('', 500)] as const) {
      endpoint.reply = (response, asked) =>
        asked.text.startsWith('Slow') ? fail(response, asked) : answers(MILD)(response, asked);
      const all = await Promise.all(Array.from({ length: 8 }, (_, i) => outcome(`Slow ${fail.name} ${i}`)));
      expect(new Set(all)).to.deep.equal(new Set(['away']));
      expect(await outcome(`Read ${fail.name}`)).to.equal('agreed');
    }
    expect([reader.problem(), changes]).to.deep.equal([undefined, []]);
  });

  it('is not left alone for answers that may be due to one text', async () => {
    for (const reply of [answers('garbage'), raw('', 400), raw('', 413), raw('', 422), raw('x'.repeat(70_000))]) {
      endpoint.reply = reply;
      expect(await outcome()).to.equal('away');
    }
    expect(reader.problem()).to.equal(undefined);
    expect(changes).to.deep.equal([]);
  });

  it('is checked by custos doctor with a harmless text', async () => {
    const config = { readerUrl: endpoint.url, readerModel: 'small', readerKey: 'sk-reader', readerTimeoutMs: 5_000 };
    const verdictOf = async (settings: Parameters<typeof checkSecondReader>[0]) => {
      const [diagnosis] = await checkSecondReader(settings);
      return `${diagnosis?.verdict}: ${diagnosis?.detail}`;
    };
    expect(await verdictOf({ ...config, readerUrl: undefined })).to.match(/^skipped: CUSTOS_READER_URL is not set/);
    expect(await verdictOf(config)).to.match(/^ok: small at 127\.0\.0\.1:\d+ answers in the expected form$/);
    endpoint.reply = raw('', 401);
    expect(await verdictOf(config))
      .to.match(/^warning: .*it answers with status 401$/)
      .and.to.not.include('sk-reader');
  });

  it('counts outcomes, and times only questions that were sent', async () => {
    await outcome();
    await outcome();
    endpoint.reply = answers(GRAVE);
    await outcome('Read another report');
    const text = await registry.metrics();
    expect(text).to.include('custos_second_readings_total{outcome="agreed"} 2');
    expect(text).to.include('custos_second_readings_total{outcome="raised"} 1');
    expect(text).to.include('custos_second_readings_total{outcome="away"} 0');
    expect(text).to.include('custos_second_reader_seconds_count 2');
  });
});
