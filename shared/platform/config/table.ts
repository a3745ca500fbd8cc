// The table of settings: each with its variable, unit, default, meaning and reader. Everything else about settings derives from it.
import type { Setting } from './setting.ts';
import { OPERATION_SETTINGS } from './settings/operation.ts';
import { POLICY_SETTINGS } from './settings/policies.ts';
import { PROCESS_SETTINGS } from './settings/processes.ts';
import { REQUEST_SETTINGS } from './settings/requests.ts';
import { STORE_SETTINGS } from './settings/stores.ts';

export const SETTINGS = {
  ...PROCESS_SETTINGS,
  ...POLICY_SETTINGS,
  ...STORE_SETTINGS,
  ...REQUEST_SETTINGS,
  ...OPERATION_SETTINGS,
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;

/** The settings of one process, checked. Paths are absolute, durations are milliseconds. */
export type Config = {
  readonly [K in keyof Settings]:
    | ReturnType<Settings[K]['read']>
    | (Settings[K] extends { fallback: string } ? never : undefined);
};

/** The table's rows, in order, for documentation and for `custos config`. */
export const SETTING_TABLE: readonly Setting[] = Object.values(SETTINGS);

/** The variable that names a file with the value of a secret setting, because container platforms mount secrets as files. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** Every variable that is read, with the variables that name files of secrets. */
export const VARIABLES: readonly string[] = SETTING_TABLE.flatMap(({ name, secret }) =>
  secret ? [name, fileVariableOf(name)] : [name],
);
