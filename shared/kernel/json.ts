// Strict JSON (RFC 8259 with the I-JSON limits of RFC 7493). It refuses ambiguous input that JSON.parse accepts.

/** The reason and position of a syntax error. `line` and `column` count from 1; `pointer` is an RFC 6901 pointer. */
export class JsonError extends Error {
  readonly reason: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;

  constructor(reason: string, offset: number, at: { line: number; column: number }, pointer: string) {
    super(`${reason} at line ${at.line}, column ${at.column}`);
    this.name = 'JsonError';
    this.reason = reason;
    this.offset = offset;
    this.line = at.line;
    this.column = at.column;
    this.pointer = pointer;
  }
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

const MAX_DEPTH = 64;
const NEEDS_CARE = /[\\\u0000-\u001f]/;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** The position of a character offset in a text, both counted from 1. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) {
    line += 1;
    start = i + 1;
  }
  return { line, column: offset - start + 1 };
}

export type Json = Readonly<Record<string, unknown>>;

/** The value, when it is an object that is no array. */
export function objectOf(value: unknown): Json | undefined {
  // JSON.parse gives plain objects.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** An own member of an object; undefined for any other value. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** One reference token of an RFC 6901 JSON pointer. */
export function pointerToken(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The names in an RFC 6901 JSON pointer. */
export const pointerNames = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Where a value and its members start. */
interface Offsets {
  readonly at: number;
  readonly of: Map<string, Offsets>;
}

class Parser {
  private readonly text: string;
  private readonly path: (string | number)[] = [];
  /** The value that is being parsed; undefined when no positions are wanted. */
  private parent: Offsets | undefined;
  private at = 0;

  constructor(text: string, root?: Offsets) {
    this.text = text;
    this.parent = root;
  }

  parse(): unknown {
    if (!this.text.isWellFormed()) this.fail('lone surrogate');
    this.space();
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.fail('unexpected text after the value');
    return value;
  }

  private pointer(): string {
    return this.path.map(pointerToken).join('');
  }

  private fail(reason: string, offset = this.at): never {
    throw new JsonError(reason, offset, positionAt(this.text, offset), this.pointer());
  }

  private space(): void {
    const { text } = this;
    for (;;) {
      const c = text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at += 1;
    }
  }

  /** A value, with its position in its parent. */
  private value(): unknown {
    const { parent } = this;
    if (parent === undefined) return this.plainValue();
    const offsets: Offsets = { at: this.at, of: new Map() };
    parent.of.set(String(this.path.at(-1) ?? ''), offsets);
    this.parent = offsets;
    const value = this.plainValue();
    this.parent = parent;
    return value;
  }

  private plainValue(): unknown {
    const { text } = this;
    switch (text.charCodeAt(this.at)) {
      case 0x7b:
        return this.object();
      case 0x5b:
        return this.array();
      case 0x22:
        return this.string();
      case 0x74:
        return this.word('true', true);
      case 0x66:
        return this.word('false', false);
      case 0x6e:
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('unexpected character');
    this.at += word.length;
    return value;
  }

  private number(): number {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) return this.fail(this.at >= this.text.length ? 'unexpected end' : 'unexpected character');
    const value = Number(match[0]);
    if (!Number.isFinite(value)) this.fail('number out of range');
    if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)) {
      this.fail('integer beyond 2^53-1');
    }
    this.at += match[0].length;
    return value;
  }

  private string(): string {
    const { text } = this;
    const start = this.at + 1;
    const end = text.indexOf('"', start);
    if (end === -1) this.fail('string without an end');
    const plain = text.slice(start, end);
    if (!NEEDS_CARE.test(plain)) {
      this.at = end + 1;
      return plain;
    }
    return this.escapedString(start);
  }

  private escapedString(start: number): string {
    const { text } = this;
    let out = '';
    let from = start;
    for (let i = start; ; i += 1) {
      const c = text.charCodeAt(i);
      if (Number.isNaN(c)) this.fail('string without an end');
      if (c < 0x20) this.fail('control character in a string', i);
      if (c === 0x22) {
        out += text.slice(from, i);
        if (!out.isWellFormed()) this.fail('lone surrogate');
        this.at = i + 1;
        return out;
      }
      if (c !== 0x5c) continue;
      out += text.slice(from, i);
      const escape = text.charAt(i + 1);
      if (escape === 'u') {
        const hex = text.slice(i + 2, i + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('bad \\u escape', i);
        out += String.fromCharCode(Number.parseInt(hex, 16));
        i += 5;
      } else {
        const char = ESCAPES[escape];
        if (char === undefined) this.fail('bad escape', i);
        out += char;
        i += 1;
      }
      from = i + 1;
    }
  }

  private array(): unknown[] {
    const out: unknown[] = [];
    if (this.path.length >= MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`);
    this.at += 1;
    this.space();
    if (this.text.charCodeAt(this.at) === 0x5d) {
      this.at += 1;
      return out;
    }
    for (;;) {
      this.path.push(out.length);
      this.space();
      out.push(this.value());
      this.path.pop();
      if (this.separator(0x5d)) return out;
    }
  }

  private object(): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    if (this.path.length >= MAX_DEPTH) this.fail(`nested deeper than ${MAX_DEPTH}`);
    this.at += 1;
    this.space();
    if (this.text.charCodeAt(this.at) === 0x7d) {
      this.at += 1;
      return out;
    }
    for (;;) {
      this.space();
      const keyAt = this.at;
      if (this.text.charCodeAt(this.at) !== 0x22) this.fail('expected a member name');
      const key = this.string();
      if (Object.hasOwn(out, key)) this.fail(`duplicate member ${JSON.stringify(key)}`, keyAt);
      this.space();
      if (this.text.charCodeAt(this.at) !== 0x3a) this.fail('expected ":"');
      this.at += 1;
      this.path.push(key);
      this.space();
      const value = this.value();
      this.path.pop();
      // An assignment to __proto__ would change the prototype instead of adding a member.
      if (key === '__proto__')
        Object.defineProperty(out, key, { value, enumerable: true, writable: true, configurable: true });
      else out[key] = value;
      if (this.separator(0x7d)) return out;
    }
  }

  /** Reads `,` (more follows: false) or the closing bracket (true). */
  private separator(close: number): boolean {
    this.space();
    const c = this.text.charCodeAt(this.at);
    if (c !== close && c !== 0x2c) this.fail(Number.isNaN(c) ? 'unexpected end' : 'expected "," or the end');
    this.at += 1;
    return c === close;
  }
}

/**
 * Parses a text as strict JSON. Refused beyond RFC 8259: duplicate member names, lone surrogates, integer literals
 * beyond 2^53-1, numbers that overflow a double, nesting over 64 levels.
 * @throws {JsonError}
 */
export function parseJson(text: string): unknown {
  return new Parser(text).parse();
}

/**
 * Like parseJson, with positions: `locate(pointer)` returns where the value of an RFC 6901 pointer starts, or its nearest
 * existing ancestor.
 * @throws {JsonError}
 */
export function parseJsonWithPositions(text: string): { value: unknown; locate: (pointer: string) => Position } {
  const root: Offsets = { at: 0, of: new Map() };
  const value = new Parser(text, root).parse();
  const locate = (pointer: string): Position => {
    let found = root.of.get('') ?? root;
    for (const name of pointerNames(pointer)) {
      const next = found.of.get(name);
      if (next === undefined) break;
      found = next;
    }
    return positionAt(text, found.at);
  };
  return { value, locate };
}
