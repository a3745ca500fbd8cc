// Limits and patterns for keys, shared by the HTTP routes and the command line.
import { TIER_TABLE } from '../../kernel/vocabulary.ts';

export const NAME_MAX = 100;
/** As a JSON Schema pattern: no C0, DEL or C1 control characters. */
export const NAME_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]+$';
/** NAME_PATTERN with the length, in code points. */
export const KEY_NAME = new RegExp(`^(?!.{${NAME_MAX + 1}})[^\\u0000-\\u001f\\u007f-\\u009f]+$`, 'u');
export const AGENT_IDS_MAX = 100;
export const OBLIGATIONS_MAX = 50;
export const TIER_MAX = TIER_TABLE.length - 1;
/** The default tier of a key; never more than its organisation's. */
export const DEFAULT_TIER = 4;
