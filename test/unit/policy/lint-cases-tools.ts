// Linter cases about tool calls: questions without a call, patterns that match a part of a text, names in no catalogue.
import { all, any, degradeIf, is, level, not, risk, to, type LintCase } from './lint-case.ts';
import { policy } from './support.ts';

const call = is('tool.present', 'equal', true);
const files = is('tool.server', 'equal', 'filesystem');
const reads = to(['read'], ['*']);
const trusted = level('greaterThan', 2);
const named = is('key.id', 'equal', 'gateway1');
const some = is('tool.arguments.to[]', 'endsWith', '@corp.example');
const inside = is('tool.arguments.to', 'every', { operator: 'endsWith', value: '@corp.example' });

const silent = (name: string, ...policies: LintCase['policies'][number][]): LintCase => ({ name, policies, says: [] });
const told = (code: string, at: string, name: string, ...policies: LintCase['policies'][number][]): LintCase => ({
  name,
  policies,
  says: [`warning ${code} p /rules/0/conditions${at}`],
});
const allowing = (pattern: string) =>
  policy('p', 'ALLOW', all(call, trusted, is('tool.arguments.path', 'matchesPattern', pattern)), reads);

export const TOOL_CASES: readonly LintCase[] = [
  told(
    'TOOL_ABSENT',
    '/all/0',
    'a DENY about an argument',
    policy('p', 'DENY', all(is('tool.arguments.path', 'matchesGlob', '/etc/**')), reads),
  ),
  told('TOOL_ABSENT', '/all/0', 'a DENY about a server', policy('p', 'DENY', all(files), reads)),
  told('TOOL_ABSENT', '', 'a DENY of all servers but one', policy('p', 'DENY', not(files), reads)),
  told(
    'TOOL_ABSENT',
    '/all/0',
    'an ESCALATE of unknown tools',
    policy('p', 'ESCALATE', all(is('tool.known', 'equal', false))),
  ),
  told(
    'TOOL_ABSENT',
    '/all/1',
    'an obligation for a tool',
    degradeIf('p', all(trusted, is('tool.name', 'equal', 'read_file')), reads),
  ),
  silent('a DENY about a server of a call', policy('p', 'DENY', all(call, files), reads)),
  silent(
    'a DENY about an argument that is there',
    policy(
      'p',
      'DENY',
      all(is('tool.arguments.path', 'isPresent', true), is('tool.arguments.path', 'endsWith', '.key')),
      reads,
    ),
  ),
  silent(
    'a DENY of questions without a call, and of a tool',
    policy('p', 'DENY', any(is('tool.present', 'equal', false), all(call, files)), reads),
  ),
  silent('an ALLOW about a tool, which needs a call', policy('p', 'ALLOW', all(files, trusted), reads)),
  told('UNANCHORED_PATTERN', '/all/2', 'a pattern without an end', allowing('^/srv/app/')),
  told('UNANCHORED_PATTERN', '/all/2', 'a pattern without a beginning', allowing('[.]txt$')),
  told('UNANCHORED_PATTERN', '/all/2', 'an anchor on one alternative', allowing('^/srv/a$|/srv/b')),
  told('UNANCHORED_PATTERN', '/all/2', 'an end that is an escaped sign', allowing('^price\\$')),
  told('UNANCHORED_PATTERN', '/all/2', 'anchors of lines', allowing('(?m)^/srv/a$')),
  told(
    'UNANCHORED_PATTERN',
    '/all/2',
    'a pattern for items',
    policy(
      'p',
      'ALLOW',
      all(call, trusted, is('tool.arguments.names', 'every', { operator: 'matchesPattern', value: 'ops-' })),
      reads,
    ),
  ),
  silent(
    'a pattern that items must not match',
    policy(
      'p',
      'ALLOW',
      all(call, trusted, is('tool.arguments.names', 'every', { not: { operator: 'matchesPattern', value: 'ops-' } })),
      reads,
    ),
  ),
  silent('a pattern for the whole text', allowing('^/srv/(?:a|b)[^|/]*$')),
  silent('a pattern for the whole text, with a flag', allowing('(?i)^/srv/[]|]+$')),
  silent('a pattern for the whole text, with other anchors', allowing('\\A/srv/a\\z')),
  silent(
    'a DENY by a part of a text',
    policy('p', 'DENY', all(call, is('tool.arguments.path', 'matchesPattern', 'passwd')), reads),
  ),
  ...[
    is('tool.arguments.path', 'startsWith', ['ab', '/srv/reports/']),
    is('tool.arguments.filePath', 'startsWith', 'reports/'),
    is('tool.arguments.target_dir', 'startsWith', 'reports'),
    is('tool.arguments.changes', 'some', { path: 'to.file', operator: 'startsWith', value: 'reports/' }),
    not(is('tool.arguments.x', 'startsWith', '/etc/')),
    is('intent.entities.paths', 'every', all(not({ operator: 'startsWith', value: '~/.ssh' }))),
  ].map((part) =>
    told(
      'PATH_PREFIX',
      '/all/2',
      `a prefix of a path: ${JSON.stringify(part)}`,
      policy('p', 'ALLOW', all(call, trusted, part), reads),
    ),
  ),
  told(
    'PATH_PREFIX',
    '/all/1',
    'a DENY by a prefix of a path in the context',
    policy('p', 'DENY', all(is('context.path', 'isPresent', true), is('context.path', 'startsWith', '/etc/')), reads),
  ),
  ...[
    is('tool.arguments.image', 'startsWith', 'registry.example.com/'),
    is('tool.arguments.url', 'startsWith', 'https://example.com/'),
    is('tool.arguments.profile', 'startsWith', 'ops-'),
    is('tool.arguments.path', 'startsWith', '/'),
    is('tool.arguments.path', 'equal', '/etc/hosts'),
    is('agent.id', 'startsWith', '/robots/'),
  ].map((part) =>
    silent(`no prefix of a path: ${JSON.stringify(part)}`, policy('p', 'ALLOW', all(call, trusted, part), reads)),
  ),
  told(
    'UNKNOWN_TOOL',
    '/all/1',
    'a misspelt server',
    policy('p', 'DENY', all(call, is('tool.server', 'equal', 'file-system')), reads),
  ),
  told(
    'UNKNOWN_TOOL',
    '/all/2',
    'a misspelt tool of its server',
    policy('p', 'DENY', all(call, files, is('tool.name', 'in', ['read_file', 'movefile'])), reads),
  ),
  told(
    'UNKNOWN_TOOL',
    '/all/1',
    'a permission for a tool of another server',
    policy('p', 'ALLOW', all(files, is('tool.name', 'equal', 'read_graph'), trusted), reads),
  ),
  told(
    'UNKNOWN_TOOL',
    '/all/0',
    'a permission for a server without a catalogue',
    policy('p', 'ALLOW', all(is('tool.server', 'equal', 'qqx'), trusted), reads),
  ),
  told(
    'UNKNOWN_CALL',
    '/all/0',
    'a permission for calls that nobody knows',
    policy('p', 'ALLOW', all(is('tool.known', 'equal', false), trusted), reads),
  ),
  told(
    'UNKNOWN_CALL',
    '/all/1',
    'a permission for calls that are not known',
    policy('p', 'ALLOW', all(call, not(is('tool.known', 'equal', true)), trusted), to(['*'], ['*'])),
  ),
  told(
    'UNKNOWN_CALL',
    '/all/1/any/0',
    'a permission for calls that are not known or of a changed tool',
    policy('p', 'ALLOW', all(trusted, any(is('tool.known', 'equal', false), is('tool.changed', 'equal', true))), reads),
  ),
  silent(
    'a permission for calls that are not known, or of one tool',
    policy('p', 'ALLOW', all(trusted, any(is('tool.known', 'equal', false), files)), reads),
  ),
  silent('a permission for known calls', policy('p', 'ALLOW', all(is('tool.known', 'equal', true), trusted), reads)),
  silent(
    'a permission for what is no call, or not known',
    policy(
      'p',
      'ALLOW',
      all(trusted, any(is('tool.present', 'equal', false), is('tool.known', 'equal', false))),
      reads,
    ),
  ),
  silent(
    'an obligation for calls that are not known',
    degradeIf('p', all(call, is('tool.known', 'equal', false)), reads),
  ),
  silent(
    'a refusal of a server without a catalogue',
    policy('p', 'DENY', all(call, is('tool.server', 'equal', 'qqx')), reads),
  ),
  silent(
    'a permission for a tool whose server gives its annotations',
    policy('p', 'ALLOW', all(is('tool.server', 'equal', 'open'), is('tool.name', 'equal', 'qqx'), trusted), reads),
  ),
  silent(
    'a refusal of all tools but some',
    policy('p', 'DENY', all(call, is('tool.name', 'notIn', ['readfile'])), reads),
  ),
  {
    name: 'a risk of a tool that is not asked for',
    policies: [risk('p', 100, all(is('tool.changed', 'equal', true)))],
    says: ['warning TOOL_ABSENT p /rules/0/conditions/all/0'],
  },
  {
    name: 'a prefix of the path of any item',
    policies: [policy('p', 'ALLOW', all(call, trusted, is('tool.arguments.files[]', 'startsWith', 'C:\\a\\')), reads)],
    says: ['warning ANY_ITEM p /rules/0/conditions/all/2', 'warning PATH_PREFIX p /rules/0/conditions/all/2'],
  },
  ...[
    some,
    is('tool.arguments.items[].price', 'lessThan', 100),
    is('tool.arguments.carts[].items[].kind', 'equal', 'book'),
    is('tool.arguments.to[]', 'notIn', ['x@evil.example']),
    is('tool.arguments.urls[]', 'hostIn', '*.corp.example'),
    is('tool.arguments.files[].checksum', 'isPresent', true),
    is('intent.places', 'matchesResource', 'public/*'),
  ].map((part) =>
    told(
      'ANY_ITEM',
      '/all/2',
      `an ALLOW by any item: ${JSON.stringify(part)}`,
      policy('p', 'ALLOW', all(call, named, part), reads),
    ),
  ),
  told('ANY_ITEM', '/all/2', 'a DEGRADE by any item', degradeIf('p', all(call, named, some), reads)),
  told(
    'ANY_ITEM',
    '/all/1',
    'a DENY unless any item is right',
    policy('a', 'ALLOW', all(trusted), reads),
    policy('p', 'DENY', all(call, not(some)), reads),
  ),
  silent('a DENY by any item', policy('a', 'ALLOW', all(trusted), reads), policy('p', 'DENY', all(call, some), reads)),
  silent('an ALLOW unless any item is wrong', policy('p', 'ALLOW', all(call, named, not(some)), reads)),
  told(
    'ANY_ITEM',
    '/all/2',
    "an ALLOW by any item, compared with the caller's word",
    policy('p', 'ALLOW', all(call, named, is('tool.arguments.to[]', 'equal', { fact: 'key', path: 'id' })), reads),
  ),
  silent(
    'an ALLOW by whether there is an item',
    policy('p', 'ALLOW', all(call, trusted, is('tool.arguments.to[]', 'isPresent', true)), reads),
  ),
  silent('an ALLOW by any item and by every item', policy('p', 'ALLOW', all(call, trusted, some, inside), reads)),
  silent(
    'an ALLOW by any item where a DENY refuses the others',
    policy('a', 'ALLOW', all(call, trusted, some), reads),
    policy('p', 'DENY', all(call, not(inside)), reads),
  ),
];
