// A value that grants, exposes, pays or switches protection off does so in whatever code it is set.
import { expect } from 'chai';
import fc from 'fast-check';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { compileLexicon } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { runs } from '../property/runs.ts';
import { lexiconJson } from './lexicon.ts';

// Learned weights would hide what the rules miss.
const { harm: _, ...rules } = lexiconJson();
const lexicon = compileLexicon(rules);

const GRAVE: readonly (readonly [name: string, value: string])[] = [
  ['role', 'admin'],
  ['is_admin', 'true'],
  ['visibility', 'public'],
  ['public', 'true'],
  ['mfa_required', 'false'],
  ['verify_ssl', 'false'],
  ['fraud_check', 'false'],
  ['bank_account', 'DE99'],
];
const ORDINARY: readonly (readonly [name: string, value: string])[] = [
  ['theme', 'dark'],
  ['locale', 'de'],
  ['nickname', 'Ann'],
  ['mfa_required', 'true'],
];
const isLiteral = (value: string) => /^(?:true|false)$/.test(value);
const quoted = (value: string, quote: string) => (isLiteral(value) ? value : `${quote}${value}${quote}`);
const python = (value: string) => quoted(value, '"').replace('true', 'True').replace('false', 'False');

/** Ways to set a value in code. */
const FORMS: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `UPDATE things SET ${name} = ${quoted(value, "'")} WHERE id = 7`,
  (name, value) => `UPDATE things SET note = 'x', ${name} = ${quoted(value, "'")} WHERE id = 7`,
  (name, value) => `INSERT INTO things (id, ${name}) VALUES (7, ${quoted(value, "'")})`,
  (name, value) => `INSERT INTO things (id) VALUES (7) ON CONFLICT (id) DO UPDATE SET ${name} = ${quoted(value, "'")}`,
  (name, value) => `PATCH /things/7 {"${name}": ${quoted(value, '"')}}`,
  (name, value) => `PATCH /things/7 {"note": "x", "inner": {"${name}": ${quoted(value, '"')}}}`,
  (name, value) => `axios.patch("/things/7", {${name}: ${quoted(value, "'")}})`,
  (name, value) => `requests.patch("https://api.internal/things/7", json={"${name}": ${python(value)}})`,
  (name, value) => `Thing.objects.filter(id=7).update(${name}=${python(value)})`,
  (name, value) => `prisma.thing.update({where: {id: 7}, data: {${name}: ${quoted(value, '"')}}})`,
  (name, value) => `db.things.updateOne({_id: 7}, {$set: {${name}: ${quoted(value, '"')}}})`,
  (name, value) => `thing.${name} = ${python(value)}; thing.save()`,
  (name, value) => `mutation { updateThing(id: 7, ${name}: ${quoted(value, '"')}) { id } }`,
  (name, value) => `${name}=${value} in staging`,
  (name, value) => `set ${name}=${value} on the web shop # since May`,
  (name, value) => `[web]\n${name} = ${quoted(value, '"')}\nretries = 3`,
  (name, value) => `web:\n  ${name}: ${quoted(value, "'")}\n  pool_size: 24`,
];
const isOrdinary = (text: string): boolean => {
  const { effect, action, traits } = parseIntent(text, lexicon);
  return effect !== 'destructive' && (action === 'create' || action === 'update') && traits.length === 0;
};

describe('a value that code sets', () => {
  const forms = fc.constantFrom(...FORMS);

  it('is no ordinary change when it grants, exposes, pays or switches protection off, in any form', () => {
    fc.assert(
      fc.property(forms, fc.constantFrom(...GRAVE), (form, [name, value]) => {
        expect(isOrdinary(form(name, value)), form(name, value)).to.equal(false);
      }),
      runs(300, 0.1),
    );
  });

  it('is an ordinary change otherwise', () => {
    fc.assert(
      fc.property(forms, fc.constantFrom(...ORDINARY), (form, [name, value]) => {
        expect(isOrdinary(form(name, value)), form(name, value)).to.equal(true);
      }),
      runs(300, 0.1),
    );
  });
});

