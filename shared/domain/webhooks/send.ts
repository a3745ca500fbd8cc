// Sends one message over HTTP: the address is resolved once, checked, and pinned; redirects are not followed.
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Environment } from '../../kernel/vocabulary.ts';
import { answerTo, NoAnswerError } from '../../platform/http/answer.ts';
import { type AddressRule, literalAddress } from './addresses.ts';
import { createResolve, type Resolve, type ResolvedAddress } from './resolve.ts';

/** Limit of an attempt, from the look-up of the name to the answer's body. */
export const ATTEMPT_TIMEOUT_MS = 15_000;
/** Bytes of an answer's body that are read. They are not used: a receiver shall be able to finish its answer. */
const BODY_MAX_BYTES = 65_536;

/** Names of what went wrong without an answer, for the list of deliveries. */
export type SendFailure =
  | 'name_not_resolved'
  | 'address_refused'
  | 'connection_failed'
  | 'certificate_refused'
  | 'timeout'
  | 'no_http_answer';

export type SendResult =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly failure: SendFailure };

export interface OutgoingMessage {
  readonly url: string;
  readonly environment: Environment;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string;
}

export interface SenderDeps {
  readonly rule: AddressRule;
  /** Default: that of resolve.ts. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

export type Sender = (message: OutgoingMessage) => Promise<SendResult>;

const failed = (failure: SendFailure): SendResult => ({ kind: 'failed', failure });

function failureOf(error: unknown): SendFailure {
  if (error instanceof NoAnswerError) return 'no_http_answer';
  const { code = '' } = (error ?? {}) as { code?: string };
  if (/^(?:CERT_|ERR_TLS_|DEPTH_|UNABLE_TO_|SELF_SIGNED_|ERR_SSL_|EPROTO)/.test(code)) return 'certificate_refused';
  return code.startsWith('HPE_') ? 'no_http_answer' : 'connection_failed';
}

/** Sends to one of the addresses that were checked. The name stays in the Host header and in the TLS handshake. */
async function post(
  url: URL,
  addresses: readonly ResolvedAddress[],
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  const lookup: LookupFunction = (_name, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
  const body = Buffer.from(message.payload, 'utf8');
  const { request } = url.protocol === 'https:' ? https : http;
  const headers = { ...message.headers, 'content-length': body.length };
  const sent = request(url, { method: 'POST', agent: false, lookup, signal, headers });
  const answered = answerTo(sent);
  sent.end(body);
  try {
    const answer = await answered;
    await readAway(answer, signal);
    return { kind: 'answered', status: answer.statusCode ?? 0 };
  } catch (error) {
    return failed(signal.aborted ? 'timeout' : failureOf(error));
  }
}

/** Reads a bounded part of a body. The status counts, even if the body breaks off or takes too long. */
function readAway(answer: http.IncomingMessage, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      resolve();
      answer.destroy();
    };
    if (signal.aborted || answer.destroyed) return done();
    signal.addEventListener('abort', done, { once: true });
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) done();
    });
    answer.on('error', done);
    answer.on('close', done);
  });
}

export function createSender(deps: SenderDeps): Sender {
  const { rule, timeoutMs = ATTEMPT_TIMEOUT_MS } = deps;
  const resolve = deps.resolve ?? createResolve(rule);
  return async (message) => {
    const url = new URL(message.url);
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), timeoutMs);
    try {
      const literal = literalAddress(url);
      const stopped = new Promise<undefined>((done) => stop.signal.addEventListener('abort', () => done(undefined)));
      const addresses =
        literal === undefined
          ? await Promise.race([resolve(url.hostname, stop.signal).catch(() => []), stopped])
          : [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
      if (addresses === undefined) return failed('timeout');
      if (addresses.length === 0) return failed('name_not_resolved');
      const scheme = { isSecure: url.protocol === 'https:', environment: message.environment };
      // All of them: a name with one private address is not a public receiver.
      if (!addresses.every(({ address }) => rule.permits(address, scheme))) return failed('address_refused');
      return await post(url, addresses, message, stop.signal);
    } finally {
      clearTimeout(timer);
    }
  };
}
