// Framing: lines in any chunks, invalid frames, and messages that two parsers would read differently.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  assertOneLine,
  assertUnambiguous,
  FrameError,
  LineReader,
  MAX_FRAME_BYTES,
  readFrame,
} from '../../../cli/mcp/frames.ts';
import { addMember, elementsOf, memberOf, membersOf, splice } from '../../../cli/mcp/json-text.ts';

function assertFrame(text: string): void {
  const line = Buffer.from(`${text}\n`);
  assertOneLine(line);
  readFrame(line).messages.forEach(assertUnambiguous);
}

describe('lines of a byte stream', () => {
  it('are the same bytes however the stream is cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'ä', '\n', '\r', '{', '😀') }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (text, cuts) => {
          const bytes = Buffer.from(text);
          const reader = new LineReader();
          const lines: Buffer[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = cuts.next().value ?? 1;
            lines.push(...reader.read(bytes.subarray(at, at + size)));
            at += size;
          }
          const rest = reader.rest();
          expect(Buffer.concat([...lines, ...(rest === undefined ? [] : [rest])]).equals(bytes)).to.equal(true);
          expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).to.equal(true);
        },
      ),
    );
  });

  it('may have up to 16 MB', () => {
    const line = Buffer.alloc(MAX_FRAME_BYTES, 'a');
    line[MAX_FRAME_BYTES - 1] = 0x0a;
    expect([...new LineReader().read(line)]).to.have.length(1);
    const reader = new LineReader();
    expect([...reader.read(Buffer.alloc(MAX_FRAME_BYTES, 'a'))]).to.deep.equal([]);
    expect(() => [...reader.read(Buffer.from('a'))]).to.throw(FrameError, 'larger than');
  });
});

describe('a frame', () => {
  it('is an object, a batch or blank', () => {
    expect(readFrame(Buffer.from(' {"a":1} \r\n'))).to.deep.equal({
      messages: [{ text: '{"a":1}', value: { a: 1 } }],
      isBatch: false,
    });
    expect(readFrame(Buffer.from('[ {"a":1} , {"b":[2]}]'))).to.deep.equal({
      messages: [
        { text: '{"a":1}', value: { a: 1 } },
        { text: '{"b":[2]}', value: { b: [2] } },
      ],
      isBatch: true,
    });
    expect(readFrame(Buffer.from('\n')).messages).to.deep.equal([]);
  });

  for (const [why, bytes] of [
    ['is not JSON', Buffer.from('{"a":')],
    ['has text after it', Buffer.from('{} {}')],
    ['is a number', Buffer.from('5')],
    ['is a batch of numbers', Buffer.from('[1]')],
    ['is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['begins with a byte order mark', Buffer.from('\ufeff{}')],
    ['is UTF-16', Buffer.from('{"method":"tools/call"}', 'utf16le')],
  ] as const)
    it(`is invalid when it ${why}`, () => {
      expect(() => readFrame(bytes)).to.throw(FrameError);
    });

  for (const [who, text] of [
    ['uses the first of two members', '{"method":"tools/call","id":1,"method":"ping"}'],
    ['uses the last of two members, one of them escaped', '{"method":"ping","id":1,"m\\u0065thod":"tools/call"}'],
    ['uses the other of two ids', '{"method":"ping","id":1,"id":2}'],
    ['ignores case', '{"Method":"tools/call","id":1}'],
    ['ignores case and uses the last', '{"method":"ping","METHOD":"tools/call","id":1}'],
    ['folds a long s', '{"method":"ping","param\u017f":{}}'],
    ['merges __proto__', '{"__proto__":{"method":"tools/call"},"id":1}'],
    ['treats an array as a text', '{"method":["tools/call"],"id":1}'],
    ['ignores case in methods', '{"method":"Tools/Call","id":1}'],
    ['trims methods', '{"method":"tools/call ","id":1}'],
    ['reads full-width letters', '{"method":"ｔools/call","id":1}'],
    ['ends a text at a zero character', '{"method":"tools/call\\u0000x","id":1}'],
    ['ends the name of a member at a zero character', '{"method\\u0000":"tools/call","method":"ping","id":1}'],
    ['skips invisible characters', '{"method":"tools\u200b/\u00adcall","id":1}'],
    ['routes by the parts of a method', '{"method":"tools//call/","id":1}'],
    ['undoes escapes in methods', '{"method":"tools%2fcall","id":1}'],
    ['takes another separator', '{"method":"tools.call","id":1}'],
    ['splits lines at carriage returns', '{"method":"ping","params":\r{"method":"tools/call","id":1}\r}'],
  ] as const)
    it(`is invalid when a parser that ${who} would find a tool call`, () => {
      expect(() => assertFrame(text)).to.throw(FrameError);
    });

  it('is valid when its members are in any order, nested ones repeat, and its line ends with CR LF', () => {
    for (const text of [
      '{"params":{"method":"tools/call","x":{"id":1,"id":2}},"id":"a","method":"ping","jsonrpc":"2.0"}\r',
      '{"id":1,"result":{"Method":1}}',
      '{"method":"notifications/tools/call"}',
    ])
      assertFrame(text);
  });
});

describe('positions in JSON text', () => {
  const json = fc.json({ maxDepth: 4 });

  it('split a text into the members and elements that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.array(json), fc.constantFrom('', ' ', '\n\t'), (values, space) => {
        const list = `${space}[${values.map((value) => space + value + space).join(',')}${space}]`;
        expect(elementsOf(list).map(({ start, end }) => list.slice(start, end).trim())).to.deep.equal(
          values.map((v) => v.trim()),
        );
        const object = `{${values.map((value, i) => `${space}${JSON.stringify(`${i}"\\`)}${space}:${space}${value}`).join(',')}${space}}`;
        expect(membersOf(object).map(({ name, start, end }) => [name, object.slice(start, end)])).to.deep.equal(
          values.map((value, i) => [`${i}"\\`, value.trim()]),
        );
      }),
    );
  });

  it('replace and add one member and keep every other byte', () => {
    const text = '{ "a" : {"b":1.0,"c":"}"} ,"d":[]}';
    const a = memberOf(text, 'a');
    const b = memberOf(text, 'b', a?.start);
    if (a === undefined || b === undefined) throw new Error('not found');
    expect(splice(text, b, '2')).to.equal('{ "a" : {"b":2,"c":"}"} ,"d":[]}');
    expect(addMember(text, a.start, 'n', '3')).to.equal('{ "a" : {"n":3,"b":1.0,"c":"}"} ,"d":[]}');
    expect(addMember('{ }', 0, 'n', '3')).to.equal('{"n":3 }');
    expect(memberOf(text, 'zz')).to.equal(undefined);
  });
});
