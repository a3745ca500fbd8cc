// Requests to an MCP server over HTTP.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
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
});
