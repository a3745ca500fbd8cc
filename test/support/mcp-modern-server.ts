// An MCP server with the official SDK 2.x, protocol versions 2025-06-18 to 2026-07-28. As a program it uses stdio, in process HTTP.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

function createServer(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
  const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
    content: [{ type: 'text', text: value }],
  });
  server.registerTool('read', { description: 'Reads', inputSchema }, () => text('read'));
  server.registerTool('steps', { description: 'Takes four steps', inputSchema }, async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progressToken !== undefined && progress <= 4; progress += 1)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    return text('done');
  });
  server.registerTool('ask', { description: 'Asks the user', inputSchema }, (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'name');
    if (answer.kind === 'missing')
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Your name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          }),
        },
      });
    return text(JSON.stringify(answer));
  });
  return server;
}

/** Serves it over streamable HTTP on a free port. */
export async function serveModern(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handler = createMcpHandler(createServer);
  const server = http.createServer((incoming, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const controller = new AbortController();
      response.once('close', () => controller.abort());
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const init = { method: incoming.method ?? 'GET', headers, signal: controller.signal, ...body };
      const answer = await handler.fetch(new Request(`http://${incoming.headers.host}${incoming.url}`, init));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await handler.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveStdio(createServer);
