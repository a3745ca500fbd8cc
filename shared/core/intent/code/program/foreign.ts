// Recognizes what other languages do in a text that is a program in Python or JavaScript too: `Order.find(1).destroy`, `"#{wipe}"`.
import type { Lexicon } from '../../lexicon/types.ts';
import { doingOfName } from '../names.ts';
import type { Node } from './tree.ts';

/**
 * Code in a string that Python and JavaScript leave alone: `"\(wipe())"` of Swift, `"${wipe()}"` of Kotlin and PHP, `"#{wipe}"` of Ruby,
 * `"$(Stop-Computer)"` of PowerShell, `"@{[wipe()]}"` of Perl.
 */
const INTERPOLATED = /\\\(\s*[\w.]+\s*\(|\$\{[^}]*\(|#\{[^}]*\w|\$\(\s*[a-z]|\{\$[^}]*\(|@\{\[/i;
/** Whether another language would run a part of this string, which is given with its quotes. */
export const interpolates = (string: string): boolean => /^["`]/.test(string) && INTERPOLATED.test(string);

/** A member at the end of a statement: Ruby calls it without parentheses. */
const LAST_MEMBER = /\.\s*([A-Za-z_]\w*)[!?]?\s*;?$/;

/** Whether a program does more in another language than in the one in which it was read. */
export function isForeign(node: Node, text: string, lexicon: Lexicon): boolean {
  if (node.type === 'String') return interpolates(text.slice(node.from, node.to));
  if (node.type === 'ExpressionStatement') {
    const name = LAST_MEMBER.exec(text.slice(node.from, node.to))?.[1] ?? '';
    if ((doingOfName(name, lexicon)?.effect ?? 'read') !== 'read') return true;
  }
  return node.children.some(
    (child, at) =>
      // What is called, and what is assigned, is no call of another language.
      (child.type === 'MemberExpression' && !(at === 0 && isNamedThere(node)) && destroys(child, text, lexicon)) ||
      isForeign(child, text, lexicon),
  );
}

const isNamedThere = ({ type }: Node): boolean => /^(?:Call|New|Member|Assignment)/.test(type);

function destroys(member: Node, text: string, lexicon: Lexicon): boolean {
  const name = LAST_MEMBER.exec(text.slice(member.from, member.to))?.[1] ?? '';
  const verb = lexicon.verbs.get(name);
  return verb?.effect === 'destructive' && !verb.alsoNoun;
}
