// Parses the expressions that CEL (Cerbos), Cedar and the conditions of the Agent Governance Toolkit have in common.

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  /** What `like` compares with: the texts between its `*`. */
  | { readonly kind: 'pattern'; readonly pieces: readonly string[] }
  /** `request.resource.attr.owner`; of Cedar also `Action::"view"`, whose names are `Action` and `view`. */
  | { readonly kind: 'path'; readonly names: readonly string[]; readonly isEntity: boolean }
  /** A call of a function (no target) or of a method. */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly target: Expression | undefined;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'binary'; readonly operator: Binary; readonly left: Expression; readonly right: Expression };

/** From the loosest to the tightest. `has`, `like` and `is` are Cedar's. */
const LEVELS = [['||'], ['&&'], ['==', '!=', '<', '<=', '>', '>=', 'in', 'has', 'like', 'is', 'not in']] as const;
export type Binary = (typeof LEVELS)[number][number];

export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  /** Of its first character, from 0. */
  readonly at: number;
}

export class ExpressionError extends Error {
  /** In characters, from 0. */
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const MAX_DEPTH = 50;
const TOKEN =
  /(?<space>(?:\s|\/\/[^\n]*)+)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<number>\d+(?:\.\d+)?)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<sign>::|==|!=|<=|>=|&&|\|\||[-()[\]{},.;:<>!@?+*/%=])/y;

/** What a backslash in a text stands for, together with what follows it. */
interface Escapes {
  /** Groups: the code of a character (`byte`, `hex`, `long`, `octal`), or a `letter`. */
  readonly forms: RegExp;
  readonly letters: Readonly<Record<string, string>>;
}

const COMMON = { n: '\n', r: '\r', t: '\t', '\\': '\\', '"': '"', "'": "'" };
/**
 * The escapes of each language. Any other is an error: a text that is read as another one would be compared with what no request has, and
 * a refusal would never apply.
 */
const ESCAPES = {
  cedar: {
    forms: /\\(?:x(?<byte>[0-7][0-9a-fA-F])|u\{(?<hex>[0-9a-fA-F]{1,6})\}|(?<letter>.))/gs,
    letters: { ...COMMON, '0': '\0' },
  },
  cel: {
    forms:
      /\\(?:[xX](?<byte>[0-9a-fA-F]{2})|u(?<hex>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|(?<octal>[0-3][0-7]{2})|(?<letter>.))/gs,
    letters: { ...COMMON, a: '\x07', b: '\b', f: '\f', v: '\v', '`': '`', '?': '?' },
  },
  /** The toolkit says nothing about them. */
  agt: { forms: /\\(?<letter>.)/gs, letters: COMMON },
} as const satisfies Readonly<Record<string, Escapes>>;
export type Language = keyof typeof ESCAPES;

const MAX_CODE = 0x10ffff;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/** The value of a text between its quotes. @throws {ExpressionError} */
function unescaped(text: string, at: number, { forms, letters }: Escapes): string {
  return text.replace(forms, (...found: unknown[]) => {
    // The last argument of a pattern with named groups.
    const { byte, hex, long, octal, letter } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const digits = byte ?? hex ?? long ?? octal;
    if (digits === undefined) {
      const value = Object.hasOwn(letters, letter ?? '') ? letters[letter ?? ''] : undefined;
      if (value === undefined) throw new ExpressionError(`a text has the unknown escape \\${letter}`, at);
      return value;
    }
    const code = Number.parseInt(digits, octal === undefined ? 16 : 8);
    if (code > MAX_CODE || isSurrogate(code))
      throw new ExpressionError('a text has a character that does not exist', at);
    return String.fromCodePoint(code);
  });
}

/** @throws {ExpressionError} for a character that starts no token */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (found === null) throw new ExpressionError(`${JSON.stringify(source[at])} is not expected here`, at);
    const { name, number, text, sign } = found.groups ?? {};
    const kind =
      name !== undefined ? 'name' : number !== undefined ? 'number' : text !== undefined ? 'text' : ('sign' as const);
    if (kind !== 'sign' || sign !== undefined) tokens.push({ kind, text: found[0], at });
  }
  return [...tokens, { kind: 'end', text: '', at: source.length }];
}

