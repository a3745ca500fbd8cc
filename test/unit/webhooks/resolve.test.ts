// The names of receivers are looked up without holding up anything else.
import dgram from 'node:dgram';
import { expect } from 'chai';
import { createResolve, type ResolvedAddress } from '../../../shared/domain/webhooks/resolve.ts';
import { createGate } from '../../support/gate.ts';

/** Answers with the address to questions about IPv4, and with no address to others; null: there is no such name, undefined: no answer. */
async function startNameServer(addressOf: (name: string) => string | null | undefined) {
  const socket = dgram.createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const name = labels.join('.');
    asked.push(name);
    const address = addressOf(name);
    if (address === undefined) return;
    const question = query.subarray(12, at + 5);
    const isFound = address !== null && query.readUInt16BE(at + 1) === 1;
    const answer = isFound
      ? [Buffer.from('c00c00010001000000000004', 'hex'), Buffer.from(address.split('.').map(Number))]
      : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(address === null ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(answer.length > 0 ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, question, ...answer]), from.port, from.address);
  });
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
  const close = (): Promise<void> => new Promise((resolve) => void socket.close(() => resolve()));
  return { nameServers: [`127.0.0.1:${socket.address().port}`], asked, close };
}

const never = new AbortController().signal;
const FOUND: readonly ResolvedAddress[] = [{ address: '10.0.0.7', family: 4 }];

describe('the name of a receiver', () => {
  it('is asked of the name servers, and the attempt that does not wait any more ends the look-up', async () => {
    const server = await startNameServer((name) => (name.startsWith('slow') ? undefined : '8.8.4.4'));
    const system = async (): Promise<never> => expect.fail('the system was asked');
    const resolve = createResolve({ allowsPrivate: true, nameServers: server.nameServers, system });
    const stop = new AbortController();
    const slow = resolve('slow.example.com', stop.signal);
    expect(await resolve('fast.example.com', never)).to.deep.equal([{ address: '8.8.4.4', family: 4 }]);
    stop.abort();
    expect(await slow).to.deep.equal([]);
    await server.close();
  });

  it('is asked of the system when the name servers do not know it and private receivers are allowed', async () => {
    const server = await startNameServer(() => null);
    const asked: string[] = [];
    const system = async (name: string) => {
      asked.push(name);
      return FOUND;
    };
    const { nameServers } = server;
    expect(await createResolve({ allowsPrivate: true, nameServers, system })('hooks.internal', never)).to.equal(FOUND);
    expect(await createResolve({ allowsPrivate: false, nameServers, system })('hooks.internal', never)).to.deep.equal(
      [],
    );
    expect(asked).to.deep.equal(['hooks.internal']);
    await server.close();
  });

  it('without a dot is asked of the system alone, one name at a time and an equal name once', async () => {
    const gate = createGate();
    const asked: string[] = [];
    const system = async (name: string) => {
      asked.push(name);
      await gate.opened;
      return FOUND;
    };
    const resolve = createResolve({ allowsPrivate: false, nameServers: [], readHosts: async () => '', system });
    const stop = new AbortController();
    const first = [resolve('receiver', never), resolve('receiver', never)];
    const second = resolve('other', never);
    const gone = resolve('gone', stop.signal);
    stop.abort();
    expect(await gone).to.deep.equal([]);
    expect(asked).to.deep.equal(['receiver']);
    gate.open();
    expect(await Promise.all([...first, second])).to.deep.equal([FOUND, FOUND, FOUND]);
    expect(asked).to.deep.equal(['receiver', 'other']);
  });

  it('in the hosts file is asked of nobody', async () => {
    const hosts =
      '# 10.0.0.9 hooks.internal\n10.0.0.7\tother Hooks.Internal # one\n::7 hooks.internal\nx hooks.internal\n';
    const system = async (): Promise<never> => expect.fail('the system was asked');
    const resolve = createResolve({
      allowsPrivate: false,
      nameServers: ['127.0.0.1:1'],
      readHosts: async () => hosts,
      system,
    });
    const both = [...FOUND, { address: '::7', family: 6 }];
    expect(await resolve('hooks.internal', never)).to.deep.equal(both);
    expect(await resolve('other', never)).to.deep.equal(FOUND);
  });

  it('has no address when the system fails, and the next name is asked', async () => {
    const system = async (name: string) => (name === 'bad' ? Promise.reject(new Error('EAI_AGAIN')) : FOUND);
    const resolve = createResolve({ allowsPrivate: false, nameServers: [], system });
    expect(await resolve('bad', never)).to.deep.equal([]);
    expect(await resolve('good', never)).to.equal(FOUND);
  });
});
