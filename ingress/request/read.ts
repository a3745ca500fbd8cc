// Reads a request's body: at most 1 MB, in strict UTF-8 and strict JSON; an error names the place.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../shared/kernel/errors.ts';
import { JsonError, parseJson, positionAt } from '../../shared/kernel/json.ts';

/** 1 MB, as the interface promises. */
const BODY_LIMIT_BYTES = 1_048_576;
/** How much of a refused body is still read and discarded, so that the client can read its answer before the end. */
const DRAIN_LIMIT_BYTES = 24 * BODY_LIMIT_BYTES;
const DRAIN_DEADLINE_MS = 5_000;

/** The client closed the connection before its request was complete, so nobody can be answered. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?;?$/i;

/** Refuses a body that is not declared to be plain JSON in UTF-8. @throws {ApiError} E2009 */
export function checkContentType(headers: IncomingMessage['headers']): void {
  if (!JSON_TYPE.test(headers['content-type'] ?? ''))
    throw new ApiError('E2009', 'The content type must be application/json, in UTF-8.');
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('E2009', 'The body must not be compressed: send it without Content-Encoding.');
}

/** Whether a request announces a body (RFC 9112 section 6). */
export function hasBody(req: IncomingMessage): boolean {
  const length = req.headers['content-length'];
  return (length !== undefined && length !== '0') || req.headers['transfer-encoding'] !== undefined;
}

/**
 * Reads and discards the rest of a refused body while the answer goes out. A client that sends too much, or stops in the
 * middle, loses its connection.
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

/** The bytes of a body. @throws {ApiError} E2005 @throws {ClientGone} */
export function readBody(req: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      const limit = `${limitBytes / BODY_LIMIT_BYTES} MB (${limitBytes.toLocaleString('en')} bytes)`;
      reject(new ApiError('E2005', `The body is larger than ${limit}.`));
    };
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) return tooLarge();
    // Closed while its key was being looked up: no event will come any more.
    if (req.destroyed && !req.readableEnded) return reject(new ClientGone());
    let chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limitBytes) return;
      req.off('data', onData);
      chunks = [];
      tooLarge();
    };
    // Every request closes in the end; an error with its stack is made only for one that was not complete.
    const onClose = (): void => {
      if (!req.readableEnded) reject(new ClientGone());
    };
    req.on('data', onData);
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', onClose);
    req.on('close', onClose);
  });
}

/** The index of the first character that was not UTF-8. */
function firstBadCharacter(body: Buffer, text: string): number {
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    const offset = Buffer.byteLength(text.slice(0, at));
    // The client may have sent a replacement character itself: EF BF BD.
    if (body.readUIntBE(offset, Math.min(3, body.length - offset)) !== 0xef_bf_bd) return at;
  }
  return 0;
}

/** The JSON value of a body. @throws {ApiError} E2006 with line, column and pointer */
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
