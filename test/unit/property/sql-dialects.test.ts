// The property of SQL: a comment, a string or a name of one dialect never hides what that dialect runs after it.
import { expect } from 'chai';
import fc from 'fast-check';
import { gravity } from '../../../shared/core/intent/code/code.ts';
import { fragmentsOf } from '../../../shared/core/intent/code/fragments.ts';
import { type CodeKind, readCode } from '../../../shared/core/intent/code/script.ts';
import { shippedLexicon } from '../intent/lexicon.ts';

const lexicon = shippedLexicon();
const UNKNOWN = 45;

/** Harmless values, as each dialect writes them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    "'\\'",
    "'C:\\'",
    "'it''s'",
    "E'it\\'s'",
    "E'a'\n'it\\'s'",
    "a like 'x' escape '\\'",
    '1 # 2',
    "a #> '{b}'",
    "a #>> '{b}'",
    "a #- '{b}'",
    "$$it's$$",
    "$é$ it's $é$",
    "$aaaaaaaaaaaaaaaaaaaaaaaaa$ it's $aaaaaaaaaaaaaaaaaaaaaaaaa$",
    "1 /* /* */ it's */",
    "1 /*! it's */",
    "1 /*M! it's */",
    "1 -- it's\r",
    "1 --it's\n",
    '1\n-------- all\n',
    '"it\'s"',
    '"\\"',
    "'a''\\'",
    "a[1], b['\\']",
  ],
  mysql: [
    "'it\\'s'",
    '"it\\"s"',
    '"it\'s"',
    "`it's`",
    '5--3',
    "1 # it's\n",
    "a# it's\n",
    "1 -- it's\n",
    '1 /*! + 2 */',
    '1 /*!50000 + 2 */',
    "'a\\\\'",
    '$$',
    '1 as $a$',
  ],
  mariadb: ["'it\\'s'", '1 /*M! + 2 */', '1 /*M!100000 + 2 */', '5--3'],
  sqlserver: ["[it's]", "[a]]'b]", '#t', '##t', 'a#b', "'\\'", "1 /* /* */ it's */", "[a--b], 'c'", '[a;b]', '[a/*b]'],
  sqlite: ["[it's]", "'\\'", '1 /* /* */', "1 -- it's\n", '`a;b`'],
  oracle: ["q'[it's]'", "q'{it's}'", "q'!it's!'", "nq'(it's)'", "q']it's]'", "'\\'", 'a#', '1 /* /* */'],
  bigquery: ["'''it's'''", '"""it"s"""', "'it\\'s'", "1 # it's\n", '`a\\`b`', "r'''it's'''"],
  snowflake: ["1 // it's\n", "'it\\'s'", "$$it's$$", "'a\\\\'"],
  spark: ["r'\\'", "'it\\'s'", "1 -- \\\nit's\n", "1 /* /* */ it's */"],
  clickhouse: ["'it\\'s'", "1 # it's\n", "$a$it's$a$", '`a\\`b`', '"it\\"s"'],
};
const HARM = [
  'DROP TABLE x',
  'delete from users',
  'update accounts set balance = 0',
  "update users set role = 'admin'",
  'grant all on users to eva',
  'alter role eva superuser',
  'insert into payouts values (1, 5000)',
  'select wipe(1)',
  'call purge()',
];
/** Comments and strings after it in which another dialect may end what it took for one. */
const ENDINGS = ['', " -- '", ' -- "', " /* ' */", " -- ' */", ' -- $$', ' -- ]', "; select 'a'", ' -- `', " -- '''"];

const gravestIn = (kind: CodeKind, text: string): number => {
  const { fragments, isUnderstood } = readCode(kind, text, lexicon);
  return Math.max(isUnderstood ? 0 : UNKNOWN, ...fragments.map(gravity));
};
const quoted = (sql: string): string => `'${sql.replaceAll("'", "'\\''")}'`;
const CLIENTS: Readonly<Record<string, (sql: string) => string>> = {
  'psql -c': (sql) => `psql -c ${quoted(sql)}`,
  'psql, fed': (sql) => `psql <<'END'\n${sql}\nEND`,
  'mysql -e': (sql) => `mysql -e ${quoted(sql)}`,
  'sqlcmd -Q': (sql) => `sqlcmd -Q ${quoted(sql)}`,
};
const expectSeen = (kind: CodeKind, sql: string, harm: string, write = (one: string) => one): void => {
  expect(gravestIn(kind, write(sql)), write(sql)).to.be.at.least(gravestIn(kind, write(harm)));
};

describe('SQL in which one dialect hides what another one runs', () => {
  for (const [dialect, values] of Object.entries(VALUES)) {
    const queries = fc
      .tuple(
        fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...HARM),
        fc.constantFrom(...ENDINGS),
      )
      .map(([some, harm, ending]) => ({ sql: `select ${some.join(', ')} from t; ${harm}${ending}`, harm }));

    it(`is as grave as what it runs, after every value of ${dialect}`, () => {
      for (const value of values)
        for (const harm of HARM)
          for (const ending of ENDINGS) expectSeen('sql', `select ${value}; ${harm}${ending}`, harm);
    });

    it(`is as grave as what it runs, after any values of ${dialect}`, () => {
      fc.assert(
        fc.property(queries, ({ sql, harm }) => expectSeen('sql', sql, harm)),
        { numRuns: 300 },
      );
    });

    it(`is as grave for its clients, after any values of ${dialect}`, () => {
      fc.assert(
        fc.property(queries, fc.constantFrom(...Object.values(CLIENTS)), ({ sql, harm }, write) =>
          expectSeen('shell', sql, harm, write),
        ),
        { numRuns: 150 },
      );
    });

    it(`is as grave in a text, after every value of ${dialect}`, () => {
      // Within a name or a comment that only one dialect has, it is not recognized that the text is SQL.
      for (const value of values.filter((one) => !/;|\\\n|--it|^\[a/.test(one)))
        for (const harm of HARM) {
          const own = Math.min(UNKNOWN, ...fragmentsOf(`${harm};`, lexicon).map(gravity));
          for (const sql of [
            `SELECT ${value} FROM t; ${harm}`,
            `run this: select ${value} from t where a = 1; ${harm}`,
          ])
            expect(Math.max(0, ...fragmentsOf(sql, lexicon).map(gravity)), sql).to.be.at.least(own);
        }
    });

    it(`is read when there is no more to it than values of ${dialect}`, () => {
      // A semicolon within a name of SQL Server ends a statement elsewhere.
      for (const value of values.filter((one) => !one.includes(';')))
        expect(gravestIn('sql', `select ${value} from t`), value).to.equal(
          gravity({ action: 'read', effect: 'read', traits: [] }),
        );
    });
  }
});
