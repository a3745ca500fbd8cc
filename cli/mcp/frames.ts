// Framing: bytes into JSON-RPC messages, and the checks that make every parser read the same message.
import { type Json, objectOf } from '../../shared/kernel/json.ts';
import { elementsOf, membersOf } from './json-text.ts';

/** Of one stdio line, one HTTP body or one server-sent event. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
/** The members of a JSON-RPC message. */
const KNOWN = ['jsonrpc', 'id', 'method', 'params', 'result', 'error', '__proto__'];

/** The method that the guard puts on hold. */
export const CALL = 'tools/call';

/** A frame that can't be used; it ends the session. */
export class FrameError extends Error {}

/** One JSON-RPC message: its text as it came, and its value. */
export interface Message {
  readonly text: string;
  readonly value: Json;
}

export interface Frame {
  /** Empty for a blank line and for an empty batch. */
  readonly messages: readonly Message[];
  readonly isBatch: boolean;
}

/** Splits a byte stream at line feeds. Lines keep their terminator, so that forwarding changes no byte. */
export class LineReader {
  private parts: Buffer[] = [];
  private bytes = 0;

  /** @throws {FrameError} when a line is longer than MAX_FRAME_BYTES */
  *read(chunk: Buffer): Generator<Buffer> {
    let rest = chunk;
    for (let at = rest.indexOf(LF); at !== -1; at = rest.indexOf(LF)) {
      this.add(rest.subarray(0, at + 1));
      yield this.take();
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) this.add(rest);
  }

  /** What came after the last line feed; undefined when nothing did. */
  rest(): Buffer | undefined {
    return this.bytes === 0 ? undefined : this.take();
  }

  private add(part: Buffer): void {
    this.parts.push(part);
    this.bytes += part.length;
    if (this.bytes > MAX_FRAME_BYTES) throw new FrameError(`a frame is larger than ${MAX_FRAME_BYTES} bytes`);
  }

  private take(): Buffer {
    const line = this.parts.length === 1 ? this.parts[0] : undefined;
    const taken = line ?? Buffer.concat(this.parts);
    this.parts = [];
    this.bytes = 0;
    return taken;
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    // A byte order mark stays and fails as JSON: some parsers skip it and some do not.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FrameError('a frame is not UTF-8');
  }
}

/** Parses one frame. @throws {FrameError} unless it is blank, a JSON object or an array of JSON objects */
export function readFrame(bytes: Uint8Array): Frame {
  if (bytes.length > MAX_FRAME_BYTES) throw new FrameError(`a frame is larger than ${MAX_FRAME_BYTES} bytes`);
  const text = textOf(bytes);
  if (text.trim() === '') return { messages: [], isBatch: false };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FrameError('a frame is not JSON');
  }
  const single = objectOf(value);
  if (single !== undefined) return { messages: [{ text: text.trim(), value: single }], isBatch: false };
  if (!Array.isArray(value)) throw new FrameError('a frame is neither a JSON object nor a batch');
  const spans = elementsOf(text);
  const messages = value.map((element: unknown, i): Message => {
    const [span, object] = [spans[i], objectOf(element)];
    if (object === undefined || span === undefined) throw new FrameError('a batch has a member that is not an object');
    return { text: text.slice(span.start, span.end), value: object };
  });
  return { messages, isBatch: true };
}

/**
 * Refuses a line that another reader may split: readers with universal newlines (Python, .NET, Java) end a line at a lone carriage
 * return, which is white space to a JSON parser, so one harmless line here could be a tool call, or an answer that the guard has not seen, on
 * a line of its own there.
 * @throws {FrameError}
 */
export function assertOneLine(line: Buffer): void {
  const at = line.indexOf(CR);
  if (at !== -1 && at !== line.length - 2) throw new FrameError('a line has a carriage return inside');
}

/**
 * Equal for names that lenient parsers take for the same: Go's encoding/json, for one, ignores case and folds U+017F and U+212A, and in C a
 * text ends at a zero character.
 */
export function folded(name: string): string {
  const [text = ''] = name.normalize('NFKC').split('\0');
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').toLowerCase();
}

/** The letters and digits of a method: servers that route by its parts may take `tools//call` and `tools%2Fcall` for `tools/call`. */
function lettersOf(method: string): string {
  return folded(method.replaceAll(/%2f/gi, '/')).replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The first name that differs from a known name only in case or in compatible characters. */
export function misspelt(names: readonly string[], known: readonly string[]): string | undefined {
  const meant = known.map(folded);
  return names.find((name) => !known.includes(name) && meant.includes(folded(name)));
}

/** @throws {FrameError} when a member of the message does not mean the same to every parser */
function assertOwnNames({ text }: Message): void {
  const names = membersOf(text).map(({ name }) => name);
  const twice = names.find((name, i) => KNOWN.includes(name) && names.indexOf(name) !== i);
  const odd = twice ?? misspelt(names, KNOWN) ?? names.find((name) => name === '__proto__');
  if (odd !== undefined) throw new FrameError(`a message has an ambiguous member ${JSON.stringify(odd)}`);
}

/**
 * Parses a frame of a server. A client that took the other of two `id` members would get an answer that the guard has taken for another.
 * @throws {FrameError}
 */
export function readServerFrame(bytes: Uint8Array): Frame {
  const frame = readFrame(bytes);
  for (const message of frame.messages) assertOwnNames(message);
  return frame;
}

/**
 * Refuses a message of a client whose members do not mean the same to every parser: a server that took the other of two `method`
 * members would carry out a tool call that the guard has not seen.
 * @throws {FrameError}
 */
export function assertUnambiguous(message: Message): void {
  assertOwnNames(message);
  const { method } = message.value;
  if (method === undefined) return;
  if (typeof method !== 'string') throw new FrameError('a message has a method that is not a string');
  if (method !== CALL && lettersOf(method) === lettersOf(CALL))
    throw new FrameError(`a message has an ambiguous method ${JSON.stringify(method)}`);
}
