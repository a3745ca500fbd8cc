// Texts of the maximum length that the API accepts, of every kind that could be slow to parse.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { findRoot } from '../shared/platform/config/root.ts';
import { randomNumbers } from './numbers.ts';

/** Characters of each text. */
export const LENGTH = 10_000;
/** Kinds of texts, each with the seeds that are repeated up to the length. */
const SEEDS_FILE = path.join(findRoot(), 'bench', 'parse-seeds.json');

const repeated = (seed: string): string => seed.repeat(Math.ceil(LENGTH / seed.length)).slice(0, LENGTH);
/** Texts of random words of a list. */
function drawn(words: readonly string[], texts: number): string[] {
  const next = randomNumbers(words.length);
  return Array.from({ length: texts }, () => {
    let text = '';
    while (text.length < LENGTH) text += `${words[Math.floor(next() * words.length)]} `;
    return text.slice(0, LENGTH);
  });
}

/** Seeds of texts by kind. */
export const benchSeeds = (): Readonly<Record<string, readonly string[]>> =>
  // A file of the repository, of this form.
  JSON.parse(readFileSync(SEEDS_FILE, 'utf8')) as Readonly<Record<string, readonly string[]>>;

const MARKED =
  'and the then of to is not or that please users deleted it if a with for from ? . , ; : " \' ( ) | > && $( ` { } / \n -x --force all 0 5 @'.split(
    ' ',
  );

/** Texts of random words and of the marks that open and close quotations, substitutions and redirections. */
export const markedTexts = (count: number): string[] => drawn(MARKED, count);

/** Texts by kind. They use the words of the lexicon, because a text that is cheap with one lexicon may be slow with another. */
export function textsByKind(lexicon: Lexicon): Map<string, string[]> {
  const verbs = [...lexicon.verbs.keys()];
  const nouns = [...lexicon.domainOfNoun.keys()];
  const glue = ['and', 'the', 'then', 'of', 'to', 'should be', 'is', 'not', 'or', 'that', 'please', 'users', 'deleted'];
  const random = randomNumbers(7);
  /** 40 texts of random characters from a code point on. */
  const randomTexts = (first: number, count: number): string[] =>
    Array.from({ length: 40 }, () =>
      String.fromCharCode(...Array.from({ length: LENGTH }, () => first + Math.floor(random() * count))),
    );
  return new Map([
    ['one verb, repeated', verbs.map((verb) => repeated(`${verb} `))],
    ['one verb after "and"', verbs.map((verb) => repeated(`and ${verb} `))],
    ['one verb with object', verbs.map((verb) => repeated(`${verb} the users, `))],
    ['one command, repeated', [...lexicon.commands.keys()].map((name) => repeated(`${name} -x / ; `))],
    ['random verbs', drawn(verbs, 40)],
    ['random words', drawn([...verbs, ...nouns, ...glue], 80)],
    ['random nouns', drawn(nouns, 20)],
    ['function words', drawn(glue, 20)],
    ['words and marks of code', markedTexts(40)],
    ...Object.entries(benchSeeds()).map(([kind, list]): [string, string[]] => [kind, list.map(repeated)]),
    ['random characters', randomTexts(0, 0xffff)],
    ['random ASCII', randomTexts(32, 95)],
  ]);
}
