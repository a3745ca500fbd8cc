// A property of every enforced string: it is never milder than the text with the same meaning.
import { expect } from 'chai';
import { actionRank, effectRank } from '../../../shared/core/intent/assess/strictness.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { LexiconFile, OrganisationFile } from '../../../shared/core/intent/lexicon/schema.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import type { ParsedIntent } from '../../../shared/core/intent/types.ts';
import { readNormalized } from '../../../shared/core/intent/normalized.ts';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import { type MilderMember, milderIn } from '../../support/milder.ts';
import { ACTION_CLASSES } from '../../../shared/kernel/vocabulary.ts';
import { lexiconJson, shippedLexicon } from '../intent/lexicon.ts';
import { isLong } from './runs.ts';

const lexicon = shippedLexicon();
// The compiled lexicon was built from it, so it has this shape.
const file = lexiconJson() as unknown as LexiconFile;
/** The members in which a string must not be milder. Confidence and flags describe how a text was parsed, extent how much it names. */
const MEMBERS: readonly MilderMember[] = ['action', 'effect', 'traits', 'data_classes', 'places'];

/** Verbs that a string may contain; a weak one is refused there. */
const verbs = [...lexicon.verbs.values()].filter(({ weak }) => !weak).map(({ verb }) => verb);
const refinements = file.refinements.map(({ verbs: of, objects = [] }) => ({ of, objects }));
const nouns = [...new Set([...Object.values(file.domains).flat(), ...refinements.flatMap(({ objects }) => objects)])];
const NOUNS_PER_VERB = 4;
/**
 * Each verb with four nouns, of which the next verb has others, so that every noun of the lexicon has its turn; in the long form
 * (`CUSTOS_PROPERTY_RUNS`) with all nouns, three million pairs. A verb has the same meaning with all nouns that none of its refinements lists.
 */
const somePairs = (): Iterable<[string, string]> =>
  isLong
    ? pairsOf(verbs, nouns)
    : verbs.flatMap((verb, at) =>
        Array.from({ length: NOUNS_PER_VERB }, (_, n): [string, string] => [
          verb,
          nouns[(at * NOUNS_PER_VERB + n) % nouns.length] ?? '',
        ]),
      );

const underscored = (words: string): string => words.replaceAll(' ', '_');

const texts = new Map<string, ParsedIntent>();
/** The parse of a text with the words of the shipped lexicon. Two tests have the same texts; in the long form they are too many to keep. */
function parsedText(verb: string, noun: string): ParsedIntent {
  const text = `${verb} the ${noun}`;
  const parsed = texts.get(text) ?? parseIntent(text, lexicon);
  if (!isLong) texts.set(text, parsed);
  return parsed;
}

/** The members in which a string is milder than the text, for a message; undefined when it is at least as strict. */
function weaknessOf(verb: string, noun: string, words = lexicon): string | undefined {
  const text = words === lexicon ? parsedText(verb, noun) : parseIntent(`${verb} the ${noun}`, words);
  // A text that is not understood has no meaning to compare with.
  if (text.action === 'unknown') return undefined;
  const string = readNormalized({ actionWord: underscored(verb), segments: [text.domain, underscored(noun)] }, words);
  const members = milderIn(string, text).filter((member) => MEMBERS.includes(member));
  return members.length === 0 ? undefined : `${verb} ${noun}: ${members.join(', ')}`;
}

/** Traits that no class of a string may lose; quantity, and how final a deletion is, are in no string. */
const KEPT_TRAITS: ReadonlySet<string> = new Set(['external', 'financial', 'privileged']);

/** The same of the string in which the parse gives the text back, which names the class instead of the verb. */
function weaknessOfNormalized(verb: string, noun: string): string | undefined {
  const text = parsedText(verb, noun);
  const string = parseIntent(text.normalized, lexicon);
  // A human decides about either of these.
  if (string.action === 'unknown' || string.effect === 'destructive') return undefined;
  const traits = text.traits.filter((trait) => KEPT_TRAITS.has(trait));
  const members = milderIn(string, { ...text, traits }).filter((member) => OF_CLASS.includes(member));
  return members.length === 0 ? undefined : `${verb} ${noun} as ${text.normalized}: ${members.join(', ')}`;
}
const OF_CLASS: readonly MilderMember[] = ['action', 'effect', 'traits'];

