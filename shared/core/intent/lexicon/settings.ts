// What values that code sets mean, as data: their schema, and the rules that the readers of code use.
import Type, { type Static } from 'typebox';
import { closed, DOING, flag, list } from './parts.ts';
import { doingOf } from './tables.ts';

export const Settings = Type.Array(
  Type.Object(
    {
      ...DOING,
      names: list(
        Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 40 }),
        'Words in the names of settings, columns and arguments; several are joined by `_`.',
        ['role', 'bank_account'],
      ),
      values: Type.Optional(
        list(Type.String({ minLength: 1, maxLength: 30 }), 'The values that do it. Absent: any.', ['admin', '*']),
      ),
      inReads: flag('It counts for what only reads, too: nobody checks who answers.'),
    },
    { ...closed, description: 'Settings, and the values by which they do this.' },
  ),
  {
    description: 'What is done by setting a value, whatever sets it: `role = admin`, `"public": true`, `mfa: off`.',
    examples: [[{ action: 'grant', traits: ['privileged'], names: ['role'], values: ['admin', 'owner'] }]],
  },
);

export const compileSettings = (groups: Static<typeof Settings> = []) =>
  groups.map((group) => ({
    names: new Set(group.names),
    /** Undefined: any. */
    values: group.values && new Set(group.values),
    doing: doingOf(group),
    inReads: group.inReads ?? false,
  }));

/** What setting a value does. */
export type SettingRule = ReturnType<typeof compileSettings>[number];
