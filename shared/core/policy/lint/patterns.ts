// Regular expressions (RE2 syntax) as the linter sees them: whether they match a part of a text only, and an example of a match.

/** Escapes, classes, repetitions, beginnings of groups, and single characters. */
const TOKEN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[\d,]+\}|\(\?[a-zA-Z-]*[:)]|\(\?P?<\w+>|./gsu;
/** Flags for all that follows: no group. */
const FLAGS = /^\(\?[a-zA-Z-]*\)$/;

const tokensOf = (pattern: string): string[] => pattern.match(TOKEN) ?? [];
const opens = (token: string): boolean => token.startsWith('(') && !FLAGS.test(token);

/** The tokens between the bars outside of groups. */
function alternativesOf(tokens: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (opens(token)) depth += 1;
    else if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Whether an alternative lacks an anchor at its beginning or at its end: then a text that contains a match is enough. */
export function isUnanchored(pattern: string): boolean {
  const tokens = tokensOf(pattern);
  const [first = ''] = tokens;
  const hasFlags = FLAGS.test(first);
  // With the flag m the anchors match at line ends.
  if (hasFlags && /^\(\?[^-]*m/.test(first)) return true;
  return alternativesOf(hasFlags ? tokens.slice(1) : tokens).some(
    (part) => !['^', '\\A'].includes(part[0] ?? '') || !['$', '\\z'].includes(part.at(-1) ?? ''),
  );
}

const EXAMPLES: Readonly<Record<string, string>> = { '\\d': '1', '\\w': 'a', '\\s': ' ', '.': 'x' };
const NOTHING = /^(?:[\^$*+?)]|\\[AzbB]|\{.*\}|\(.*)$/s;

function exampleOf(token: string): string {
  if (NOTHING.test(token)) return '';
  const [, negation, first = ''] = /^\[(\^?)(\\.|.)/su.exec(token) ?? [];
  if (negation === '^') return 'x';
  if (negation === '') return first.startsWith('\\') ? exampleOf(first) : first;
  return EXAMPLES[token] ?? token.replace(/^\\/, '');
}

/** A text that probably matches: each part once, the first of several alternatives. The operator decides whether it does. */
export function probableMatch(pattern: string): string {
  let text = '';
  let depth = 0;
  let skippedAt: number | undefined;
  for (const token of tokensOf(pattern)) {
    if (token === ')') {
      if (skippedAt === depth) skippedAt = undefined;
      depth -= 1;
    } else if (opens(token)) depth += 1;
    else if (token === '|') skippedAt ??= depth;
    if (skippedAt === undefined) text += exampleOf(token);
  }
  return text;
}
