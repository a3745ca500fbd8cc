// The lexicon file: invalid files are refused. Forms of words.
import { expect } from 'chai';
import { nominals, participles, singular, verbForms } from '../../../shared/core/intent/lexicon/inflection.ts';
import { compileLexicon, LexiconError } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { K } from '../../../shared/core/intent/lexicon/word-kinds.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

type Json = Record<string, unknown>;
interface Group extends Json {
  verbs: string[];
}

function refusal(change: (json: Json) => void): LexiconError {
  const json = lexiconJson();
  change(json);
  try {
    compileLexicon(json);
  } catch (error) {
    if (error instanceof LexiconError) return error;
    throw error;
  }
  throw new Error('the lexicon was accepted');
}

const groups = (json: Json) => json.verbs as Group[]; // the shipped file, which compiles

describe('compileLexicon', () => {
  it('accepts the shipped file', () => {
    expect(shippedLexicon().verbs.size).to.be.above(500);
  });

  it('refuses an unknown member, and points at it', () => {
    expect(
      refusal((json) => {
        json.verb = [];
      }).pointer,
    ).to.equal('/verb');
    expect(
      refusal((json) => {
        Object.assign(groups(json)[0] ?? {}, { acton: 'read' });
      }).pointer,
    ).to.equal('/verbs/0/acton');
  });

  it('refuses an action that is none of the nine classes', () => {
    expect(
      refusal((json) => {
        Object.assign(groups(json)[0] ?? {}, { action: 'unknown' });
      }).pointer,
    ).to.equal('/verbs/0/action');
  });

  it('refuses a verb that is listed twice, also in two groups', () => {
    const error = refusal((json) => groups(json)[1]?.verbs.push('fetch'));
    expect(error.message).to.include('"fetch" is listed twice');
    expect(error.pointer).to.match(/^\/verbs\/1\/verbs\/\d+$/);
  });

  it('refuses upper case, blanks at the ends and empty words', () => {
    for (const verb of ['Fetch', ' fetch2', 'fetch  it', '']) {
      expect(refusal((json) => groups(json)[0]?.verbs.push(verb)).pointer, verb).to.match(/^\/verbs\/0\/verbs\/\d+$/);
    }
  });

  it('refuses commands that are other names of each other, which would have no end', () => {
    const same = [
      { command: 'git', also: ['hg'] },
      { command: 'hg', also: ['git'] },
    ];
    const error = refusal((json) => Object.assign(json, { sameCommands: same }));
    expect([error.pointer, error.message]).to.deep.equal([
      '/sameCommands/0/command',
      '"git" is listed as another name of "hg"',
    ]);
  });

  it('refuses a noun in two domains and a noun in the plural', () => {
    const domains = (json: Json) => json.domains as Record<string, string[]>;
    expect(refusal((json) => domains(json).files?.push('invoice')).message).to.include('listed twice');
    expect(refusal((json) => domains(json).files?.push('widgets')).message).to.include('"widget"');
  });

  it('refuses refinements of verbs that are not listed', () => {
    const error = refusal((json) =>
      (json.refinements as Json[]).unshift({ verbs: ['zorch'], objects: ['x'], action: 'read' }),
    );
    expect(error.pointer).to.equal('/refinements/0/verbs/0');
  });

  it('refuses to do without a kind of words that the rules use, and kinds of unknown kinds', () => {
    type Kinds = Record<string, { kinds?: string[]; words?: string[] }>;
    const kinds = (json: Json) => json.wordKinds as Kinds;
    const missing = refusal((json) => delete kinds(json)['negator']);
    expect(missing.pointer).to.equal('/wordKinds');
    expect(missing.message).to.equal('the kind "negator" is missing, which the rules use');
    const unknown = refusal((json) => (kinds(json)['negator'] = { kinds: ['negatr'] }));
    expect(unknown.pointer).to.equal('/wordKinds/negator/kinds/0');
  });

  it('counts the words of the kinds that a kind includes, in circles too', () => {
    const json = lexiconJson();
    const kinds = json['wordKinds'] as Record<string, { kinds?: string[]; words?: string[] }>;
    kinds['weekday'] = { kinds: ['indefinite'], words: ['blursday'] };
    kinds['indefinite'] = { kinds: ['weekday'], words: ['ajar'] };
    const { wordKinds } = compileLexicon(json);
    for (const kind of [K.weekday, K.indefinite])
      for (const word of ['blursday', 'ajar']) expect(wordKinds.has(word, kind), word).to.equal(true);
  });

  it('refuses a module among what only computes: it also gives what it loads itself', () => {
    const error = refusal((json) => {
      const { python } = json.programs as { python: { pure: string[] } };
      python.pure.push('babel');
    });
    expect(error.message).to.include('"babel" is a module');
  });

  it('refuses a value that is not an object', () => {
    for (const json of [null, 1, 'x', [], {}]) expect(() => compileLexicon(json)).to.throw(LexiconError);
  });

  it('accepts an additional verb', () => {
    const json = lexiconJson();
    groups(json).push({ action: 'delete', effect: 'destructive', traits: ['irreversible'], verbs: ['defenestrate'] });
    const parse = parseIntent('Please defenestrate the invoices', compileLexicon(json));
    expect(parse).to.include({ action: 'delete', verb: 'defenestrate', effect: 'destructive', object: 'invoice' });
  });
});

describe('inflection', () => {
  it('derives the forms of a verb', () => {
    const forms = (verb: string) => verbForms(verb).map(([form]) => form);
    expect(forms('copy')).to.deep.equal(['copy', 'copies', 'copying']);
    expect(forms('drop')).to.deep.equal(['drop', 'drops', 'droping', 'dropping']);
    expect(forms('push')).to.deep.equal(['push', 'pushes', 'pushing']);
    expect(forms('set up')).to.include.members(['sets up', 'setting up']);
  });

  it('derives the singular of a noun', () => {
    const { plurals } = shippedLexicon();
    const pairs = {
      users: 'user',
      queries: 'query',
      boxes: 'box',
      addresses: 'address',
      status: 'status',
      people: 'person',
      data: 'data',
      branches: 'branch',
      metrics: 'metric',
      databases: 'database',
      processes: 'process',
      apis: 'api',
    };
    for (const [plural, one] of Object.entries(pairs)) expect(singular(plural, plurals), plural).to.equal(one);
  });

  it('gives the participles of regular, doubling, irregular and phrasal verbs', () => {
    expect(['delete', 'copy', 'ban', 'send', 'shut down'].map((verb) => participles(verb).at(-1))).to.deep.equal([
      'deleted',
      'copied',
      'banned',
      'sent',
      'shut down',
    ]);
  });
  it('gives the nouns of actions', () => {
    for (const [verb, noun] of [
      ['delete', 'deletion'],
      ['remove', 'removal'],
      ['cancel', 'cancellation'],
      ['install', 'installation'],
      ['erase', 'erasure'],
      ['modify', 'modification'],
      ['replace', 'replacement'],
      ['destroy', 'destruction'],
    ] as const)
      expect(nominals(verb)).to.include(noun);
  });
});
