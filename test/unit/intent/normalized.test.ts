// Strings in normalized form: finer verbs, places, wildcards, unknown words.
import { expect } from 'chai';
import { parseNormalized, readNormalized } from '../../../shared/core/intent/normalized.ts';
import { actionOf } from '../../../shared/core/intent/strings/action-word.ts';
import { ACTION_CLASSES } from '../../../shared/kernel/vocabulary.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();

describe('readNormalized', () => {
  it('maps a finer verb onto its class and keeps the verb visible', () => {
    const parse = readNormalized({ actionWord: 'purge', segments: ['db', 'production', 'users'] }, lexicon);
    expect(parse).to.include({
      normalized: 'db.delete.production.users',
      domain: 'db',
      action: 'delete',
      verb: 'purge',
      object: 'users',
      effect: 'destructive',
      extent: 'one',
    });
    expect(parse.places).to.include('db/production');
    expect(parse.traits).to.include('irreversible');
  });

  it('reads a last segment * as everything below', () => {
    const parse = readNormalized({ actionWord: 'delete', segments: ['db', 'customers', '*'] }, lexicon);
    expect(parse).to.include({ normalized: 'db.delete.customers.*', object: 'customers', extent: 'all' });
    expect(parse.traits).to.include('bulk');
  });

  it('keeps an unknown action word out of every class, with effect write', () => {
    const parse = readNormalized({ actionWord: 'frobnicate', segments: ['db', 'users'] }, lexicon);
    expect(parse).to.include({ action: 'unknown', effect: 'write', normalized: 'db.unknown.users' });
    expect(parse.flags).to.deep.equal(['not_understood']);
    expect(parse.confidence).to.be.below(0.3);
  });

  it('gives an unknown action word no other meaning, whatever the object', () => {
    for (const object of ['users', 'thing', 'report', 'record', ...[...lexicon.domainOfNoun.keys()].slice(0, 500)]) {
      const { meanings = [] } = readNormalized({ actionWord: 'frobnicate', segments: ['data', object] }, lexicon);
      expect(
        meanings.map(({ action }) => action),
        object,
      ).not.to.include('read');
    }
  });

  for (const [intent, isFlagged] of [
    ['execute data/purge_customers', true],
    ['update infra/tr4sh/cluster', true],
    ['read db/deleted_rows', false],
    ['delete db/purge_log', false],
    ['read data/annual_report', false],
  ] as const) {
    it(`${isFlagged ? 'flags' : 'does not flag'} words that destroy in ${intent}`, () => {
      const [actionWord = '', resource = ''] = intent.split(' ');
      const { flags } = readNormalized({ actionWord, segments: resource.split('/') }, lexicon);
      expect(flags.includes('destructive_words')).to.equal(isFlagged);
    });
  }

  it('finds data classes in the segments', () => {
    const parse = readNormalized({ actionWord: 'read', segments: ['hr', 'payroll', 'bank_accounts'] }, lexicon);
    expect(parse.data_classes).to.include('financial');
  });

  for (const action of ACTION_CLASSES) {
    it(`understands the class ${action} with full confidence`, () => {
      expect(readNormalized({ actionWord: action, segments: ['data', 'thing'] }, lexicon)).to.include({
        action,
        verb: action,
        confidence: 1,
      });
    });
  }
});

describe('actionOf', () => {
  it('knows the nine classes, unknown, and verbs of the lexicon; nothing else', () => {
    expect(actionOf('drop', lexicon)?.action).to.equal('delete');
    expect(actionOf('set_up', lexicon)?.action).to.equal('create');
    expect(actionOf('unknown', lexicon)?.action).to.equal('unknown');
    expect(actionOf('qwerty', lexicon)).to.equal(undefined);
    expect(actionOf('constructor', lexicon)).to.equal(undefined);
    expect(actionOf('__proto__', lexicon)).to.equal(undefined);
  });
});

describe('parseNormalized', () => {
  it('reads action:resource and domain.action.object alike', () => {
    const [one, other] = [
      parseNormalized('drop:db/production/users', lexicon),
      parseNormalized('db.drop.production.users', lexicon),
    ];
    expect(one).to.deep.equal(other);
  });
});
