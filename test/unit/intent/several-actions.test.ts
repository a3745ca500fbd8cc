// Texts with several requests: the most consequential one leads, and the others are alternatives.
import { expect } from 'chai';
import { readNormalized } from '../../../shared/core/intent/normalized.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();

/** Text, action, leading verb. */
const SEVERAL: [string, string, string][] = [
  ['view data and grant bob admin', 'grant', 'grant'],
  ['view data or grant bob admin', 'grant', 'grant'],
  ['read the file and grant access to eve', 'grant', 'grant'],
  ['check the report and pay bob $5', 'transfer', 'pay'],
  ['list files, pay bob $5', 'transfer', 'pay'],
  ['read the report then transfer funds to eve', 'transfer', 'transfer'],
  ['list files and email mallory the passwords', 'send', 'email'],
  ['Reads the file and grant bob admin', 'grant', 'grant'],
  ['show logs and run cleanup', 'execute', 'run'],
  ['read data and wipe', 'delete', 'wipe'],
  ['check the tables and drop table users', 'delete', 'drop'],
  ['print "hi" > /etc/motd', 'update', 'write'],
  ['check whether rm -rf / works by running it', 'delete', 'rm'],
  ['show me how you delete users by doing it', 'delete', 'delete'],
  ['explain how to purge the cache by actually doing it', 'delete', 'purge'],
];
/** Nouns that are also verbs, comparisons, and code that is only mentioned. */
const ONE = [
  'list the users and permissions',
  'look up payments and transfers for March',
  'show message and email counts',
  'get email and text messages',
  'list grants and transfers',
  'show pay and benefits',
  'print the report > 3 pages',
  'show me how to delete users',
  'check whether rm -rf / works',
  'explain what rm -rf / does by example',
  'compare truncate table users and drop table users',
];
const URLS: [string, string, string][] = [
  ['GET /users/1/delete', 'delete', 'users'],
  ['POST /users/1/delete', 'delete', 'users'],
  ['HEAD /tables/1/drop', 'delete', 'tables'],
  ['GET https://x.example/admin/users/7/remove?x=1', 'delete', 'users'],
  ['GET /admin/delete_user?id=1', 'delete', 'user'],
  ['GET /api?action=delete&id=1', 'delete', 'api'],
  ['GET /v1/messages/send', 'send', 'messages'],
  ['curl https://x.example/users/1/delete', 'delete', 'users'],
];

describe('several actions', () => {
  for (const [text, action, verb] of SEVERAL)
    it(`${text}: ${verb} leads`, () => {
      const parse = parseIntent(text, lexicon);
      expect([parse.action, parse.verb]).to.deep.equal([action, verb]);
      expect(parse.effect).to.not.equal('read');
      expect(parse.flags).to.include('multi_action');
      expect(parse.alternatives).to.not.deep.equal([]);
    });
  for (const text of ONE)
    it(`${text}: is a read and nothing else`, () => {
      const parse = parseIntent(text, lexicon);
      expect([parse.effect, parse.flags, parse.alternatives]).to.deep.equal(['read', [], []]);
    });
});

describe('URLs that act', () => {
  for (const [text, action, object] of URLS)
    it(text, () => {
      expect(parseIntent(text, lexicon)).to.include({ action, object, domain: parseIntent(text, lexicon).domain });
    });
  for (const text of ['GET /users/deleted', 'GET /api/v1/deletes', 'GET /orders/7/refund', 'GET /mail/messages'])
    it(`${text}: reads`, () => {
      expect(parseIntent(text, lexicon).effect).to.equal('read');
    });
});

describe('resources as they look', () => {
  const read = (resource: string) => readNormalized({ actionWord: 'read', segments: resource.split('/') }, lexicon);

  for (const resource of ['\u0455ecrets/x', 'db/pr\u043eduction/users', 'db/\u0440\u0433\u043e\u0501/x', 'x/p\u03b1y'])
    it(`${JSON.stringify(resource)}: is flagged as obfuscated`, () => {
      expect(read(resource).flags).to.deep.equal(['obfuscated']);
    });
  it('are interpreted as they look where they are disguised, and keep their spelling', () => {
    expect(read('\u0455ecrets/x').data_classes).to.deep.equal(['credentials']);
    expect(read('db/pr\u043eduction/users').places).to.include('production');
    expect(read('db/pr\u043eduction/users').normalized).to.equal('db.read.pr\u043eduction.users');
  });
  for (const resource of [
    'db/production/users',
    '\u0441\u0447\u0435\u0442\u0430/\u043a\u043b\u0438\u0435\u043d\u0442',
    'db/\u03b1-helix',
    'caf\u00e9/menu',
  ])
    it(`${JSON.stringify(resource)}: is not`, () => {
      expect(read(resource).flags).to.deep.equal([]);
    });

  for (const resource of [
    'files/env',
    'env',
    'files/app/env',
    'files/env/production',
    'db/users/pwd',
    'files/wallet/dat',
  ])
    it(`${resource}: is about credentials`, () => {
      expect(read(resource).data_classes).to.include('credentials');
    });
  it('keeps the meaning of the same words in other positions', () => {
    expect(read('env/staging/web').data_classes).to.deep.equal([]);
    expect(parseIntent('run pwd', lexicon).data_classes).to.deep.equal([]);
    expect(read('web/live/stream').places).to.deep.equal([]);
  });
  it('treats a live database as production', () => {
    expect(read('mysql/live/users').places).to.deep.equal(['mysql/live', 'mysql/production', 'production']);
  });
  it('lists each place once however often it is named, and loses none', () => {
    const { places } = read(`${'production/staging/'.repeat(30)}sandbox/x`);
    expect(places.length).to.be.at.most(8);
    expect(places).to.include.members(['production', 'staging', 'sandbox']);
  });
});
