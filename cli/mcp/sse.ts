// Server-sent events (WHATWG HTML, section 9.2): splits a stream into events, and replaces the data of one event.
import { FrameError, MAX_FRAME_BYTES } from './frames.ts';

/** One block with its terminating blank line, as it came. */
export interface SseEvent {
  readonly text: string;
  /** Undefined for a block without data, such as a comment. */
  readonly data: string | undefined;
}

const LINE_END = /\r\n|\n|\r/;
/** A line end and a blank line. A carriage return at the very end may be the first half of a line end. */
const EVENT_END = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n|$))/g;
const EVENT_END_LENGTH = 4;

/**
 * The lines that all readers take for the same: some skip a byte order mark before `data`, and some (Python's `splitlines`) end a line at
 * other characters than those of the specification, behind which another line can begin.
 */
const PLAIN_LINE = /^(?:data(?::.*)?|(?:|(?::|(?:event|id|retry)(?=:|$))(?:\t|[^\p{Cc}\p{Zl}\p{Zp}])*))$/su;

function isData(line: string): boolean {
  return line === 'data' || line.startsWith('data:');
}

function dataOf(block: string): string | undefined {
  const all = block.split(LINE_END);
  if (!all.every((line) => PLAIN_LINE.test(line))) throw new FrameError('an event has a line that is none of an event');
  const lines = all.filter(isData);
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}

export class SseReader {
  private rest = '';
  private hasBegun = false;
  private searched = 0;

  /** @param text of whole characters, as a StringDecoder gives them @throws {FrameError} when an event is too large or ambiguous */
  *read(text: string): Generator<SseEvent> {
    // The first character of a stream may be a byte order mark, which is no part of its first line.
    this.rest += this.hasBegun ? text : text.replace(/^\uFEFF/, '');
    this.hasBegun ||= text !== '';
    EVENT_END.lastIndex = Math.max(0, this.searched - EVENT_END_LENGTH);
    for (let end = EVENT_END.exec(this.rest); end !== null; end = EVENT_END.exec(this.rest)) {
      const block = this.rest.slice(0, end.index + end[0].length);
      this.rest = this.rest.slice(block.length);
      yield { text: block, data: dataOf(block) };
      EVENT_END.lastIndex = 0;
    }
    this.searched = this.rest.length;
    if (this.rest.length > MAX_FRAME_BYTES) throw new FrameError(`an event is larger than ${MAX_FRAME_BYTES} bytes`);
  }
}

function dataLines(json: string): string {
  return json
    .split(LINE_END)
    .map((line) => `data: ${line}\n`)
    .join('');
}

/** An event with JSON, which may have line breaks. */
export function eventOf(json: string): string {
  return `event: message\n${dataLines(json)}\n`;
}

/** The same event with other JSON: its id, type and retry stay. */
export function withData({ text }: SseEvent, json: string): string {
  const others = text.split(LINE_END).filter((line) => line !== '' && !isData(line));
  return `${others.map((line) => `${line}\n`).join('')}${dataLines(json)}\n`;
}
