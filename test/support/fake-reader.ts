// A chat completions endpoint for tests of the second reader: answers each text as its script says.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SecondAnswer } from '../../shared/core/intent/second-reading.ts';

export const MILD: SecondAnswer = {
  effect: 'read',
  action: 'read',
  traits: [],
  data_classes: [],
  flags: [],
  why: 'It only reads.',
};

/** A model's answer: an object, or a text as it is. */
export const completion = (content: unknown): string =>
  JSON.stringify({
    object: 'chat.completion',
    choices: [
      { message: { role: 'assistant', content: typeof content === 'string' ? content : JSON.stringify(content) } },
    ],
  });

export interface Asked {
  readonly text: string;
  readonly body: { readonly model: string; readonly temperature: number };
  readonly headers: http.IncomingHttpHeaders;
}

export type Reply = (response: ServerResponse, asked: Asked) => void;

export const answers =
  (content: unknown): Reply =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(completion(content));

export interface FakeReader {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Used for every text until it is changed. */
  reply: Reply;
  close(): Promise<void>;
}

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Asked['body'] & {
    messages: { content: string }[];
  };
  const { text } = JSON.parse(body.messages[1]?.content ?? '{}') as { text: string };
  return { text, body, headers: request.headers };
}

export async function startFakeReader(): Promise<FakeReader> {
  const asked: Asked[] = [];
  const server = http.createServer((request, response) => {
    void askedOf(request).then((question) => {
      asked.push(question);
      reader.reply(response, question);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listens on TCP, so the address is an object.
  const { port } = server.address() as AddressInfo;
  const reader: FakeReader = {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    asked,
    reply: answers(MILD),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return reader;
}
