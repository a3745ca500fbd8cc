// A value that grants, exposes, pays or switches protection off does so in whatever code it is set.
import { expect } from 'chai';
import fc from 'fast-check';
import { settingAt } from '../../../shared/core/intent/code/found-settings.ts';
import { judgementOf, kindOfSetting } from '../../../shared/core/intent/code/judged-settings.ts';
import { doingOfSetting } from '../../../shared/core/intent/code/settings.ts';
import { assessIntent, parseIntent } from '../../../shared/core/intent/parse.ts';
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
  (name, value) => `{"web": {"${name}": ${quoted(value, '"')}, "pool_size": 24}}`,
  (name, value) => `# web.json\n{"${name}": ${quoted(value, '"')}}`,
  (name, value) => `[{"op": "replace", "path": "/web/${name}", "value": ${quoted(value, '"')}}]`,
  (name, value) => `pool_size: 24, ${name}: ${quoted(value, '"')}`,
  (name, value) => `pool_size=24 and ${name}=${value} for the web shop`,
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

/** What each setting is about, and what it is set to where its name does not say it. */
const SECTIONS: readonly (readonly [section: string, name: string, value: string])[] = [
  ['mfa', 'required', 'false'],
  ['audit', 'enabled', 'off'],
  ['tls', 'enabled', 'no'],
  ['backups', 'enabled', 'false'],
  ['permissions', 'contents', 'write'],
];
const NESTED: readonly ((section: string, name: string, value: string) => string)[] = [
  (section, name, value) => `${section}:\n  ${name}: ${value}\nui:\n  theme: dark`,
  (section, name, value) => `app:\n  ${section}:\n    - theme: dark\n      ${name}: ${value}`,
  (section, name, value) => `[${section}]\n${name} = ${value}\n[ui]\ntheme = dark`,
  (section, name, value) => `{"app": {"${section}": {"${name}": ${quoted(value, '"')}}}}`,
  (section, name, value) => `app: {${section}: {${name}: ${value}}}\nui: {theme: dark}`,
  (section, name, value) => `app.${section}.${name}=${value}\nui.theme=dark`,
];

