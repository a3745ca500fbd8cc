import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { holdRefusedAddress } from '../support/refused-address.ts';

describe('A refused address', () => {
  it('refuses connections, and cannot be taken by another server before it is given back', async () => {
    const { url, close } = await holdRefusedAddress();
    const port = Number(new URL(url).port);
    const listen = async (): Promise<unknown> => {
      const server = net.createServer().listen(port, '127.0.0.1');
      const error = await once(server, 'listening').catch((reason: unknown) => reason);
      server.close();
      return error;
    };
    const refusal: unknown = await once(net.connect(port, '127.0.0.1'), 'connect').catch((reason: unknown) => reason);
    expect(refusal).to.include({ code: 'ECONNREFUSED' });
    expect(await listen()).to.include({ code: 'EADDRINUSE' });
    await close();
    expect(await listen()).to.not.be.instanceOf(Error);
  });
});
