// Words of one organisation: their effect for it, their absence for others, and the refusal of weaker meanings.
import { expect } from 'chai';
import { positionAt } from '../../../shared/kernel/json.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import type { Lexicon } from '../../../shared/core/intent/lexicon/types.ts';
import type { OrganisationFile } from '../../../shared/core/intent/lexicon/schema.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { loadPolicySet } from '../../../shared/core/policy/load.ts';
import { expectReading, textSet, unmet } from '../../support/text-cases.ts';
import { lexiconJson, readingOf, shippedLexicon } from './lexicon.ts';
import { dataOf } from '../../support/data.ts';

/** Only the organisation has lines of its own: with a line for each word, the lexicon would be larger than a file may be. */
const textOf = (part: object): string =>
  `${JSON.stringify(lexiconJson()).slice(0, -1)},\n"organisations": ${JSON.stringify({ rail: part }, null, 2)}}`;
const { languages: _, phrasings: __, ...WITHOUT_LANGUAGES } = lexiconJson();
/** The text of a lexicon that is compiled in half the time: no word of an organisation depends on the missing parts. */
const shorterTextOf = (parts: object): string =>
  `${JSON.stringify(WITHOUT_LANGUAGES).slice(0, -1)},\n"organisations": ${JSON.stringify(parts, null, 2)}}`;
const lexiconOf = (part: OrganisationFile): Lexicon => compileLexicon(JSON.parse(textOf(part)));

