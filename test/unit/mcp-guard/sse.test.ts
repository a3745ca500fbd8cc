// Server-sent events: any chunks and line endings, and replaced data in an otherwise unchanged event.
import { expect } from 'chai';
import fc from 'fast-check';
import { FrameError } from '../../../cli/mcp/frames.ts';
import { eventOf, type SseEvent, SseReader, withData } from '../../../cli/mcp/sse.ts';

function eventsOf(text: string, size = text.length): SseEvent[] {
  const reader = new SseReader();
  const events: SseEvent[] = [];
  for (let at = 0; at < text.length; at += size) events.push(...reader.read(text.slice(at, at + size)));
  return events;
}

describe('server-sent events', () => {
  it('are the same for any chunks, and keep every character', () => {
    const line = fc.constantFrom('data: {"a":1}', 'data:x', 'data', 'id: 7', ': comment', 'event: message');
    const stream = fc
      .tuple(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      )
      // A lone carriage return at the very end could be half of a line end: another line follows.
      .map(([end, blocks]) => `${blocks.map((lines) => lines.map((one) => one + end).join('') + end).join('')}: end`);
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 7 }), (text, size) => {
        const whole = eventsOf(text);
        expect(eventsOf(text, size)).to.deep.equal(whole);
        expect(text.startsWith(whole.map((event) => event.text).join(''))).to.equal(true);
        expect(whole.map((event) => event.text).join('')).to.have.length(text.length - ': end'.length);
      }),
    );
  });

  it('have the data of all their data lines', () => {
    expect(eventsOf('id: 1\ndata: {\ndata:"a":1\ndata: }\n\n: ping\n\n').map(({ data }) => data)).to.deep.equal([
      '{\n"a":1\n}',
      undefined,
    ]);
  });

  it('are read without the byte order mark at the start of the stream', () => {
    const text = '\uFEFFdata: 1\n\n';
    for (const size of [1, 3, text.length]) expect(eventsOf(text, size).map(({ data }) => data)).to.deep.equal(['1']);
  });

  it('have only lines that all readers take for the same', () => {
    expect(eventsOf('id\nid:1\t\nevent: é\ndata:\u2028\ndata: x\n:\n\n').map(({ data }) => data)).to.deep.equal([
      '\u2028\nx',
    ]);
    for (const line of [
      '\uFEFF\uFEFFdata: 1',
      ' data: 1',
      'Data: 1',
      'database: 1',
      'other: 1',
      ': x\u2028data: 1',
      'id: 1\u0085data: 1',
      'event: x\u000bdata: 1',
    ])
      expect(() => eventsOf(`${line}\n\n`), line).to.throw(FrameError);
  });

  it('can get other data and keep id, type and retry', () => {
    const [event] = eventsOf('id: 1\r\nevent: message\r\nretry: 5\r\ndata: {\r\ndata: }\r\n\r\n');
    if (event === undefined) throw new Error('no event');
    expect(withData(event, '{"b":\n2}')).to.equal('id: 1\nevent: message\nretry: 5\ndata: {"b":\ndata: 2}\n\n');
    expect(eventOf('{}')).to.equal('event: message\ndata: {}\n\n');
  });
});
