// `custos mcp-guard`: stands between an MCP client and a server, and lets a tool call through only when Custos permits it.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { isCallerId } from '../shared/kernel/ids.ts';
import { EXIT, exitAfterServing, say, UsageError } from './exit.ts';
import { SYSTEM_CLOCK } from './mcp-guard/clock.ts';
import { createCustos } from './mcp-guard/custos.ts';
import { Guard } from './mcp-guard/guard.ts';
import { createHideDenied } from './mcp-guard/hiding.ts';
import {
  type AccessOptions,
  isLoopback,
  isToken,
  type ListenAddress,
  MIN_TOKEN_LENGTH,
  parseListen,
} from './mcp-guard/http-access.ts';
import { guardHttp } from './mcp-guard/http.ts';
import { Reporter } from './mcp-guard/reports.ts';
import { newState, Session } from './mcp-guard/session.ts';
import { guardStdio } from './mcp-guard/stdio.ts';
import { serverEnv } from './mcp/server-process.ts';
import { apiKey, httpUrl, serviceUrl, wholeNumber } from './options.ts';
import type { CommandBody } from './program.ts';

interface Options {
  readonly agent: string;
  readonly server: string;
  readonly url?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly wait: number;
  readonly hideDenied?: true | undefined;
  readonly report?: true | undefined;
  readonly listen?: ListenAddress | undefined;
  readonly publicUrl?: string | undefined;
  readonly listenTokenFile?: string | undefined;
  readonly upstream?: string | undefined;
}

const NOTES = `The API key comes from CUSTOS_KEY or --key-file. It needs the scope intents:write, trust:write for --report, and
admin:* for --hide-denied. Clients of --listen send their token in the header Custos-Guard-Token. The server does not get the environment variables whose names begin with CUSTOS_.

Examples:
  custos mcp-guard --agent release-bot --server filesystem -- npx @modelcontextprotocol/server-filesystem /srv/app
  custos mcp-guard --agent release-bot --server tickets --listen 3901 --upstream https://tickets.example.com/mcp
`;

export const mcpGuardCommand: CommandBody = {
  exitCodes: {
    [EXIT.failed]:
      'A frame could not be read, or the server could not be started. Over stdio, else the code of the server.',
  },
  notes: NOTES,
  define: (command) =>
    command
      .requiredOption('--agent <agentId>', 'the agent that calls the tools')
      .requiredOption('--server <name>', 'the name of the server in the catalogue of tools')
      .option('--url <address>', 'the address of Custos (default: CUSTOS_URL)')
      .option('--key-file <path>', 'a file with the API key (default: the key in CUSTOS_KEY)')
      .option('--wait <seconds>', 'how long a call waits for the approval of a human', wholeNumber(0, 86_400), 300)
      .option('--hide-denied', 'leave tools out of lists that are denied whatever their arguments')
      .option('--report', 'send a trust signal after each call: success or failure')
      .option(
        '--listen <[host:]port>',
        'serve streamable HTTP here, on 127.0.0.1 without a host; with --upstream',
        listenAddress,
      )
      .option('--public-url <url>', 'where clients reach the guard, if not at the address of --listen')
      .option('--listen-token-file <path>', 'a file with the token of the clients (default: CUSTOS_LISTEN_TOKEN)')
      .option('--upstream <url>', 'the MCP endpoint of the server, with --listen')
      .argument('[command...]', 'starts the MCP server over stdio, after --')
      .action(exitAfterServing(async (words, options) => run(words, options))),
};

async function run([command, ...args]: readonly string[], options: Options): Promise<number> {
  const { agent, server, listen, upstream } = options;
  const isHttp = listen !== undefined || upstream !== undefined;
  if (isHttp === (command !== undefined) || (isHttp && (listen === undefined || upstream === undefined)))
    throw new UsageError('Name either a command after "--", or --listen and --upstream.');
  for (const [name, value] of [
    ['--agent', agent],
    ['--server', server],
  ] as const)
    if (!isIdentifier(value))
      throw new UsageError(
        `${name} has 1 to 256 characters, none of them a control character, and does not begin with "custos:".`,
      );
  const waitMs = 1_000 * options.wait;
  const clock = SYSTEM_CLOCK;
  const log = (line: string): void => say(`custos mcp-guard: ${line}`);
  const custos = createCustos({ url: addressOf(options), key: keyOf(options), clock, newId: randomUUID });
  const reporter = new Reporter({ custos, clock, withSignals: options.report === true, log });
  const guard = new Guard({ agentId: agent, server, custos, clock, waitMs, newId: randomUUID });
  const hide = options.hideDenied === true ? createHideDenied({ agentId: agent, server, custos, log }) : undefined;
  const common = { guard, newId: randomUUID, log };
  try {
    if (command !== undefined) {
      const session = new Session({ reporter, hide, log, state: newState() });
      return await guardStdio({ ...common, command, args, env: serverEnv(), session, nowMs: clock.nowMs });
    }
    const url = httpUrl('--upstream', upstream ?? '');
    const access = accessOf(options);
    const http = await guardHttp({ ...common, ...access, upstream: url, session: { reporter, hide, log } });
    log(`Listening on ${http.address} for ${url.href}.`);
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
    await http.close();
    return 0;
  } finally {
    await reporter.end();
  }
}

/** As the service has it for ids of agents and names of servers. */
function isIdentifier(text: string): boolean {
  return isCallerId(text) && text.isWellFormed();
}

function addressOf({ url }: Options): string {
  const text = url ?? process.env['CUSTOS_URL'];
  if (text === undefined) throw new UsageError('Where does Custos run? Set CUSTOS_URL, or name it with --url.');
  return serviceUrl(url === undefined ? 'CUSTOS_URL' : '--url', text);
}

function listenAddress(text: string): ListenAddress {
  const address = parseListen(text);
  if (address === undefined)
    throw new InvalidArgumentError('It must be a port, or a host and a port such as 0.0.0.0:3901.');
  return address;
}

function accessOf({ listen, publicUrl, listenTokenFile: file }: Options): AccessOptions {
  const address = listen ?? { host: '127.0.0.1', port: 0 };
  const token = file === undefined ? process.env['CUSTOS_LISTEN_TOKEN'] : readSecret('--listen-token-file', file);
  if (token === undefined && !isLoopback(address))
    throw new UsageError(
      'Clients on other machines need a token: set CUSTOS_LISTEN_TOKEN, or name a file with --listen-token-file.',
    );
  if (token !== undefined && !isToken(token))
    throw new UsageError(
      `The token of the clients must have at least ${MIN_TOKEN_LENGTH} visible ASCII characters, without spaces.`,
    );
  return {
    listen: address,
    token,
    publicUrl: publicUrl === undefined ? undefined : httpUrl('--public-url', publicUrl),
  };
}

function keyOf({ keyFile }: Options): string {
  const key = keyFile === undefined ? process.env['CUSTOS_KEY'] : readSecret('--key-file', keyFile);
  if (!key) throw new UsageError('An API key is needed: set CUSTOS_KEY, or name a file with --key-file.');
  return apiKey(keyFile ?? 'CUSTOS_KEY', key);
}

function readSecret(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`${option} ${file} can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