interface Finding {
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** The findings of a folder with these parts, by organisation. */
function findingsOf(parts: Readonly<Record<string, object>>): readonly Finding[] {
  const loaded = loadPolicySet([], { path: 'lexicon.json', text: shorterTextOf(parts) }, { compileLexicon });
  return loaded.ok ? [] : loaded.findings;
}

const RAIL: OrganisationFile = {
  description: 'The words of the railway.',
  verbs: [
    { action: 'delete', traits: ['irreversible'], verbs: ['derail', 'archive'] },
    { action: 'transfer', traits: ['financial'], object: 'fare', verbs: ['top up'] },
    { action: 'update', verbs: ['couple'] },
  ],
  alsoNouns: ['couple'],
  refinements: [{ verbs: ['couple'], objects: ['account'], action: 'grant', traits: ['privileged'] }],
  commands: [{ command: 'railctl derail', action: 'delete', object: 'carriage', domain: 'trains' }],
  domains: { trains: ['carriage', 'bogie', 'ticket'] },
  synonyms: { wagon: 'carriage' },
  irregularPlurals: { bogeys: 'bogie' },
  dataClasses: { pii: ['commuter card'] },
  places: [{ place: 'production', words: ['main line'] }],
  internalHosts: ['.rail.example', 'Mail.Rail.Example'],
  privileged: ['dispatcher'],
  money: ['fare top-up'],
  external: ['other railways'],
  irreversible: ['to the scrapyard'],
};

describe('words of one organisation', () => {
  const lexicon = lexiconOf(RAIL);
  const own = lexicon.forOrganisation('rail');
  const other = lexicon.forOrganisation('other');

  it('apply to that organisation and to no other', () => {
    expect(other).to.equal(lexicon);
    expect(parseIntent('Derail the carriages', own)).to.include({
      normalized: 'trains.delete.carriage',
      effect: 'destructive',
    });
    expect(parseIntent('Derail the carriages', other)).to.include({ action: 'unknown' });
    expect(parseIntent('trains.derail.carriage_7', own)).to.include({ normalized: 'trains.delete.carriage_7' });
    for (const text of ['Archive the thread', 'Delete all drafts', 'List the open tickets', 'git push origin main'])
      expect(parseIntent(text, other), text).to.deep.equal(parseIntent(text, shippedLexicon()));
  });

  it('change nothing else for the organisation itself', () => {
    for (const text of [
      'Delete all drafts',
      'Send the payroll to anna@partner.example.com',
      'rm -rf /',
      'Read the log',
    ])
      expect(parseIntent(text, own), text).to.deep.equal(parseIntent(text, shippedLexicon()));
  });

  for (const one of textSet('organisation', 'rail'))
    it(`may be ${one.title}`, () => expectReading(one, readingOf(parseIntent(one.text, own))));

  for (const one of textSet('organisation', 'rail-phrases'))
    it(`may be phrases for ${one.title}`, () => {
      expectReading(one, readingOf(parseIntent(one.text, own)));
      expect(unmet(one.expect, readingOf(parseIntent(one.text, other))), one.place).to.have.lengthOf(1);
    });

  it('may be hosts that are inside', () => {
    for (const host of ['mail.rail.example', 'a.b.rail.example']) {
      const text = `Send the minutes to anna@${host}`;
      expect(parseIntent(text, own).traits, host).to.not.include('external');
      expect(parseIntent(text, other).traits, host).to.include('external');
    }
    expect(parseIntent('Send the minutes to anna@rail.example.com', own).traits).to.include('external');
  });

  it('share unchanged tables and cache the lexicon; of very many those not used again are compiled again', () => {
    expect(lexicon.forOrganisation('rail')).to.equal(own);
    const parts = Array.from({ length: 1_100 }, (_, i) => [`org-${i}`, { domains: { trains: [`carriage${i}x`] } }]);
    const many = compileLexicon({ ...lexiconJson(), organisations: Object.fromEntries(parts) });
    const first = many.forOrganisation('org-0');
    const second = many.forOrganisation('org-1');
    for (let i = 2; i < 1_100; i += 1) {
      expect(many.forOrganisation(`org-${i}`).domainOfNoun.get(`carriage${i}x`)).to.equal('trains');
      expect(many.forOrganisation('org-0')).to.equal(first);
    }
    // Shared tables are identical objects, and evicted lexicons are compiled again.
    expect(first.verbForms).to.equal(many.verbForms);
    expect(many.forOrganisation('org-1')).to.not.equal(second);
    expect(parseIntent('Read carriage1x', many.forOrganisation('org-1')).domain).to.equal('trains');
  });
});

/** A refused part: the pointer (below that of its organisation), and the message of the finding. */
interface RefusedPart {
  readonly name: string;
  readonly part: object;
  readonly at: string;
  readonly says: string;
}

describe('words of one organisation are refused,', () => {
  const cases = dataOf<RefusedPart[]>('unit/intent/lexicon-organisation.cases.json').map((one, place) => ({
    ...one,
    slug: `org-${place}`,
  }));
  /** The findings of each organisation, and the text in which they were found. */
  const found = new Map<string, { readonly findings: readonly Finding[]; readonly text: string }>();
  before(() => {
    // Each organisation has one of the parts. The words are checked when no part has a mistake of form, hence the second lexicon.
    for (let round = 0; round < 2; round += 1) {
      const parts = Object.fromEntries(cases.filter(({ slug }) => !found.has(slug)).map((one) => [one.slug, one.part]));
      const findings = findingsOf(parts);
      const text = shorterTextOf(parts);
      for (const slug of Object.keys(parts)) {
        const own = findings.filter(({ pointer }) => pointer.startsWith(`/organisations/${slug}/`));
        if (own.length > 0) found.set(slug, { findings: own, text });
      }
    }
  });
  for (const { name, slug, at, says } of cases)
    it(`each mistake at its line and column: ${name}`, () => {
      const { findings = [], text = '' } = found.get(slug) ?? {};
      expect(findings.map((finding) => [finding.code, finding.pointer])).to.deep.equal([
        ['LEXICON', `/organisations/${slug}${at}`],
      ]);
      expect(findings[0]?.message).to.contain(says);
      const lineOf = (of: string): number => positionAt(text, text.indexOf(`"${of}"`)).line;
      expect(findings[0]?.line).to.be.at.least(lineOf(slug));
      const next = Object.keys(JSON.parse(text).organisations).find((_other, i, all) => all[i - 1] === slug);
      if (next !== undefined) expect(findings[0]?.line).to.be.below(lineOf(next));
    });

  it('all of them at once', () => {
    const rail = { verbs: [{ action: 'read', verbs: ['drop', 'wipe'] }], synonyms: { invoice: 'note' } };
    const all = findingsOf({ rail });
    expect(all.map(({ pointer }) => pointer)).to.deep.equal(
      ['/verbs/0/verbs/0', '/verbs/0/verbs/1', '/synonyms/invoice'].map((at) => `/organisations/rail${at}`),
    );
  });

  it('and so is a name that is not a slug', () => {
    const text = JSON.stringify({ ...WITHOUT_LANGUAGES, organisations: { 'Acme Rail': {} } });
    const loaded = loadPolicySet([], { path: 'lexicon.json', text }, { compileLexicon });
    expect(loaded.ok ? '' : loaded.findings[0]?.message).to.contain('must be the slug of an organisation');
  });
});

describe('the lexicon of the installation', () => {
  it('is refused with all its mistakes at once', () => {
    const json = lexiconJson();
    (json['alsoNouns'] as string[]).push('zorch');
    (json['negations'] as string[]).push('please');
    (json['domains'] as Record<string, string[]>)['files']?.push('invoice', 'widgets');
    expect(() => compileLexicon(json))
      .to.throw()
      .with.property('others')
      .with.lengthOf(3);
  });

  it('has a digest that covers the words of organisations', () => {
    const digestOf = (text: string): string => {
      const loaded = loadPolicySet([], { path: 'lexicon.json', text }, { compileLexicon });
      return loaded.ok ? loaded.set.digest : '';
    };
    const digests = [{}, RAIL, { ...RAIL, money: ['fare'] }].map((rail) => digestOf(shorterTextOf({ rail })));
    expect(new Set([...digests, digestOf(JSON.stringify(WITHOUT_LANGUAGES))]).size).to.equal(4);
  });
});