const weaknesses = (
  pairs: Iterable<readonly [verb: string, noun: string]>,
  weakness: typeof weaknessOfNormalized = weaknessOf,
): string[] => {
  const found: string[] = [];
  for (const [verb, noun] of pairs) {
    const one = weakness(verb, noun);
    if (one !== undefined) found.push(one);
  }
  return found;
};

function* pairsOf(first: readonly string[], second: readonly string[]): Generator<[string, string]> {
  for (const one of first) for (const other of second) yield [one, other];
}

const RAIL_VERBS = ['derail', 'top up', 'couple'];
const RAIL_NOUNS = ['carriage', 'bogie', 'commuter card'];
const RAIL: OrganisationFile = {
  description: 'The words of the railway.',
  verbs: [
    { action: 'delete', traits: ['irreversible'], verbs: ['derail'] },
    { action: 'transfer', traits: ['financial'], object: 'fare', verbs: ['top up'] },
    { action: 'update', verbs: ['couple'] },
  ],
  refinements: [{ verbs: ['couple'], objects: ['bogie', 'account'], action: 'grant', traits: ['privileged'] }],
  domains: { trains: ['carriage', 'bogie'] },
  dataClasses: { pii: ['commuter card'] },
};

describe('the string of a verb and a noun is no milder than the text', () => {
  it('for every verb of the lexicon, and every noun', () => {
    expect(verbs.length * NOUNS_PER_VERB, 'every noun has its turn').to.be.greaterThan(nouns.length);
    expect(weaknesses(somePairs())).to.deep.equal([]);
  });

  it('nor is the string in which the parse gives the text back', () => {
    expect(weaknesses(somePairs(), weaknessOfNormalized)).to.deep.equal([]);
  });

  it('for every refinement of the lexicon, with each of its verbs and objects', () => {
    const pairs = refinements.flatMap(({ of, objects }) => [...pairsOf(of, objects)]);
    expect(pairs.length).to.be.greaterThan(1_000);
    expect(weaknesses(pairs)).to.deep.equal([]);
  });

  it('for every noun of the lexicon, with each action class', () => {
    expect(weaknesses(pairsOf(ACTION_CLASSES, nouns))).to.deep.equal([]);
  });

  it('for the words of an organisation, with each of its verbs and nouns and those of the lexicon', () => {
    const extended = compileLexicon({ ...lexiconJson(), organisations: { rail: RAIL } }).forOrganisation('rail');
    const found = [...pairsOf(RAIL_VERBS, [...RAIL_NOUNS, ...nouns]), ...pairsOf(verbs, RAIL_NOUNS)].flatMap(
      ([verb, noun]) => weaknessOf(verb, noun, extended) ?? [],
    );
    expect(found).to.deep.equal([]);
  });

  it('for every verb that is also a command with subcommands, with each noun', () => {
    const both = verbs.filter((verb) => lexicon.commandGroups.has(verb));
    expect(both).to.not.have.lengthOf(0);
    expect(weaknesses(pairsOf(both, nouns))).to.deep.equal([]);
  });

  it('for every command of the lexicon that is an action word, on a resource of its domain', () => {
    const commands = [...lexicon.commands.values()].filter(({ command }) => actionOf(command, lexicon) !== undefined);
    expect(commands.length).to.be.greaterThan(15);
    for (const { command, domain = 'infra', action, effect, traits } of commands) {
      const string = readNormalized({ actionWord: command, segments: [domain, 'thing'] }, lexicon);
      expect(actionRank(string.action), command).to.be.at.least(actionRank(action));
      expect(effectRank(string.effect), command).to.be.at.least(effectRank(effect));
      expect(string.traits, command).to.include.members([...traits]);
    }
  });
});
