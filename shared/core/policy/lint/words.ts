// Words and values that are probably mistakes by themselves, demonstrated on facts where possible.
import type { KnownVerbs } from '../../intent/lexicon/known-verbs.ts';
import { ACTIONS } from '../../../kernel/vocabulary.ts';
import { didYouMean, nearestName } from '../../../kernel/near.ts';
import { textsOf } from '../comparisons.ts';
import { OBLIGATION_KINDS } from '../schema-parts.ts';
import { networkOf } from '../values.ts';
import { witnessOf } from './answers.ts';
import { comparedIn, itemsOf } from './context-values.ts';
import { leavesIn, wordsOf, type LintedRule, type LintedSet, type LeafPart, ruleFinding } from './rules.ts';
import { factsOn } from './search.ts';
import type { LintCode, LintFinding, Witness } from './types.ts';

/** Facts about the installation; an absent member is unknown, and nothing is reported about it. */
export interface Surroundings {
  readonly verbs?: Pick<KnownVerbs, 'has' | 'all'> | undefined;
  /** The slugs of all organisations. */
  readonly organisations?: ReadonlySet<string> | undefined;
}

/** A problem with one value, without its position. */
interface Complaint {
  readonly code: LintCode;
  readonly pointer: string;
  readonly message: string;
  readonly hint: string;
  readonly shows: string;
}

/** Cost per analysed value, in comparisons. */
const COST = 2;

