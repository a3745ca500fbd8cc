// Obligations that the guard keeps: limits on arguments and redaction of results; everything else refuses the call.
import { expect } from 'chai';
import { limitArgumentsOf, limited, termsOf } from '../../../cli/mcp-guard/obligations.ts';
import { redactedResponse } from '../../../cli/mcp-guard/redaction.ts';
import { readCall, type ToolCall } from '../../../cli/mcp-guard/tool-call.ts';

function callOf(args: object | undefined, more: object = {}): { call: ToolCall; text: string } {
  const value = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'q', arguments: args, ...more } };
  const text = JSON.stringify(value);
  const read = readCall({ text, value });
  if (read.kind !== 'call') throw new Error(read.kind);
  return { call: read.call, text };
}

const SCHEMA = {
  properties: {
    limit: { type: 'integer' },
    pageSize: { type: ['number', 'null'] },
    page_size_note: { type: 'integer' },
    max_rows: { type: 'string' },
  },
};

describe('max_rows', () => {
  it('limits the numeric arguments that bound results, in either spelling', () => {
    expect(limitArgumentsOf(SCHEMA)).to.deep.equal(['limit', 'pageSize']);
    expect(limitArgumentsOf({ properties: { path: { type: 'string' } } })).to.deep.equal([]);
    expect(limitArgumentsOf(null)).to.deep.equal([]);
  });

  for (const [args, forwarded] of [
    [
      { limit: 500, q: 'x' },
      { limit: 100, q: 'x' },
    ],
    [{ limit: 7 }, { limit: 7 }],
    [{ limit: 0 }, { limit: 100 }],
    [{ limit: -1 }, { limit: 100 }],
    [
      { limit: 1e9, pageSize: 20, other: [1] },
      { limit: 100, pageSize: 20, other: [1] },
    ],
    [{ q: 'x' }, { limit: 100, q: 'x' }],
    [{}, { limit: 100 }],
    [undefined, { limit: 100 }],
  ] as const)
    it(`makes ${JSON.stringify(args)} ${JSON.stringify(forwarded)}`, () => {
      const { call, text } = callOf(args);
      const terms = termsOf([{ type: 'max_rows', limit: 100 }], call, ['limit', 'pageSize']);
      if (typeof terms === 'string') throw new Error(terms);
      const sent = JSON.parse(limited(text, terms.limits)) as { params: { arguments: unknown } };
      expect(sent.params.arguments).to.deep.equal(forwarded);
    });

  it('changes no other byte', () => {
    const text = '{"id":1, "params": {"arguments" : {"n":1.0,"limit" : 500 } ,"name":"q"}}';
    expect(limited(text, new Map([['limit', 9]]))).to.equal(text.replace('500', '9'));
  });

  for (const [why, args, names, limit] of [
    ['the tool has no such argument', { limit: 5 }, [], 100],
    ['the argument is not a number', { limit: 'all' }, ['limit'], 100],
    ['it is 0, which many tools treat as no limit', {}, ['limit'], 0],
    ['it is missing', {}, ['limit'], undefined],
    ['an argument differs from the limit in case', { Limit: 5000 }, ['limit'], 10],
    ['an argument differs from the limit in compatible characters', { ｌimit: 5000 }, ['limit'], 10],
    ['an argument differs from the limit in punctuation', { page_size: 5000 }, ['pageSize'], 10],
    ['a limit is deeper in the arguments', { limit: 5, queries: [{ pageSize: 5000 }] }, ['limit'], 10],
    ['an argument may be another limit that the tool has not declared as a number', { maxRows: 5000 }, ['limit'], 10],
  ] as const)
    it(`refuses the call when ${why}`, () => {
      expect(termsOf([{ type: 'max_rows', limit }], callOf(args).call, names)).to.be.a('string');
    });
});