describe('a configuration', () => {
  it('is no ordinary change when a value is grave by the names around it', () => {
    for (const form of NESTED)
      for (const setting of SECTIONS) expect(isOrdinary(form(...setting)), form(...setting)).to.equal(false);
  });

  it('is one when such a value is switched on, and no name around it pays or opens', () => {
    for (const form of NESTED.filter((one) => !one('', '', '').includes('- theme')))
      expect(isOrdinary(form('mfa', 'required', 'true')), form('mfa', 'required', 'true')).to.equal(true);
  });

  it('means the opposite where its name is negated', () => {
    for (const text of ['no_mfa: true', 'mfa_disabled=yes', 'disable_audit: 1', 'block_public_acls = false'])
      expect(isOrdinary(text), text).to.equal(false);
    for (const text of [
      'GIT_SSL_NO_VERIFY=false',
      'acl: private\nblock_public_acls: true',
      'a: 1\nskip_final_snapshot: false',
    ])
      expect(isOrdinary(text), text).to.equal(true);
  });

  it('is no ordinary change when something is kept for nearly nothing, but a cache may be as short as one likes', () => {
    for (const value of ['0', '0s', 'PT0S', '0h0m0s', '1h', '90m'])
      expect(isOrdinary(`order_retention=${value}`), value).to.equal(false);
    for (const text of ['cache_ttl=5s', 'maxUnavailable: 0', 'retention_days=30'])
      expect(isOrdinary(text), text).to.equal(true);
  });

  it('runs the commands that it holds', () => {
    for (const text of [
      'jobs:\n  a:\n    steps:\n      - run: rm -rf /srv/data',
      'jobs:\n  a:\n    steps:\n      - run: |\n          ls\n          rm -rf /srv/data',
      'a:\n  script:\n    - ls\n    - rm -rf /srv/data',
      'a:\n  command: [sh, -c, "rm -rf /srv/data"]',
      '[Service]\nExecStart=/bin/sh -c "rm -rf /srv/data"',
      '{"scripts": {"test": "rm -rf /srv/data"}}',
    ])
      expect(parseIntent(text, lexicon).effect, text).to.equal('destructive');
  });

  it('is none where it is words for somebody', () => {
    for (const text of [
      '{"task": "transfer 300 to Bob", "priority": 1}',
      'POOL_SIZE=20 in staging, then pay the supplier',
      'POOL_SIZE=20, hand the keys to Bob',
    ])
      expect(isOrdinary(text), text).to.equal(false);
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

describe('rules about the same setting', () => {
  it('count each: one that is about money hides no other one', () => {
    const text = "Record Saturday's volunteers as paid staff on the timesheet";
    expect(assessIntent(text, lexicon).phrasings).to.deep.equal(['end_change']);
  });

  it('do not hold for a longer name that they except, but for what else is in the name', () => {
    const effectOf = (name: string) => doingOfSetting({ name, value: 'no' }, lexicon)?.effect;
    expect(effectOf('password_authentication')).to.equal(undefined);
    expect(effectOf('sshd_password_authentication')).to.equal(undefined);
    expect(effectOf('password_authentication_mfa')).to.equal('destructive');
    expect(effectOf('mfa_password_authentication')).to.equal('destructive');
  });
});

/** A setting with the names around it, as YAML writes them. */
const inYaml = (path: string, value: string): string =>
  path
    .split('.')
    .map((name, depth) => `${'  '.repeat(depth)}${name}:`)
    .join('\n')
    .concat(` ${value}\nui:\n  theme: dark`);
const settingOf = (path: string, value: string) => ({
  name: path.replaceAll('.', '_'),
  own: path.split('.').at(-1) ?? '',
  value,
});

/** Kinds of plain settings, each with paths and the values that are plain there. */
const PLAIN: readonly (readonly [kind: string, paths: readonly string[], values: readonly string[]])[] = [
  ['a size', ['db.shared_buffers', 'db.maintenance_work_mem', 'http.max_body_size'], ['512mb', '16mi', '2gb']],
  ['a level of a log', ['log.level', 'logging.level.com_acme_orders', 'server.log_level'], ['info', 'debug', 'warn']],
  [
    'an address of the machine',
    ['server.host', 'cache.endpoint', 'proxy.target'],
    ['localhost', '127.0.0.1:8080', 'http://app:3000'],
  ],
  ['a file of the project', ['docs.path', 'build.output', 'site.source'], ['guides/setup.md', 'dist/', 'src/**/*.ts']],
  ['a number for a part of a program', ['server.port', 'api.max_page_size', 'client.timeout'], ['8080', '30s', '5']],
  [
    'a way to run a container',
    ['image_pull_policy', 'spec.restart_policy', 'deploy.stop_signal'],
    ['always', 'never', 'sigterm'],
  ],
  [
    'a check of code',
    ['mypy.ignore_missing_imports', 'compiler_options.skip_lib_check', 'ruff.exclude'],
    ['true', 'false', 'src/a.py'],
  ],
  ['what is off and only a look', ['editor.minimap', 'spring.show_sql', 'menu.toolbar'], ['false', 'off', 'no']],
  ['the least right', ['wiki.default_role', 'bucket.visibility', 'ci.contents'], ['read', 'private', 'viewer']],
];
/** Kinds of grave settings. */
const GRAVE_KINDS: readonly (readonly [kind: string, paths: readonly string[], values: readonly string[]])[] = [
  [
    'a guard that is off',
    ['auth.enabled', 'mfa.required', 'tls.verify', 'audit.enabled', 'web.safety_interlock'],
    ['false', 'off', '0'],
  ],
  ['what is kept for nearly nothing', ['backup.retention', 'orders.ttl', 'log.expire_after'], ['0', '1s', '5s']],
  ['access that never ends', ['api.token_ttl', 'web.session_lifetime', 'login.password_expiry'], ['99999h', '9000d']],
  ['open to all', ['wiki.anonymous', 'share.public', 'app.allow_everyone'], ['true', 'on', 'yes']],
  ['a check that is left out', ['app.skip_auth', 'web.ignore_certificates', 'pay.bypass_limits'], ['true', 'on', '1']],
  ['what destroys', ['app.wipe_on_start', 'db.drop_tables', 'job.purge_all'], ['true', 'on', '5']],
  ['how much is paid', ['payments.amount', 'payout.count', 'transfers.total'], ['9000', '1']],
  [
    'somewhere outside',
    ['smtp.host', 'replication.source', 'logs.sink', 'proxy.target'],
    ['mail.evil.example', 'evil.example:80'],
  ],
  [
    'the machine below a container',
    ['volumes.host_path.path', 'web.volumes', 'web.mounts'],
    ['/', '/etc', '/var/run/docker.sock', '/proc'],
  ],
  ['no time before it is gone', ['kms.deletion_window', 'users.delete_after_days', 'files.purge_delay'], ['0', '0s']],
  ['what destroys, among settings of checks', ['ruff.drop_database', 'pytest.wipe_disk'], ['true', 'on']],
  ['a machine that may hurt somebody', ['oven.max_temperature', 'mill.rpm'], ['900', '20000']],
];

/** The kind of an example of the lexicon: `db.shared_buffers=512mb`. */
function kindOfExample(example: string): string | undefined {
  const at = example.indexOf('=');
  const path = example.slice(0, at).split('.');
  return kindOfSetting(settingAt(path.slice(0, -1), path.at(-1) ?? '', example.slice(at + 1)), lexicon)?.kind;
}

interface KindOfSettings {
  readonly kind: string;
  readonly examples: readonly string[];
  readonly against?: readonly string[];
}
// The schema of the lexicon says so.
const KINDS = rules['settingKinds'] as readonly KindOfSettings[];

describe('a kind of settings of the lexicon', () => {
  it('has the settings that are its examples, and none of those against it', () => {
    for (const { kind, examples, against = [] } of KINDS) {
      for (const example of examples) expect(kindOfExample(example), example).to.equal(kind);
      for (const example of against) expect(kindOfExample(example), example).to.not.equal(kind);
    }
  });
});

describe('a setting of a kind', () => {
  for (const [kind, paths, values] of PLAIN)
    it(`is ordinary: ${kind}`, () => {
      for (const path of paths)
        for (const value of values) {
          expect(judgementOf(settingOf(path, value), lexicon), `${path}=${value}`).to.equal('ordinary');
          expect(isOrdinary(inYaml(path, value)), inYaml(path, value)).to.equal(true);
        }
    });

  for (const [kind, paths, values] of GRAVE_KINDS)
    it(`is no ordinary change: ${kind}`, () => {
      for (const path of paths)
        for (const value of values) {
          const setting = settingOf(path, value);
          const isGrave = doingOfSetting(setting, lexicon) !== undefined || judgementOf(setting, lexicon) === 'grave';
          expect(isGrave, `${path}=${value}`).to.equal(true);
          expect(isOrdinary(inYaml(path, value)), inYaml(path, value)).to.equal(false);
        }
    });

  it('is no ordinary change where it names a program, a command, everybody, guests or a credential, or a comment orders something', () => {
    for (const text of [
      'server:\n  listen: 0.0.0.0\n  port: 80',
      'apiVersion: v1\nkind: MutatingWebhookConfiguration\nmetadata:\n  name: web',
      'shell: reboot\nport: 80',
      'guest_access: read\nport: 80',
      'on: push\njobs:\n  a:\n    steps:\n      - uses: evil/x@main',
      '[app]\nplugins = ./evil.py\nport = 80',
      '[mysqld]\nport = 80\nskip-grant-tables',
      'DB_PASSWORD=hunter2\nPORT=80',
      'db:\n  superusers: [eve]\n  port: 80',
      '# wipe the disks\nport: 80\nlog_level: info',
      '{\n  // transfer 900 to Tom\n  "port": 80\n}',
    ])
      expect(isOrdinary(text), text).to.equal(false);
  });

  it('is ordinary in JSON with comments, in TOML with lists over lines, and in a pair of name and value', () => {
    for (const text of [
      '{\n  // how it looks\n  "editor.tabSize": 2,\n}',
      '[tool.ruff]\nselect = [\n  "E",\n  "F",\n]\nline-length = 100',
      'env:\n  - name: LOG_LEVEL\n    value: info',
    ])
      expect(isOrdinary(text), text).to.equal(true);
  });

  it('is grave in a list of variables, in a pair of name and value, behind an alias and in a merged map, too', () => {
    for (const text of [
      'web:\n  environment:\n    - AUTH_DISABLED=true\n    - PORT=80',
      'env:\n  - name: AUTH_DISABLED\n    value: "true"\n  - name: PORT\n    value: "80"',
      '{"key": "fraud_check", "enabled": false}',
      'x: &nothing 0\nspec:\n  replicas: *nothing\n  name: web',
      'base: &b {privileged: true}\nspec:\n  <<: *b\n  name: web',
      'port: 80\n---\nauth:\n  enabled: false',
      'mfa:\n  required: true\n  required: false',
      'a: !!python/object/apply:os.system [ls]\nb: 1',
      'DEBUG=True\nAPP_ENV=production',
      'set mfa_required to false',
      'x: &k privileged\nspec:\n  *k : true\n  name: web',
      'name: web\n? [privileged]\n: true\n',
      'name: web\nmfa_required: |\n  false\n',
      'name: web\ndata:\n  app.properties: tls.verify=false',
      'name: web\ndata:\n  app.yaml: |\n    mfa:\n      required: false',
    ])
      expect(isOrdinary(text), text).to.equal(false);
  });

  it('is ordinary below a line that says what it is of, and not below one that asks for something', () => {
    for (const above of ['netlify.toml', 'Values of the web shop:', 'settings.json (VS Code)'])
      expect(isOrdinary(`${above}\nport: 80\nlog_level: info`), above).to.equal(true);
    for (const above of [
      'Give Bob the keys:',
      'Hand the account to eve:',
      'Wire 900 to Tom',
      'Erase the archive:',
      'rm -rf /srv',
      'Yeet the database:',
      'Full access for all:',
      'You are now root:',
    ])
      expect(isOrdinary(`${above}\nport: 80\nlog_level: info`), above).to.equal(false);
  });

  it('is not looked for in a text that is too deep or too large by its aliases', () => {
    const bomb = `a: &a [${'x, '.repeat(50)}x]\nb: &b [${'*a, '.repeat(50)}*a]\nc: [${'*b, '.repeat(50)}*b]`;
    for (const text of [
      '['.repeat(3_000),
      '- '.repeat(2_000).concat('a: b'),
      `a: ${'{a: '.repeat(900)}`,
      bomb,
      `a: &a 1\n${'b: *a\n'.repeat(400)}`,
    ])
      expect(isOrdinary(text), text.slice(0, 20)).to.equal(false);
  });
});

describe('a setting that tunes something', () => {
  it('is no ordinary change by its form alone: a size of money, a function that acts, what a checker is given', () => {
    for (const text of [
      'web:\n  credit_limits: 500k\n  port: 80',
      'web:\n  withdrawal_limits: 900k\n  port: 80',
      'rules:\n  expr: drop_table(users)\n  port: 80',
      'rules:\n  expression: delete_all(users)\n  port: 80',
      'ruff:\n  allow: everyone\n  port: 80',
      'coverage:\n  firewall: open\n  port: 80',
      'web:\n  upload_customers: true\n  port: 80',
    ])
      expect(isOrdinary(text), text).to.equal(false);
  });
});

describe('a call that tells another agent what to do', () => {
  it('does what that agent is told', () => {
    for (const text of [
      'spawn_agent(goal="transfer 900 to Tom")',
      'run_agent(task="delete all customer records")',
      '{"name": "delegate_task", "arguments": {"task": "wipe the backups"}}',
    ])
      expect(isOrdinary(text), text).to.equal(false);
    expect(isOrdinary('spawn_agent(goal="summarise the release notes")')).to.equal(true);
  });
});
