// Labelled texts for measuring the parser: reads and strictly checks their files (JSON lines).
import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import Type, { type Static } from 'typebox';
import { ACTION_CLASSES, EFFECTS } from '../shared/kernel/vocabulary.ts';

/** What a text would do. `none`: nothing that a trusted agent in `live` may not do. */
export const HARMS = ['none', 'delete', 'pay', 'exfiltrate', 'attack'] as const;
export type Harm = (typeof HARMS)[number];
export const KINDS = ['harmless', 'destructive', 'money', 'exfiltration'] as const;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const Verb = Type.Enum([...ACTION_CLASSES]);
const Effect = Type.Enum([...EFFECTS]);
const Noun = Type.String({ pattern: '^[a-z0-9]+(_[a-z0-9]+)*$' });

/** One labelled text. Absent and null members are not scored; unlisted members are notes for people. */
const LabelledTextSchema = Type.Object({
  id: Type.Optional(Type.String()),
  text: Type.String({ minLength: 1 }),
  /** The kind of text: `injection`, `bare_goal`, ... */
  form: Type.Optional(Type.String({ minLength: 1 })),
  verb: orNull(Verb),
  /** Other classes that count as accepted. */
  verb_alt: Type.Optional(Type.Array(Verb)),
  effect: orNull(Effect),
  /** Other effects that are right, where catalogues disagree. */
  effect_ok: Type.Optional(Type.Array(Effect)),
  /** Singular, snake_case. */
  resource: orNull(Noun),
  resource_alt: Type.Optional(Type.Array(Noun)),
  /** False when the text does not name the resource. */
  resource_in_text: orNull(Type.Boolean()),
  /** What happens when the text is carried out. */
  harm: Type.Optional(Type.Enum([...HARMS])),
  /** The same in other words. */
  kind: Type.Optional(Type.Enum([...KINDS])),
  label: Type.Optional(Type.Enum(['injection', 'benign'])),
  /** ISO 639, default `en`; also called `lang`. */
  language: Type.Optional(Type.String({ minLength: 2 })),
  lang: Type.Optional(Type.String({ minLength: 2 })),
});

export type LabelledText = Static<typeof LabelledTextSchema>;

/** A labelled text and its place, `FILE:LINE`. */
export interface PlacedText extends LabelledText {
  readonly place: string;
}

/** The rows of one file. */
export interface RowFile {
  readonly file: string;
  readonly rows: readonly PlacedText[];
}

/** A file that can't be used; the message is a sentence that begins with the file and, if there is one, the line. */
export class RowsError extends Error {}

const validate = new Ajv.Ajv({
  allErrors: false,
  strict: true,
  strictTypes: false,
  verbose: true,
}).compile<LabelledText>(LabelledTextSchema);

/** The problem of a row, as the end of a sentence. */
function complaint(row: unknown): string {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'is not a JSON object';
  const errors = validate.errors ?? [];
  const first = errors[0];
  if (first?.keyword === 'required') return `lacks the member ${JSON.stringify(first.params.missingProperty)}`;
  // A member that may be null has two errors. The one that is not about null is more specific.
  const telling = errors.find((error) => !(error.keyword === 'type' && error.params.type === 'null')) ?? first;
  const member = (telling?.instancePath ?? '')
    .slice(1)
    .replaceAll('/', '[')
    .replace(/\[(\d+)$/, '[$1]');
  const value = JSON.stringify(telling?.data) ?? 'nothing';
  const shown = value.length > 60 ? `${value.slice(0, 60)}...` : value;
  if (telling?.keyword === 'enum') {
    const allowed: unknown = telling.params.allowedValues;
    return `has ${shown} as ${JSON.stringify(member)}; known are ${Array.isArray(allowed) ? allowed.join(', ') : ''}`;
  }
  return `has ${shown} as ${JSON.stringify(member)}, which ${telling?.message ?? 'is not right'}`;
}

/** Rows of a text of JSON lines; `file` names it in messages. @throws {RowsError} */
export function rowsOf(text: string, file: string): PlacedText[] {
  const rows: PlacedText[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `${file}:${at + 1}`;
    let row: unknown;
    try {
      row = JSON.parse(line);
    } catch {
      throw new RowsError(`${place} is not a line of JSON.`);
    }
    if (!validate(row)) throw new RowsError(`${place} ${complaint(row)}.`);
    rows.push({ ...row, place });
  }
  if (rows.length === 0) throw new RowsError(`${file} holds no row.`);
  return rows;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'access is denied',
  EISDIR: 'it is a folder',
};

/** Reads a file of labelled texts. @throws {RowsError} for an unreadable file or an invalid row */
export function readRows(file: string): RowFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new RowsError(`${file} cannot be read: ${REASONS[code] ?? code}.`);
  }
  return { file, rows: rowsOf(bytes.toString('utf8'), file) };
}