const STATEMENTS = [
  'DELETE FROM users',
  'DROP TABLE users',
  'TRUNCATE users',
  'ALTER TABLE users DROP COLUMN a',
] as const;
const AROUND: readonly ((statement: string) => string)[] = [
  (statement) => statement,
  (statement) => `SELECT 1; ${statement}`,
  (statement) => `SELECT 1 ${statement}`,
  (statement) => `SET NOCOUNT ON ${statement}`,
  (statement) => `UPDATE a SET b = 1 WHERE c = 2 ${statement}`,
  (statement) => `INSERT INTO a (b) VALUES (1) ${statement}`,
  (statement) => `BEGIN; ${statement}; COMMIT`,
  (statement) => `BEGIN ${statement}; END`,
  (statement) => `/* a */ ${statement} -- b`,
  (statement) => statement.replaceAll(' ', '/**/'),
  (statement) => statement.replaceAll(' ', '\n'),
  (statement) => `PREPARE x AS ${statement}`,
  (statement) => `DO $$ BEGIN ${statement}; END $$`,
  (statement) => `EXECUTE IMMEDIATE '${statement}'`,
  (statement) => `cursor.execute("${statement}")`,
  (statement) => `POST /query {"sql": "${statement}"}`,
  (statement) => `mutation { run(sql: "${statement}") { ok } }`,
  (statement) => `em.createQuery("${statement.toLowerCase()}").executeUpdate()`,
];

describe('a statement that destroys', () => {
  it('is never read as an ordinary change or a read, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATEMENTS), fc.constantFrom(...AROUND), (statement, around) => {
        const { effect, action } = parseIntent(around(statement), lexicon);
        expect(effect === 'destructive' || action === 'unknown', around(statement)).to.equal(true);
      }),
      runs(200, 0.1),
    );
  });
});

/** Ways of programs to make a request. */
const REQUESTS: readonly ((method: string, url: string, quote: string) => string)[] = [
  (method, url, q) => `fetch(${q}${url}${q}, {method: ${q}${method}${q}})`,
  (method, url, q) => `await fetch(base + ${q}${url}${q}, {"method": ${q}${method}${q}})`,
  (method, url, q) => `axios({url: ${q}${url}${q}, method: ${q}${method}${q}})`,
  (method, url, q) => `$.ajax({url: ${q}${url}${q}, type: ${q}${method}${q}})`,
  (method, url, q) => `conn.request(${q}${method}${q}, ${q}${url}${q})`,
  (method, url, q) => `requests.request(${q}${method}${q}, ${q}${url}${q})`,
  (method, url, q) => `xhr.open(${q}${method}${q}, ${q}${url}${q})`,
  (method, url, q) => `http.NewRequest(${q}${method}${q}, ${q}${url}${q}, nil)`,
  (method, url, q) => `http.NewRequest(http.Method${method}, ${q}${url}${q}, nil)`,
  (method, url, q) => `restTemplate.exchange(${q}${url}${q}, HttpMethod.${method}, null, Void.class)`,
  (method, url, q) => `client.${method.toLowerCase()}(${q}${url}${q})`,
  (_, url, q) => `fetch(${q}${url}${q}, {method: m})`,
  (_, url, q) => `fetch(${q}${url}${q}, options)`,
  (_, url, q) => `requests.request(method, ${q}${url}${q})`,
];

describe('a request by a program', () => {
  it('is no read when its method deletes or is known only at run time, however it is written', () => {
    const quotes = fc.constantFrom('"', "'", '`');
    const urls = fc.constantFrom('/users/7', 'https://api.internal/users/7');
    fc.assert(
      fc.property(fc.constantFrom(...REQUESTS), urls, quotes, (form, url, quote) => {
        const text = form('DELETE', url, quote);
        expect(parseIntent(text, lexicon).effect, text).to.not.equal('read');
      }),
      runs(300, 0.1),
    );
  });
});
