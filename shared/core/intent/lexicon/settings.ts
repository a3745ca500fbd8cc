// What values that code sets mean, as data: their schema, and the rules that the readers of code use.
import Type, { type Static } from 'typebox';
import { DOING, flag, list, object, rows } from './parts.ts';
import { doingOf } from './tables.ts';

const SettingName = Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$', maxLength: 40 });

export const Settings = rows(
  object('setting', {
    ...DOING,
    names: list(SettingName),
    values: Type.Optional(list(Type.String({ minLength: 1, maxLength: 30 }))),
    except: Type.Optional(list(SettingName)),
    inReads: flag,
  }),
);

export const compileSettings = (groups: Static<typeof Settings> = []) =>
  groups.map((group) => ({
    names: new Set(group.names),
    /** Undefined: any. */
    values: group.values && new Set(group.values),
    doing: doingOf(group),
    except: group.except ?? [],
    inReads: group.inReads ?? false,
  }));

/** What setting a value does. */
export type SettingRule = ReturnType<typeof compileSettings>[number];
