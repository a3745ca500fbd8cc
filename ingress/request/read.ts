// The body reader: collects at most the limit, refuses what is not UTF-8 or not strict JSON, and says where.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../shared/kernel/errors.ts';
import { JsonError, parseJson, positionAt } from '../../shared/kernel/json.ts';

/** 1 MB, as the interface promises. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** How much of a body that nobody wants is read on, so that the client gets to read its answer before the end. */
const DRAIN_LIMIT_BYTES = 16 * BODY_LIMIT_BYTES;
const DRAIN_DEADLINE_MS = 5_000;

/** The client went away before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

/** Refuses a body that is not declared to be plain JSON in UTF-8. @throws {ApiError} E2009 */
export function checkContentType(headers: IncomingMessage['headers']): void {
  const type = headers['content-type'];
  if (type !== 'application/json' && (type === undefined || !JSON_TYPE.test(type))) {
    throw new ApiError('E2009', 'The content type must be application/json, in UTF-8.');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('E2009', 'The body must not be compressed: send it without Content-Encoding.');
  }
}

function tooLarge(): ApiError {
  return new ApiError('E2005', 'The body is larger than 1 MB (1,048,576 bytes).');
}

/** Whether a request announces a body (RFC 9112 section 6). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return (length !== undefined && length !== '0') || req.headers['transfer-encoding'] !== undefined;
}

/**
 * Lets the rest of an unwanted body run into nothing while the answer goes out. A client that sends on and on, or
 * stops in the middle, loses its connection.
 */
export function drain(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => req.socket.destroy(), DRAIN_DEADLINE_MS);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAIN_LIMIT_BYTES) req.socket.destroy();
  });
  req.once('end', stop);
  req.once('close', stop);
  req.on('error', stop);
  req.resume();
}

/** Collects the body and calls back once, with an error (E2005, ClientGone) or the bytes. */
export function readBody(
  req: IncomingMessage,
  limitBytes: number,
  done: (error: Error | undefined, body: Buffer) => void,
): void {
  const announced = req.headers['content-length'];
  if (announced !== undefined && Number(announced) > limitBytes) return done(tooLarge(), Buffer.alloc(0));
  // Gone while its key was being looked up: no event will come any more.
  if (req.destroyed && !req.readableEnded) return done(new ClientGone(), Buffer.alloc(0));
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let bytes = 0;
  let finished = false;
  const finish = (error: Error | undefined): void => {
    if (finished) return;
    finished = true;
    req.off('data', onData);
    done(error, more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, bytes));
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      more = [];
      bytes = 0;
      finish(tooLarge());
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  };
  req.on('data', onData);
  req.on('end', () => finish(undefined));
  // Every request closes in the end; an error with its stack is made only for one that was not complete.
  const gone = (): void => {
    if (!finished) finish(new ClientGone());
  };
  req.on('error', gone);
  req.on('close', gone);
}

/** Where the first byte is that is not UTF-8, in characters before it. */
function firstBadCharacter(body: Buffer, text: string): number {
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    const offset = Buffer.byteLength(text.slice(0, at));
    // A replacement character may have been sent as such: EF BF BD.
    if (body.readUIntBE(offset, Math.min(3, body.length - offset)) !== 0xef_bf_bd) return at;
  }
  return 0;
}

/** The text and the value of a body. @throws {ApiError} E2006 with line, column and pointer */
export function parseBody(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    if (!isUtf8(body)) {
      const at = firstBadCharacter(body, text);
      throw new JsonError('not valid UTF-8', at, positionAt(text, at), '');
    }
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ApiError('E2006', `The body is not valid JSON: ${error.message}.`, {
      errors: [{ pointer: error.pointer, message: `${error.reason} (line ${error.line}, column ${error.column})` }],
      cause: error,
    });
  }
}
