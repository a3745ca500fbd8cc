// What the names of AuthZEN actions mean: none is milder than one of its words.
import { expect } from 'chai';
import { actionWordOf } from '../../shared/core/authzen/action-name.ts';
import { actionOf } from '../../shared/core/intent/strings/action-word.ts';
import { shippedLexicon } from './intent/lexicon.ts';

const lexicon = shippedLexicon();
const effectOf = (name: string, table = {}) => actionOf(actionWordOf(name, table, lexicon), lexicon);
const READING = ['read', 'can_view', 'list', 'getAll', 'fetch'];

describe('the name of an AuthZEN action', () => {
  for (const name of [
    ...['get_rid_of_user', 'can_get_rid_of', 'getRidOfUser', 'get-rid-of.user', 'do_away_with_user', 'take_down_site'],
    ...['read_dеlete', 'read_wіpe', 'view_ｄelete', 'list%2Fdelete', 'read%20and%20delete', 'read_%64elete'],
    ...[
      'fetch_all_secrets',
      'can_read_password',
      'viewPrivateKey',
      'list_api_keys',
      'get_credentials',
      'read_pass_word',
    ],
    ...['read_rm', 'list_and_rm', 'read_del', 'read_erasing', 'view_wiping', 'get_then_purge', 'turn_off_mfa'],
  ])
    it(`${JSON.stringify(name)} is no read`, () => {
      expect(effectOf(name)?.action).to.not.equal('read');
    });

  it('hides no verb that destroys, pays or grants behind a word that reads', () => {
    const grave = [...lexicon.verbs].filter(
      ([word, { effect, traits, weak }]) =>
        !weak && /^[a-z]+$/.test(word) && (effect === 'destructive' || traits.includes('financial')),
    );
    expect(grave.length).to.be.greaterThan(100);
    const milder = grave.flatMap(([word]) =>
      READING.map((reading) => `${reading}_${word}`).filter((name) => effectOf(name)?.effect === 'read'),
    );
    expect(milder).to.deep.equal([]);
  });

  for (const [name, action] of [
    ['can_read_user', 'read'],
    ['list_users', 'read'],
    ['view_dashboard', 'read'],
    ['can_view_settings', 'read'],
    ['look_up_user', 'read'],
    ['search_documents', 'read'],
    ['view_deleted_items', 'read'],
    ['can_create_todo', 'create'],
    ['update_user', 'update'],
    ['canDeleteTodo', 'delete'],
  ] as const)
    it(`${JSON.stringify(name)} is ${action}`, () => {
      expect(effectOf(name)?.action).to.equal(action);
    });

  it('is read by the table before anything else', () => {
    expect(actionWordOf('read%2Fsecrets', { 'read%2Fsecrets': 'read' }, lexicon)).to.equal('read');
  });
});
