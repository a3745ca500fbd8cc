// Positions in JSON text: a guard that changes one value must leave all other bytes as they came.

export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface Member extends Span {
  /** The decoded name; the span is that of the value. */
  readonly name: string;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR_END = /[,\]} \t\r\n]|$/g;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

/** @returns the position behind the closing quote of the string that begins at `at` */
function skipString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    // An even number of backslashes are escaped backslashes, and the quote is the end.
    if (backslashes % 2 === 0) return quote + 1;
  }
}

function skipValue(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return skipString(text, at);
  if (first !== '{' && first !== '[') {
    SCALAR_END.lastIndex = at;
    return SCALAR_END.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  for (let i = at; ; i += 1) {
    const c = text[i];
    if (c === '"') i = skipString(text, i) - 1;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
}

/** The members of the object that begins at `at`, duplicates included. The text must have passed JSON.parse. */
export function membersOf(text: string, at = 0): Member[] {
  const members: Member[] = [];
  let i = skipSpace(text, skipSpace(text, at) + 1);
  while (text[i] === '"') {
    const nameEnd = skipString(text, i);
    // A slice of text that JSON.parse has accepted: a string literal.
    const name = JSON.parse(text.slice(i, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = skipValue(text, start);
    members.push({ name, start, end });
    i = skipSpace(text, end);
    if (text[i] === ',') i = skipSpace(text, i + 1);
  }
  return members;
}

/** The elements of the array that begins the text. The text must have passed JSON.parse. */
export function elementsOf(text: string): Span[] {
  const elements: Span[] = [];
  let i = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[i] !== ']') {
    const end = skipValue(text, i);
    elements.push({ start: i, end });
    i = skipSpace(text, end);
    if (text[i] === ',') i = skipSpace(text, i + 1);
  }
  return elements;
}

/** The last value of a member, which is the one that JSON.parse takes. */
export function memberOf(text: string, name: string, at = 0): Member | undefined {
  return membersOf(text, at).findLast((member) => member.name === name);
}

export function splice(text: string, { start, end }: Span, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** Adds a member at the beginning of the object that begins at `at`. */
export function addMember(text: string, at: number, name: string, value: string): string {
  const inside = skipSpace(text, at) + 1;
  const comma = text[skipSpace(text, inside)] === '}' ? '' : ',';
  return splice(text, { start: inside, end: inside }, `${JSON.stringify(name)}:${value}${comma}`);
}