/** Facts on which the rule holds, for findings about a value that is wrong by itself. */
export function showing(set: LintedSet, linted: LintedRule, shows: string): Witness | undefined {
  const facts = factsOn(set, linted);
  return facts && witnessOf(set, linted, facts, shows);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const quoted = (value: unknown): string => JSON.stringify(value);

/** The operators that compare with a word, its beginning or its end. */
const OF_WHOLES = ['equal', 'notEqual', 'in', 'notIn'];
const OF_WORDS = [...OF_WHOLES, 'startsWith', 'endsWith'];

/** A comparison of a verb or a normalized intent with a value that no reading ever has. */
function wordComplaints(part: LeafPart, { verbs }: Surroundings): Complaint[] {
  const { leaf } = part;
  const operator = leaf.operator.name;
  // A pattern, a glob or a part of a word is no word.
  const texts = OF_WORDS.includes(operator) ? itemsOf(leaf).filter(isText) : [];
  const complain = (message: string, hint: string): Complaint => ({
    code: 'UNKNOWN_WORD',
    pointer: part.pointer,
    message,
    hint,
    shows: `"${wordsOf(part)}" is never true`,
  });
  if (leaf.path === 'intent.verb' && verbs !== undefined) {
    const isKnown = (text: string): boolean => {
      if (operator === 'startsWith') return verbs.all?.some((verb) => verb.startsWith(text)) ?? true;
      return operator === 'endsWith' ? (verbs.all?.some((verb) => verb.endsWith(text)) ?? true) : verbs.has(text);
    };
    return texts
      .filter((text) => !isKnown(text))
      .map((text) =>
        complain(
          `the lexicon has no verb ${quoted(text)}, so no intent is ever read with it${didYouMean(text, verbs.all ?? [])}`,
          'correct the word, or add it to the lexicon',
        ),
      );
  }
  if (leaf.path !== 'intent.normalized' || operator === 'endsWith') return [];
  const known: readonly string[] = ACTIONS;
  return texts.flatMap((text) => {
    const [, action, ...rest] = text.split('.');
    const isWhole = operator !== 'startsWith' || rest.length > 0;
    if (action === undefined || !isWhole || known.includes(action)) return [];
    return complain(
      `${quoted(text)} is no normalized intent: its second part is one of ${ACTIONS.join(', ')}, and never ${quoted(action)}`,
      'compare with the action; the finer word is in intent.verb',
    );
  });
}

/** Facts that are in small letters, whatever the caller wrote. */
const SMALL = /^intent\.(?:normalized|domain|object|entities\.(?:emails|hosts))$/;

/** A text with capital letters for a fact that never has any: a refusal by it protects nothing. */
function capitalComplaints(part: LeafPart): Complaint[] {
  const { leaf, pointer } = part;
  if (!SMALL.test(leaf.path)) return [];
  const texts = comparedIn(leaf).flatMap((one) =>
    one.operator.name === 'matchesPattern' ? [] : itemsOf(one).filter(isText),
  );
  return texts
    .filter((text) => text.toLowerCase() !== text)
    .map((text) => ({
      code: 'UNKNOWN_WORD',
      pointer,
      message: `${quoted(text)} has capital letters, and ${leaf.path} never has any`,
      hint: `write ${quoted(text.toLowerCase())}`,
      shows: `no request has the value in "${wordsOf(part)}"`,
    }));
}

/** The id of a key, as lists of keys have it. */
const KEY_ID = /^[0-9A-Za-z]{8}$/;

/** A text that is no id of a key, such as the name of one, or the key itself: its words do not repeat it. */
function keyComplaints({ leaf, pointer }: LeafPart): Complaint[] {
  if (leaf.path !== 'key.id' || !OF_WHOLES.includes(leaf.operator.name)) return [];
  const strange = itemsOf(leaf).filter((text) => isText(text) && !KEY_ID.test(text));
  return strange.map(() => ({
    code: 'UNKNOWN_WORD',
    pointer,
    message: 'the value is no id of a key: an id has 8 letters and digits, and no key has another one',
    hint: 'write the id that "custos keys list" shows, never the key itself',
    shows: 'no key has this id',
  }));
}

/** A fraction of one where the fact goes up to a thousand, a level where it is a score, or the reverse. */
function scaleProblem(path: string, unit: string | undefined, value: number): string | undefined {
  const isShare = value > 0 && value < 1;
  if (unit === '0..1') return value > 1 ? `goes from 0 to 1` : undefined;
  if (unit === '0..7') return isShare ? 'is a whole number from 0 to 7' : undefined;
  if (unit !== '0..1000') return undefined;
  if (isShare) return 'goes from 0 to 1000';
  const isLevel = path.startsWith('trust.') && value >= 1 && value <= 7;
  return isLevel ? `goes from 0 to 1000, and a level from 0 to 7 is ${path.replace('score', 'level')}` : undefined;
}

function scaleComplaints(part: LeafPart): Complaint[] {
  const { leaf } = part;
  const { entry } = leaf;
  if (entry.type !== 'number') return [];
  return itemsOf(leaf).flatMap((value) => {
    const problem = typeof value === 'number' ? scaleProblem(leaf.path, entry.unit, value) : undefined;
    if (problem === undefined) return [];
    return {
      code: 'WRONG_SCALE',
      pointer: part.pointer,
      message: `"${wordsOf(part)}" is on another scale: ${leaf.path} ${problem}`,
      hint: 'write the value on the scale of the fact',
      shows: `the rule holds, with "${wordsOf(part)}"`,
    };
  });
}

function networkComplaints({ leaf, pointer }: LeafPart): Complaint[] {
  const networks = comparedIn(leaf).filter(({ operator }) => operator.name === 'inCidr');
  return networks
    .flatMap(({ value }) => textsOf(value))
    .flatMap((text) => {
      const network = networkOf(text);
      if (network === undefined || !network.hasHostBits) return [];
      return {
        code: 'HOST_BITS',
        pointer,
        message: `${quoted(text)} names one address and means the whole network ${quoted(network.network)}`,
        hint: `write "${network.network}" when the network is meant, or "${network.host}" for the one address`,
        shows: 'the rule holds',
      };
    });
}

function obligationComplaints({ rule, pointer }: LintedRule): Complaint[] {
  if (rule.effect.type !== 'DEGRADE') return [];
  return rule.effect.obligations.flatMap((obligation, i) => {
    const { type } = obligation;
    if (OBLIGATION_KINDS.includes(type)) return [];
    const near = nearestName(type, OBLIGATION_KINDS);
    // An obligation type of the author's own is marked by its `params`.
    if (near === undefined && 'params' in obligation) return [];
    return {
      code: 'UNKNOWN_OBLIGATION',
      pointer: `${pointer}/event/params/obligations/${i}/type`,
      message: `the service knows no obligation ${quoted(type)}${near === undefined ? '' : `; did you mean "${near}"?`}`,
      hint:
        near === undefined
          ? 'correct the name; for a kind that your callers know, add "params", if only an empty one'
          : `write "${near}", or a name that cannot be mistaken for it`,
      shows: `permitted with the obligation ${quoted(type)}, which callers that do not know it must refuse`,
    };
  });
}

/** Normalizes a slug for the detection of misspelt punctuation. */
const plain = (slug: string): string => slug.replaceAll('-', '');

function organisationComplaints(
  { rule, pointer, root }: LintedRule,
  { organisations }: Surroundings,
  isOnlyHere: (slug: string) => string | undefined,
): Complaint[] {
  const complain = (slug: string, at: string): Complaint[] => {
    const near = isOnlyHere(slug);
    if (organisations === undefined ? near === undefined : organisations.has(slug)) return [];
    const meant = near === undefined ? '' : `; did you mean ${quoted(near)}?`;
    const what =
      organisations === undefined
        ? `${quoted(slug)} is named only here, and ${quoted(near)} elsewhere`
        : `there is no organisation ${quoted(slug)}${meant}`;
    return [
      {
        code: 'UNKNOWN_ORGANISATION',
        pointer: at,
        message: what,
        hint: 'correct the slug; custos org list shows them',
        shows: `the rule is for the organisation ${quoted(slug)}`,
      },
    ];
  };
  // An organisation in the target of a policy is reported once, at its first rule.
  const inTarget = pointer === '/rules/0' ? (rule.organisations ?? []) : [];
  return [
    ...inTarget.flatMap((slug, i) => complain(slug, `/target/organisations/${i}`)),
    ...leavesIn(root).flatMap((part) => {
      if (part.leaf.path !== 'organisation.slug') return [];
      if (!['equal', 'notEqual', 'in', 'notIn'].includes(part.leaf.operator.name)) return [];
      return itemsOf(part.leaf)
        .filter(isText)
        .flatMap((slug) => complain(slug, part.pointer));
    }),
  ];
}

/** For a slug that occurs once in a set: a similar slug that occurs more often and differs only in punctuation. */
function nearSlugs(rules: readonly LintedRule[]): (slug: string) => string | undefined {
  const policies = new Map<string, Set<string>>();
  for (const { rule } of rules) {
    const asked = rule.leaves.filter(({ path }) => path === 'organisation.slug').flatMap(itemsOf);
    for (const slug of [...(rule.organisations ?? []), ...asked]) {
      if (!isText(slug)) continue;
      const those = policies.get(slug) ?? new Set();
      policies.set(slug, those.add(rule.policy));
    }
  }
  return (slug) =>
    [...policies].find(
      ([other, those]) =>
        other !== slug && plain(other) === plain(slug) && those.size > (policies.get(slug)?.size ?? 0),
    )?.[0];
}

/** All words and values of all rules that are wrong by themselves. */
export function wordFindings(set: LintedSet, rules: readonly LintedRule[], surroundings: Surroundings): LintFinding[] {
  const near = nearSlugs(rules);
  return rules.flatMap((linted) => {
    const leaves = leavesIn(linted.root);
    set.budget.left -= COST * (1 + leaves.length);
    if (set.budget.left <= 0) return [];
    const complaints = [
      ...leaves.flatMap((part) => [
        ...wordComplaints(part, surroundings),
        ...capitalComplaints(part),
        ...keyComplaints(part),
        ...scaleComplaints(part),
        ...networkComplaints(part),
      ]),
      ...obligationComplaints(linted),
      ...organisationComplaints(linted, surroundings, near),
    ];
    return complaints.map(({ code, pointer, message, hint, shows }): LintFinding => {
      const witness = showing(set, linted, shows);
      return ruleFinding(linted, { code, pointer, message, hint, ...(witness === undefined ? {} : { witness }) });
    });
  });
}
