// Prefixes of paths: `startsWith "/srv/"` also holds for "/srv/../etc/passwd", and not for "/./srv/x", which is the same file.
import { permits } from '../../../kernel/vocabulary.ts';
import { canonicalResource } from '../../intent/resource.ts';
import { textsOf } from '../comparisons.ts';
import { itemLeavesOf, type Leaf } from '../normal-form.ts';
import type { Facts } from '../types.ts';
import { witnessOf } from './answers.ts';
import { isOfItems } from './context-values.ts';
import { withPath } from './facts.ts';
import { leavesIn, type LeafPart, type LintedRule, type LintedSet, ruleFinding, wordsOf } from './rules.ts';
import { factsOn } from './search.ts';
import type { LintFinding } from './types.ts';

/** Texts that come as somebody wrote them. Of the other facts, resources are canonical and the rest is no path. */
const AS_WRITTEN = /^(?:context|tool\.arguments|intent\.entities\.paths)\b/;
/** `/etc`, `./a`, `~/a`, `C:\a`. */
const PATH = /^(?:[/\\]|\.{1,2}[/\\]|~[/\\]|[A-Za-z]:[/\\])/;
/** Not `/` or `./`. */
const NAMES_FOLDER = /[^./\\~]/;
/** The last word of names such as `filePath`, `target_dir`, `files[]`. */
const PATH_NAME = /(?:^|[^a-z])(?:paths?|files?|filename|folders?|dir|directory|directories|resources?)(?:\[\])?$/;

const isNamedPath = (path: string): boolean =>
  PATH_NAME.test(path.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase());

interface Prefix {
  readonly prefix: string;
  readonly negated: boolean;
}

/** The prefixes with which a fact, or items of it, are compared. */
function prefixesOf(leaf: Leaf, path: string): readonly Prefix[] {
  if (leaf.other !== undefined) return [];
  if (isOfItems(leaf))
    return itemLeavesOf(leaf).flatMap((one) =>
      prefixesOf(one, one.comparison.path === undefined ? path : `${path}.${one.comparison.path}`),
    );
  if (leaf.operator.name !== 'startsWith') return [];
  const isPath = (prefix: string): boolean => PATH.test(prefix) || isNamedPath(path);
  return textsOf(leaf.comparison.value)
    .filter((prefix) => NAMES_FOLDER.test(prefix) && isPath(prefix))
    .map((prefix) => ({ prefix, negated: leaf.negated }));
}

const withoutEnd = (prefix: string): string => prefix.replace(/[/\\]$/, '');

/** A path outside of the prefix that begins with it, or a path below it in a spelling that does not begin with it. */
function surprising(prefix: string, isOpened: boolean): string {
  const folder = withoutEnd(prefix);
  if (isOpened) return `${folder}/../example`;
  const respelled = /[/\\]/.test(folder) ? folder.replace(/[/\\]/, (slash) => `${slash}.${slash}`) : `./${folder}`;
  return `${respelled}/example`;
}

/** The facts with a text as the path; unchanged where the path is a member of an item. */
function factsWithPath(facts: Facts, { path, read }: Leaf, text: string): Facts {
  const value = read(facts);
  if (!Array.isArray(value)) return withPath(facts, path, text);
  return value.every((item) => typeof item === 'string') ? withPath(facts, path, [text]) : facts;
}

/** `matchesResource "srv/app/*"`, or without an example when the prefix is no resource. */
function segmentsOf(prefix: string): string {
  const canonical = canonicalResource(prefix);
  return canonical.ok ? `matchesResource ${JSON.stringify(`${canonical.resource}/*`)}` : 'matchesResource';
}

function finding(set: LintedSet, linted: LintedRule, part: LeafPart): LintFinding[] {
  const { leaf, pointer } = part;
  const [first] = prefixesOf(leaf, leaf.path);
  if (first === undefined) return [];
  const { prefix, negated } = first;
  const isOpened = permits(linted.rule.effect.type) !== negated;
  const text = surprising(prefix, isOpened);
  const surprise = isOpened
    ? 'begins with the prefix and leads out of it'
    : 'is below the prefix and does not begin with it';
  const facts = factsOn(set, linted);
  const witness =
    facts && witnessOf(set, linted, factsWithPath(facts, leaf, text), `${JSON.stringify(text)} ${surprise}`);
  const glob = `matchesGlob ${JSON.stringify(`${withoutEnd(prefix)}/**`)}`;
  return [
    ruleFinding(linted, {
      code: 'PATH_PREFIX',
      pointer,
      message: `"${wordsOf(part)}" compares characters, not segments: ${JSON.stringify(text)} ${surprise}`,
      hint: `write ${segmentsOf(prefix)}, for which a path with "." or ".." counts as missing, or ${glob} where upper and lower case differ`,
      ...(witness === undefined ? {} : { witness }),
    }),
  ];
}

/** The cost of looking at a comparison, in comparisons. */
const COST = 1;

/** All rules that compare the beginning of a path. */
export function pathFindings(set: LintedSet, rules: readonly LintedRule[]): LintFinding[] {
  return rules.flatMap((linted) => {
    const leaves = leavesIn(linted.root);
    set.budget.left -= COST * leaves.length;
    if (set.budget.left <= 0) return [];
    return leaves.filter(({ leaf }) => AS_WRITTEN.test(leaf.path)).flatMap((part) => finding(set, linted, part));
  });
}
