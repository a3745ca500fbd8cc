// Requests to an MCP server over HTTP.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Endpoint, readAll } from '../../../cli/mcp/endpoint.ts';
import { waitFor } from '../../support/wait.ts';

describe('A connection to an MCP server', () => {
  it('is used again, and closed by the guard before the server closes it: a request that meets that end would fail', async () => {
    const closedBy: ('guard' | 'server')[] = [];
    const server = http.createServer((_request, response) => response.end('{}'));
    server.keepAliveTimeout = 2_500;
    server.on('connection', (socket) => {
      let hasEnded = false;
      socket.once('end', () => (hasEnded = true));
      socket.once('close', () => closedBy.push(hasEnded ? 'guard' : 'server'));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const endpoint = new Endpoint(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
    const { signal } = new AbortController();
    for (let i = 0; i < 2; i += 1) {
      await readAll(await endpoint.request({ method: 'POST', headers: [], body: Buffer.from('{}'), signal }));
      // The agent takes the connection back after the end of the answer.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await waitFor(() => closedBy.length > 0);
    expect(closedBy).to.deep.equal(['guard']);
    endpoint.close();
    await new Promise((resolve) => server.close(resolve));
  });

  for (const [what, bytes] of Object.entries({
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
    'the status of another protocol': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'no HTTP': 'hello\r\n\r\n',
  }))
    it(`fails when the server answers with ${what}`, async () => {
      const server = net.createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.write(bytes));
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const endpoint = new Endpoint(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
      const { signal } = new AbortController();
      const answer = endpoint.request({ method: 'GET', headers: [], body: undefined, signal });
      expect(await answer.then(() => 'answered', String)).to.match(/Error: /);
      endpoint.close();
      await new Promise((resolve) => server.close(resolve));
    });
});
