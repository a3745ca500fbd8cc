// Translates schema violations of a lexicon file into messages for its author.
import { createHash } from 'node:crypto';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { compileSchema } from '../../../kernel/compile-schema.ts';
import { pointerToken } from '../../../kernel/json.ts';
import { didYouMean } from '../../../kernel/near.ts';
import { PATTERNS } from './parts.ts';
import { type LexiconFile, LexiconSchema } from './schema.ts';

/** One mistake in a lexicon: the RFC 6901 pointer of the member, and a message. */
export interface LexiconProblem {
  readonly pointer: string;
  readonly message: string;
  /** The pointer of the first mention of what is listed twice. */
  readonly first?: string | undefined;
}

type Checked =
  | { readonly ok: true; readonly file: LexiconFile }
  | { readonly ok: false; readonly problems: LexiconProblem[] };

const validator = compileSchema<LexiconFile>(LexiconSchema);

const keysOf = (value: unknown): string[] => (typeof value === 'object' && value !== null ? Object.keys(value) : []);

function stranger(name: string, parentSchema: ErrorObject['parentSchema']): string {
  const [pattern] = keysOf(parentSchema?.['patternProperties']);
  if (pattern !== undefined) return `${JSON.stringify(name)} must be ${PATTERNS.get(pattern) ?? `like ${pattern}`}`;
  return `unknown member "${name}"${didYouMean(name, keysOf(parentSchema?.['properties']))}`;
}

function problemOf({ keyword, instancePath, params, parentSchema, data, message }: ErrorObject): LexiconProblem {
  const at = (text: string): LexiconProblem => ({ pointer: instancePath, message: text });
  switch (keyword) {
    case 'additionalProperties': {
      const name = String(params['additionalProperty']);
      return { pointer: instancePath + pointerToken(name), message: stranger(name, parentSchema) };
    }
    case 'required':
      return at(`the member "${params['missingProperty']}" is missing`);
    case 'enum': {
      const values: unknown = params['allowedValues'];
      const allowed = Array.isArray(values) ? values.map(String) : [];
      const meant = typeof data === 'string' ? didYouMean(data, allowed) : '';
      return at(`must be one of ${allowed.join(', ')}${meant}`);
    }
    case 'pattern': {
      const said = PATTERNS.get(String(params['pattern']));
      return at(said === undefined ? (message ?? 'has another form') : `${JSON.stringify(data)} must be ${said}`);
    }
    case 'uniqueItems': {
      // Ajv names the two equal items in either order.
      const { i, j } = params as { readonly i: number; readonly j: number };
      const [first, second] = [Math.min(i, j), Math.max(i, j)];
      const item: unknown = Array.isArray(data) ? data[second] : undefined;
      return {
        pointer: `${instancePath}/${second}`,
        message: `${JSON.stringify(item)} is listed twice`,
        first: `${instancePath}/${first}`,
      };
    }
    default:
      return at(message ?? 'is not a lexicon');
  }
}

/** Set by the build: the digests of lexicons that it has checked with the schema of this version, separated by commas. */
declare const CHECKED_LEXICONS: string | undefined;

/** SHA-256 of the JSON text, lower-case hex. It depends on the order of members. */
export const digestOfLexicon = (json: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(json) ?? '')
    .digest('hex');

function isChecked(digest: string): boolean {
  return typeof CHECKED_LEXICONS !== 'undefined' && CHECKED_LEXICONS.split(',').includes(digest);
}

/**
 * Validates the parsed JSON of a lexicon against the published schema and reports all problems.
 * @param digest of the lexicon, see `digestOfLexicon`
 */
export function checkLexicon(json: unknown, digest: string): Checked {
  // The build has validated a text with this digest.
  if (isChecked(digest)) return { ok: true, file: json as LexiconFile };
  const validate = validator();
  if (validate(json)) return { ok: true, file: json };
  return { ok: false, problems: (validate.errors ?? []).map(problemOf) };
}
