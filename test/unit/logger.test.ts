// Log lines contain no credential in any place, and nothing that callers sent.
import { expect } from 'chai';
import { createLogger } from '../../shared/platform/observe/logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = '';
  const destination = { write: (text: string) => void (line = text) };
  write(createLogger({ name: 'test', level: 'info', pretty: false, destination }));
  return JSON.parse(line) as Record<string, unknown>;
}

describe('a log line', () => {
  const places: [string, object, object][] = [
    ['itself', { authorization: 'SECRET', a: 1 }, { authorization: '[hidden]', a: 1 }],
    ['a member', { key: { apiKey: 'SECRET', id: 'x' } }, { key: { apiKey: '[hidden]', id: 'x' } }],
    [
      'the headers of a request',
      { req: { headers: { cookie: 'SECRET', host: 'h' } } },
      { req: { headers: { cookie: '[hidden]', host: 'h' } } },
    ],
    ['a list', { keys: [{ password: 'SECRET' }, 7] }, { keys: [{ password: '[hidden]' }, 7] }],
  ];
  for (const [where, given, shown] of places)
    it(`hides a credential in ${where}`, () => {
      const line = logged((logger) => logger.info(given, 'text'));
      expect(line).to.deep.include(shown);
      expect(JSON.stringify(line)).not.to.contain('SECRET');
    });
  it('hides a credential in an error, and shows its message and stack', () => {
    const error = Object.assign(new Error('went wrong'), { databaseUrl: 'SECRET', code: '08006' });
    const line = logged((logger) => logger.error({ err: error }));
    expect(line['err']).to.include({ message: 'went wrong', databaseUrl: '[hidden]', code: '08006', type: 'Error' });
    expect(JSON.stringify(line)).to.contain('logger.test').and.not.to.contain('SECRET');
    expect(error.databaseUrl, 'the error itself is unchanged').to.equal('SECRET');
  });
  it('hides what an error of PostgreSQL quotes of a row or of a statement', () => {
    const quoting = {
      detail: 'Failing row contains (PAYLOAD)',
      where: 'line 1: PAYLOAD',
      internalQuery: "SELECT 'PAYLOAD'",
    };
    const line = logged((logger) =>
      logger.error({ err: Object.assign(new Error('refused'), quoting, { code: '23514' }) }),
    );
    expect(line['err']).to.include({ message: 'refused', code: '23514', detail: '[hidden]' });
    expect(JSON.stringify(line)).not.to.contain('PAYLOAD');
  });
  it('hides the arguments of a command that Redis refused, such as the password of AUTH, and shows its name', () => {
    const refused = (name: string, ...args: string[]) =>
      Object.assign(new Error('WRONGPASS'), { command: { name, args } });
    const err = Object.assign(refused('auth', 'SECRET'), { previousErrors: [refused('set', 'key', 'PAYLOAD')] });
    const line = logged((logger) => logger.warn({ err }, 'text'));
    expect(line['err']).to.deep.include({ message: 'WRONGPASS', command: { name: 'auth', args: '[hidden]' } });
    expect(JSON.stringify(line)).not.to.contain('SECRET').and.not.to.contain('PAYLOAD');
  });
  it('names the causes of an error in one sentence', () => {
    const cause = new Error('waiting for a connection took longer than 2000 ms');
    const err = new Error('It may be repeated.', { cause: new Error('No answer.', { cause }) });
    expect(logged((logger) => logger.warn({ err }))['err']).to.include({
      message: 'It may be repeated: No answer: waiting for a connection took longer than 2000 ms',
    });
    const itself = new Error('It turns.');
    itself.cause = itself;
    expect(logged((logger) => logger.warn({ err: itself }))['err']).to.include({ message: 'It turns.' });
  });
  it('hides a credential in the bindings of a child logger', () => {
    expect(logged((logger) => logger.child({ pepper: 'SECRET' }).info('text'))).to.include({ pepper: '[hidden]' });
  });
  it('shows nothing at a terminal that moves its cursor or looks like another line', () => {
    let text = '';
    const destination = { write: (line: string) => void (text += line) };
    const logger = createLogger({ name: 'test', level: 'info', pretty: true, destination });
    const hostile = 'a\u001b[2J\n[12:00:00.000] INFO (test): all is well\u009b1A';
    logger.error({ err: new Error(hostile), agentId: hostile }, hostile);
    // Its own colours.
    const plain = text.replaceAll(/\u001b\[\d+m/g, '');
    expect(plain).to.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] ERROR \(test\): a/);
    expect(plain).to.not.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(plain.match(/^\[/gm)).to.have.lengthOf(1);
  });
});