/** Reads tokens from left to right; also for the parts of Cedar's policies outside of expressions. */
export class Parser {
  readonly #tokens: readonly Token[];
  readonly #escapes: Escapes;
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], language: Language) {
    this.#tokens = tokens;
    this.#escapes = ESCAPES[language];
  }

  /** @throws {ExpressionError} */
  #unquoted({ text, at }: Token): string {
    return unescaped(text.slice(1, -1), at, this.#escapes);
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)] ?? { kind: 'end', text: '', at: 0 };
  }

  next(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Takes the token if it is this sign or name. */
  take(text: string): boolean {
    const { kind, text: found } = this.peek();
    if ((kind !== 'sign' && kind !== 'name') || found !== text) return false;
    this.next();
    return true;
  }

  /** @throws {ExpressionError} */
  expect(text: string): void {
    if (!this.take(text)) throw this.unexpected(JSON.stringify(text));
  }

  /** @throws {ExpressionError} */
  name(): string {
    const token = this.next();
    if (token.kind !== 'name')
      throw new ExpressionError(`a name is expected, not ${token.text || 'the end'}`, token.at);
    return token.text;
  }

  /** @throws {ExpressionError} */
  text(): string {
    const token = this.next();
    if (token.kind !== 'text')
      throw new ExpressionError(`a text is expected, not ${token.text || 'the end'}`, token.at);
    return this.#unquoted(token);
  }

  unexpected(wanted: string): ExpressionError {
    const { text, at } = this.peek();
    return new ExpressionError(`${wanted} is expected, not ${text === '' ? 'the end' : text}`, at);
  }

  /** @throws {ExpressionError} */
  expression(level = 0): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH * LEVELS.length) throw new ExpressionError('it is nested too deeply', this.peek().at);
    const operators = LEVELS[level];
    let left = operators === undefined ? this.#unary() : this.expression(level + 1);
    for (let operator = this.#operator(operators); operator !== undefined; operator = this.#operator(operators))
      left = {
        kind: 'binary',
        operator,
        left,
        right: operator === 'like' ? this.#pattern() : this.expression(level + 1),
      };
    this.#depth -= 1;
    return left;
  }

  /** In Cedar's patterns `*` stands for any characters, also one that is written by its code, and `\*` is a star. */
  #pattern(): Expression {
    const token = this.next();
    if (token.kind !== 'text') throw new ExpressionError('a pattern is expected after like', token.at);
    const pieces = [''];
    for (const [part] of token.text.slice(1, -1).matchAll(/\\(?:x[0-7][0-9a-fA-F]|u\{[0-9a-fA-F]{1,6}\}|.)|[^\\]/gs)) {
      const character = part === '\\*' ? '*' : unescaped(part, token.at, this.#escapes);
      if (character === '*' && part !== '\\*') pieces.push('');
      else pieces.push((pieces.pop() ?? '') + character);
    }
    return { kind: 'pattern', pieces };
  }

  #operator(operators: readonly Binary[] | undefined): Binary | undefined {
    if (operators === undefined) return undefined;
    const isNotIn = this.peek().text === 'not' && this.peek(1).text === 'in' && operators.includes('not in');
    if (isNotIn) this.next();
    const { kind, text } = this.peek();
    if (kind !== 'sign' && kind !== 'name') return undefined;
    const found = operators.find((operator) => operator === (isNotIn ? 'not in' : text));
    if (found !== undefined) this.next();
    return found;
  }

  #unary(): Expression {
    if (this.take('!') || (this.peek().text === 'not' && this.take('not'))) {
      this.#depth += 1;
      if (this.#depth > MAX_DEPTH * LEVELS.length) throw new ExpressionError('it is nested too deeply', this.peek().at);
      const of = this.#unary();
      this.#depth -= 1;
      return { kind: 'not', of };
    }
    if (this.take('-')) {
      const token = this.next();
      if (token.kind !== 'number') throw new ExpressionError('a number is expected after -', token.at);
      return { kind: 'literal', value: -Number(token.text) };
    }
    return this.#postfix(this.#primary());
  }

  #primary(): Expression {
    const token = this.next();
    if (token.kind === 'text') return { kind: 'literal', value: this.#unquoted(token) };
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.text === '(') {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (token.text === '[') return { kind: 'list', items: this.#list(']') };
    if (token.kind !== 'name')
      throw new ExpressionError(`a value is expected, not ${token.text === '' ? 'the end' : token.text}`, token.at);
    if (token.text === 'true' || token.text === 'false') return { kind: 'literal', value: token.text === 'true' };
    if (this.take('(')) return { kind: 'call', name: token.text, target: undefined, args: this.#list(')') };
    return this.#entityOrPath(token.text);
  }

  #entityOrPath(first: string): Expression {
    const names = [first];
    while (this.take('::')) {
      if (this.peek().kind === 'text') return { kind: 'path', names: [names.join('::'), this.text()], isEntity: true };
      names.push(this.name());
    }
    return { kind: 'path', names: [names.join('::')], isEntity: false };
  }

  #postfix(of: Expression): Expression {
    let result = of;
    for (;;) {
      if (this.take('.')) {
        const name = this.name();
        if (this.take('(')) result = { kind: 'call', name, target: result, args: this.#list(')') };
        else result = this.#member(result, name);
      } else if (this.peek().text === '[' && this.peek(1).kind === 'text') {
        this.next();
        result = this.#member(result, this.text());
        this.expect(']');
      } else return result;
    }
  }

  #member(of: Expression, name: string): Expression {
    if (of.kind !== 'path' || of.isEntity)
      throw new ExpressionError(`a member of this value can't be read`, this.peek().at);
    return { kind: 'path', names: [...of.names, name], isEntity: false };
  }

  #list(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.take(end)) {
      items.push(this.expression());
      if (!this.take(',')) {
        this.expect(end);
        break;
      }
    }
    return items;
  }
}

/** @throws {ExpressionError} */
export function parseExpression(source: string, language: Language): Expression {
  const parser = new Parser(tokensOf(source), language);
  const expression = parser.expression();
  if (parser.peek().kind !== 'end') throw parser.unexpected('an operator or the end');
  return expression;
}
