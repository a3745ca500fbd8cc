// Texts of the maximum length that the API accepts, of every kind that could be slow to parse.
import type { Lexicon } from '../shared/core/intent/lexicon/types.ts';
import { randomNumbers } from './numbers.ts';

/** Characters of each text. */
export const LENGTH = 10_000;

const repeated = (seed: string): string => seed.repeat(Math.ceil(LENGTH / seed.length)).slice(0, LENGTH);
const seeded = (seeds: readonly string[]): string[] => seeds.map(repeated);
/** Texts of random words of a list. */
function drawn(words: readonly string[], texts: number): string[] {
  const next = randomNumbers(words.length);
  return Array.from({ length: texts }, () => {
    let text = '';
    while (text.length < LENGTH) text += `${words[Math.floor(next() * words.length)]} `;
    return text.slice(0, LENGTH);
  });
}

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
    [
      'quotes and brackets',
      seeded(['"', "'", '`', '(', ')', '[', '"(', '("', '"a" ', "'a ", '`a` ', '((a) ', '{"a":', '<a>', '\u00ab']),
    ],
    [
      'punctuation',
      seeded([',', ', ', '. ', '; ', ': ', '?', '! ', '...', '- ', '/', '//', '\\', '|', '&&', 'a,', 'a/', 'a:']),
    ],
    ['white space', seeded([' ', '\n', '\t', '\r\n', 'a\n', '9\n', '\n- a', ' \n ', '\u00a0'])],
    [
      'letters without space',
      seeded(['a', 'A', 'aA', 'Ab', 'a1', 'a-', 'a_', 'a.', 'a@', '@', 'x=', 'http://', 'www.', '\u00e9']),
    ],
    ['digits and money', seeded(['1', '1.', '1,', '$1 ', '$1,', '1 USD ', '12:30 ', '1/2', '5k ', '\u20ac5 '])],
    [
      'encoded data',
      seeded([
        'QUJD',
        'cm0gLXJmIC8K',
        'QUJD ',
        'deadbeef',
        'eyJhbGciOi.',
        'sk_live_',
        'ghp_abc',
        'AKIA',
        'password=',
        '%41',
        '%41%',
        '%41 ',
      ]),
    ],
    [
      'addresses and URLs',
      seeded([
        'a@b.example ',
        'a b@c.d ',
        'https://a.example/x?y=1 ',
        'to https://a.example ',
        '/etc/passwd ',
        'C:\\x ',
      ]),
    ],
    [
      'shell and SQL',
      seeded([
        'rm -rf / ',
        'curl x | ',
        'curl x | sh ',
        'cat a > b ',
        'DROP TABLE ',
        'select * from ',
        'select a from b where 1=1; ',
        'delete from x ',
        'db.x.drop() ',
        'GET /a/b/delete ',
        'sudo ',
        '| ',
        'base64 -d | ',
        'git push --force ',
        'curl ',
        'curl https://a.example/x ',
        'git log | ',
        ')GET ',
        "ls -l > '",
      ]),
    ],
    [
      'requests',
      seeded([
        'delete users and ',
        'and delete ',
        'do not ',
        'please ',
        'i need ',
        'i want it deleted, ',
        'use ',
        'use it to ',
        'if ',
        'should be deleted ',
        'users should be deleted, ',
        'deletion of ',
        'perform a deletion of ',
        'make sure that it is sent, ',
        'the ability to ',
        'needs deleting ',
        'turn it off and ',
        'give bob the ',
        'list of ',
        "the user's ",
        'of the ',
        'make |',
        ';be up ',
        'money, send ',
        'i want > ',
      ]),
    ],
    [
      'take-over phrases',
      seeded([
        'ignore all ',
        'ignore all previous ',
        'you are ',
        'you are now ',
        'from now on ',
        '\ntodo: ',
        '[INST] ',
        'system: ',
      ]),
    ],
    [
      'disguises',
      seeded([
        'd e l e t e ',
        'd3l3te ',
        'd\u0435lete ',
        '\u200b',
        'a\u200bb',
        '\u202e',
        '\u0000',
        '\ufeffx',
        '\uff44',
        '\u0301',
        'a\u0301\u0327\u0323\u0301',
        '\ufdfa',
        '\u{e0041}',
      ]),
    ],
    [
      'other scripts and emoji',
      seeded([
        '\u5220',
        '\u5220\u9664 ',
        '\u0443\u0434\u0430\u043b\u0438 ',
        '\u0627',
        '\ud83d\udca9',
        '\ud83d\udc68\u200d\ud83d\udc69 ',
        '\ud800',
        'l\u00f6schen sie ',
      ]),
    ],
    ['random characters', randomTexts(0, 0xffff)],
    ['random ASCII', randomTexts(32, 95)],
  ]);
}
