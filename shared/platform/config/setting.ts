// What a setting is.
import type { Places } from './forms.ts';

/** One environment variable. */
export interface Setting {
  readonly name: string;
  /** The unit of a number, or the form of the text. */
  readonly unit: string;
  /** Read when the variable is unset or empty. Absent: the setting may be undefined. */
  readonly fallback?: string;
  /** The absolute path that `fallback` stands for. */
  readonly locate?: (places: Places) => string;
  readonly description: string;
  /** Never printed, and may be given as a file (`NAME_FILE`). */
  readonly secret?: true;
  /** Completes the sentence "NAME ..." for a process that needs the setting and does not have it. */
  readonly missing?: string;
  /** @throws {Error} whose message completes the sentence "NAME ..." */
  readonly read: (text: string, places: Places) => unknown;
}