describe('redact_fields', () => {
  const redact = (result: object, ...fields: string[]): unknown => redactedResponse({ id: 1, result }, fields);

  it('redacts fields everywhere: in structured content, in JSON text, in JSON inside of JSON, in any case', () => {
    const inner = JSON.stringify({ rows: [{ Email: 'a@b', n: 1 }], deep: JSON.stringify({ email: 'a@b' }) });
    const shown = redact(
      {
        content: [{ type: 'text', text: inner }],
        structuredContent: { list: [{ email: 'a@b' }] },
        _meta: { email: 'a@b' },
      },
      'email',
    );
    const text = JSON.stringify(shown);
    expect(text).to.include('[redacted]').and.include('\\"n\\":1');
    expect(text).to.not.include('a@b');
  });

  it('withholds content in which fields cannot be found', () => {
    const content = [
      { type: 'text', text: 'email: a@b' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'x', text: 'a@b' } },
      { type: 'resource_link', uri: 'x' },
      'a@b',
    ];
    const shown = redact({ content }, 'email') as { result: { content: { text: string }[] } };
    expect(shown.result.content.every(({ text }) => text.startsWith('[withheld'))).to.equal(true);
  });

  const inJson = (value: unknown): object => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  const ROWS = [[7, 'a@b.c']];
  for (const [where, result] of [
    ['a name with other separators', inJson({ 'E-Mail': 'a@b.c', e_mail: 'a@b.c', 'email ': 'a@b.c' })],
    ['a name with invisible characters', inJson({ 'em\u200bail': 'a@b.c' })],
    ['a list of several', inJson({ emails: ['a@b.c'] })],
    ['a path', inJson({ 'user.email': 'a@b.c', 'a/very/long/path/of/a/member/email': 'a@b.c' })],
    ['a pair of name and value', inJson([{ name: 'email', value: 'a@b.c' }])],
    ['a pair under other names', inJson({ telecom: [{ system: 'email', value: 'a@b.c' }] })],
    ['a table with columns', inJson({ columns: ['id', 'email'], rows: ROWS })],
    ['a table whose columns have titles', inJson({ columns: ['Id', 'Customer Email'], rows: ROWS })],
    ['a table whose columns have a prefix', inJson({ columns: ['u.id', 'u.email'], rows: ROWS })],
    ['a table whose first row has the names', inJson([['id', 'email'], ...ROWS])],
    ['a table with descriptions', inJson({ fields: [{ name: 'id' }, { name: 'email' }], data: ROWS })],
    ['a table of cells', inJson({ fields: [{ name: 'email' }], rows: [{ f: [{ v: 'a@b.c' }] }] })],
    ['one row', inJson({ columns: ['id', 'email'], values: [7, 'a@b.c'] })],
    [
      'two contents',
      { content: [...['["id","email"]', JSON.stringify(ROWS)].map((text) => ({ type: 'text', text }))] },
    ],
    ['CSV in JSON', inJson({ csv: 'id,email\n7,a@b.c' })],
    ['lines of JSON in JSON', inJson({ log: '{"email":"a@b.c"}\n{"email":"a@b.c"}' })],
    ['JSON that is encoded twice', inJson({ data: JSON.stringify(JSON.stringify({ email: 'a@b.c' })) })],
    ['XML in JSON', inJson({ xml: '<email>a@b.c</email>' })],
    ['a sentence in structured content', { structuredContent: { result: 'Her e-mail is an email: a@b.c' } }],
    ['the address of a resource', { content: [{ type: 'resource', resource: { uri: 'x:?email=a@b.c', text: '{}' } }] }],
    ['an address that is no text', { content: [{ type: 'resource', resource: { uri: ['a@b.c'], text: '{}' } }] }],
    ['a kind of result that is no text', { resultType: ['a@b.c'], content: [] }],
    ['a value that ends as a name', inJson({ note: 'a@b.c/email' })],
  ] as const)
    it(`shows no field in ${where}`, () => {
      expect(JSON.stringify(redact(result, 'email')) ?? '').to.not.include('a@b.c');
    });

  it('knows the names of fields in all spellings', () => {
    const shown = redact(
      { structuredContent: { phoneNumber: 1, 'Phone Numbers': [2], phone: 3, имя: 4, фамилия: 5, 'e-mail': 6 } },
      'phone_number',
      'имя',
      'customer.email',
      '...',
    ) as { result: { structuredContent: object } };
    const hidden = '[redacted]';
    expect(shown.result.structuredContent).to.deep.equal({
      phoneNumber: hidden,
      'Phone Numbers': hidden,
      phone: 3,
      имя: hidden,
      фамилия: 5,
      'e-mail': hidden,
    });
  });

  it('shows what does not hold a field: a name as one of several values, and other texts and lists', () => {
    const value = {
      customers: [{ name: 'Ada', preferred: 'email', channels: ['email', 'post'], note: 'calls on Mondays' }],
      counts: [1, 2],
      data: { total: 1 },
    };
    const shown = redact({ structuredContent: value }, 'email', 'phone') as { result: { structuredContent: unknown } };
    expect(shown.result.structuredContent).to.deep.equal(value);
  });

  const secret = 'Ada, ssn 123-45-6789';
  for (const [where, response] of [
    [
      'in structured content',
      { result: { structuredContent: { result: secret }, content: [{ type: 'text', text: secret }] } },
    ],
    ['in other members', { result: { content: ['x'], _meta: { list: [secret] }, note: secret } }],
    ['in members of JSON content', { result: { content: [{ type: 'text', text: '{}', data: secret }] } }],
    [
      'in the bytes of a resource',
      { result: { content: [{ type: 'resource', resource: { text: '{}', blob: secret } }] } },
    ],
    ['in the message of an error', { error: { code: 1, message: secret } }],
    ['in the data of an error', { error: { code: 1, message: 'm', data: secret } }],
    ['in members of the data of an error', { error: { code: 1, message: 'm', data: { detail: secret } } }],
    [
      'in an error beside a result',
      { result: { content: [] }, error: { code: 1, message: 'm', data: { ssn: secret } } },
    ],
    ['in a result that is a text', { result: secret }],
    ['in a result that is a list', { result: [{ ssn: secret }] }],
    ['in an error that is a text', { error: secret }],
    ['in the code of an error', { error: { code: secret, message: 'm' } }],
    ['beside the result', { result: { content: [] }, params: { ssn: secret }, method: '' }],
  ] as const)
    it(`withholds a text that is no JSON ${where}`, () => {
      expect(JSON.stringify(redactedResponse({ id: 1, ...response }, ['ssn'])) ?? '').to.not.include('123-45');
    });

  it('shows texts of structured content when all text of the content is JSON', () => {
    const value = { name: 'Ada', ssn: '1' };
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const content = [{ type: 'text', text: JSON.stringify(value) }, image];
    const shown = redact({ content, structuredContent: value }, 'ssn') as { result: { structuredContent: unknown } };
    expect(shown.result.structuredContent).to.deep.equal({ name: 'Ada', ssn: '[redacted]' });
    expect(JSON.stringify(shown)).to.include('\\"name\\":\\"Ada\\"').and.not.include('AAAA');
  });

  it('applies to errors, and to answers that request input', () => {
    const error = { code: 1, message: 'm', data: { email: 'a@b', n: 1 } };
    expect(redactedResponse({ id: 1, error }, ['email'])).to.deep.nested.include({
      'error.code': 1,
      'error.data': { email: '[redacted]', n: 1 },
    });
    expect(
      JSON.stringify(redact({ resultType: 'input_required', inputRequests: { email: 'a@b' } }, 'email')),
    ).to.not.include('a@b');
  });

  it('refuses a task, whose result comes with another request', () => {
    expect(redact({ task: { taskId: 't' } }, 'email')).to.equal(undefined);
    expect(redact({ resultType: 'task', taskId: 't' }, 'email')).to.equal(undefined);
    expect(termsOf([{ type: 'redact_fields', fields: ['email'] }], callOf({}, { task: {} }).call, [])).to.include(
      'task',
    );
  });
});

describe('an obligation', () => {
  for (const type of ['read_only', 'rate', 'watermark'])
    it(`${type} refuses the call, also together with one that can be kept`, () => {
      expect(termsOf([{ type: 'redact_fields', fields: [] }, { type }], callOf({}).call, [])).to.include(type);
    });
});
