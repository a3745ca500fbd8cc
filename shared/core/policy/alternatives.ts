// Which single alternative of an `any` decides whether a rule holds.
import { assertNever } from '../../kernel/errors.ts';
import { comparisonText } from './fact-values.ts';
import { holds, leavesOf, type NormalNode, outcomeOf } from './normal-form.ts';
import type { Alternative } from './types.ts';

/** A node with its result, and the position of its first comparison among those of the rule. */
interface Judged {
  readonly node: NormalNode;
  readonly result: boolean;
  readonly from: number;
  readonly parts: readonly Judged[];
}

function judge(node: NormalNode, facts: object, from: number): Judged {
  switch (node.kind) {
    case 'leaf': {
      const { leaf } = node;
      return { node, result: holds(outcomeOf(leaf, facts), leaf.negated, leaf.holdsWhenUnsure), from, parts: [] };
    }
    case 'all':
    case 'any': {
      const parts: Judged[] = [];
      let at = from;
      for (const part of node.of) {
        parts.push(judge(part, facts, at));
        at += leavesOf(part).length;
      }
      const isHolding = ({ result }: Judged): boolean => result;
      return { node, result: node.kind === 'all' ? parts.every(isHolding) : parts.some(isHolding), from, parts };
    }
    default:
      return assertNever(node);
  }
}

const positionsOf = ({ node, from }: Judged): number[] => leavesOf(node).map((_, i) => from + i);

function wordsOf(node: NormalNode): string {
  if (node.kind === 'leaf') return `${node.leaf.negated ? 'not ' : ''}${comparisonText(node.leaf.comparison, 60)}`;
  return `${node.kind} of [${node.of.map(wordsOf).join(', ')}]`;
}

/**
 * The alternatives of every `any` that alone decide whether a rule holds: with the opposite result of this alternative, and the same result
 * of everything else, the rule would have the opposite result. Below `not`, an `all` is an `any`.
 */
export function decidingAlternatives(condition: NormalNode, facts: object): Alternative[] {
  const found: Alternative[] = [];
  const look = ({ node, parts }: Judged): void => {
    // A part decides when the others leave the result open: all of them hold in an `all`, none in an `any`.
    const open = node.kind === 'all';
    for (const part of parts) {
      if (!parts.every((other) => other === part || other.result === open)) continue;
      if (node.kind === 'any' && parts.length > 1)
        found.push({ text: wordsOf(part.node), conditions: positionsOf(part), of: parts.flatMap(positionsOf) });
      look(part);
    }
  };
  look(judge(condition, facts, 0));
  return found;
}
