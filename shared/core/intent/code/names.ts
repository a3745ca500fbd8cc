// What the names of subcommands, functions and settings say: their verbs, money, and what a change is about.
import { singular } from '../lexicon/inflection.ts';
import type { Doing, Lexicon } from '../lexicon/types.ts';
import { gravest, gravity } from './code.ts';

/** The parts of a name: `delete-bucket`, `apps:destroy`, `deleteMany`. */
export const partsOf = (name: string): string[] => {
  const lower = name.toLowerCase();
  return (lower === name ? lower : name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()).match(/[a-z0-9]+/g) ?? [];
};

export function verbIn(word: string, lexicon: Lexicon): Doing | undefined {
  const known = lexicon.commandVerbs.get(word);
  if (known) return known;
  const verb = lexicon.verbs.get(word);
  return verb === undefined || verb.weak ? undefined : verb;
}

/** Whether a word in lower case is a form of a verb that destroys: `purged`. */
export const isDestroying = (word: string, { destructiveWords }: Lexicon): boolean =>
  destructiveWords.find(word) === 'word';

/** Whether a part of a name says that something is changed: `deploy` of `test:deploy`. */
export const isActing = (part: string, lexicon: Lexicon): boolean =>
  (lexicon.commandVerbs.get(part)?.effect ?? 'read') !== 'read' || isDestroying(part, lexicon);

const MAX_NAME = 400;

/** What the verb in the name of a subcommand or function does: the whole name, or else its first or its last part. */
export function doingOfName(name: string, lexicon: Lexicon): Doing | undefined {
  // Of a longer name, what it begins and ends with.
  if (name.length > MAX_NAME)
    return gravest([doingOfName(name.slice(0, MAX_NAME), lexicon), doingOfName(name.slice(-MAX_NAME), lexicon)]);
  const parts = partsOf(name);
  const and = parts.indexOf('and');
  // `findOneAndDelete` does both.
  if (and > 0)
    return gravest([parts.slice(0, and), parts.slice(and + 1)].map((some) => doingOfName(some.join('-'), lexicon)));
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  // The verb comes last after a colon: `access:remove`.
  const inner = gravest((name.includes(':') ? parts : parts.slice(1)).map((part) => lexicon.commandVerbs.get(part)));
  const own = verbIn(first, lexicon);
  const doing =
    verbIn(parts.join('-'), lexicon) ??
    (name.includes(':') ? gravest([own, inner, verbIn(last, lexicon)]) : undefined) ??
    own ??
    inner ??
    verbIn(last, lexicon);
  // `sendPayment` moves money, as in a sentence.
  const rule = parts.length > 1 && doing?.effect === 'write' && lexicon.refinements.get(first);
  const refined = rule
    ? rule.find(({ action, objects }) => action === 'transfer' && parts.some((part) => objects?.has(part)))
    : undefined;
  return refined ?? doing;
}

export const MOVES: Doing = { action: 'transfer', effect: 'write', traits: ['financial'] };

/** Whether a name is one of a movement of money: `payouts`, `transfer`. */
export function isMoney(name: string, lexicon: Lexicon): boolean {
  const noun = singular(name.toLowerCase(), lexicon.plurals);
  if (lexicon.verbs.get(noun)?.action === 'transfer') return lexicon.domainOfNoun.get(noun) === 'payments';
  // To create one is a transfer in a sentence.
  const rules = lexicon.refinements.get('create') ?? [];
  return rules.some(
    ({ action, objects, prepositions }) => action === 'transfer' && !prepositions && objects?.has(noun),
  );
}

/** Creating a payment moves money: `payouts create`, `stripe.transfers.create()`. */
export function withMoney(doing: Doing, names: readonly string[], lexicon: Lexicon): Doing {
  const makes = doing.effect === 'write' && (doing.action === 'create' || doing.action === 'send');
  return makes && names.some((name) => isMoney(name, lexicon)) ? MOVES : doing;
}

/** A change is graver by what it changes: `put-bucket-policy`, `stop-logging`. */
export function withNouns(doing: Doing, names: readonly string[], { commandNouns }: Lexicon): Doing {
  if (doing.effect === 'read' || commandNouns.length === 0) return doing;
  const parts = new Set(names.flatMap(partsOf));
  const has = (words: ReadonlySet<string>) => [...parts].some((part) => words.has(part));
  return commandNouns.reduce(
    (gravest: Doing, rule) =>
      gravity(rule) > gravity(gravest) && has(rule.words) && (rule.verbs === undefined || has(rule.verbs))
        ? rule
        : gravest,
    doing,
  );
}
