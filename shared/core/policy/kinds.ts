// The kinds of files of a policy set: how each is checked, and which files or stored parts of a set count as one.
import type { Sliced } from '../../kernel/slices.ts';
import { memberOf } from '../../kernel/json.ts';
import { canonicalize } from '../proof/canonical.ts';
import type { ToolCatalogueFile } from '../tools/schema.ts';
import { checkAttributes } from './check-attributes.ts';
import { checkAuthzen } from './check-authzen.ts';
import type { ResourceFile } from '../resources/schema.ts';
import { checkResource } from './check-resources.ts';
import { checkCatalogue } from './check-tools.ts';
import type { TermsFile } from './terms-schema.ts';
import { checkPolicy } from './check.ts';
import { checkTerms } from './check-terms.ts';
import type { Declarations } from './declarations.ts';
import {
  ATTRIBUTES_FILE,
  AUTHZEN_FILE,
  TERMS_FILE,
  findingsOf,
  type Located,
  located,
  parseFile,
  type TextFile,
} from './files.ts';
import type { Checked } from './schema-problems.ts';
import type { Policy } from './schema.ts';
import type { Finding, FindingCode } from './types.ts';

/** Removes `$schema`, which only tells editors where to find the schema. */
export function withoutSchema<T>(json: T): T {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  // No type of a file requires the member.
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== '$schema')) as T;
}

/** A kind of file of which a set has many, each with a name of its own. */
export interface Kind<T> {
  readonly check: (document: unknown) => Checked<T>;
  readonly keyOf: (item: T) => string;
  /** The member that has the key, empty for the kinds of which a set has one file, and the code when two files share it. */
  readonly member: 'id' | 'server' | 'name' | '';
  readonly duplicate: FindingCode;
}

export const idOf = ({ id }: Policy): string => id;
export const policiesUnder = (declarations: Declarations): Kind<Policy> => ({
  check: (document) => checkPolicy(document, declarations),
  keyOf: idOf,
  member: 'id',
  duplicate: 'DUPLICATE_ID',
});
export const CATALOGUES: Kind<ToolCatalogueFile> = {
  check: checkCatalogue,
  keyOf: ({ server }) => server,
  member: 'server',
  duplicate: 'DUPLICATE_SERVER',
};

export const nameOf = ({ name }: ResourceFile): string => name;
export const resourcesUnder = (declarations: Declarations): Kind<ResourceFile> => ({
  check: (document) => checkResource(document, declarations),
  keyOf: nameOf,
  member: 'name',
  duplicate: 'DUPLICATE_RESOURCE',
});

/** A folder has one file of a name; a set has one of these kinds, too. */
const single = <T>(file: string, check: Kind<T>['check']): Kind<T> => ({
  check,
  keyOf: () => file,
  member: '',
  duplicate: 'SCHEMA',
});
export const AUTHZEN = single(AUTHZEN_FILE, checkAuthzen);
export const ATTRIBUTES = single(ATTRIBUTES_FILE, checkAttributes);
/** @param locate the position of a pointer in the file, for messages */
export const termsUnder = (declarations: Declarations, locate?: Located['locate']): Kind<TermsFile> =>
  single(TERMS_FILE, (document) => checkTerms(document, declarations, locate));

/** Whether a file was changed after another one; false where the times are unknown. */
function isNewer({ modifiedMs: a }: TextFile, { modifiedMs: b }: TextFile): boolean {
  return a !== undefined && b !== undefined && a > b;
}

/** Checks all files of a kind. Files with the same key and equal content count once. */
export function collect<T>(
  files: readonly TextFile[],
  { check, keyOf, member, duplicate }: Kind<T>,
): {
  readonly items: readonly T[];
  readonly findings: readonly Finding[];
  /** The first file with this item. */
  readonly fileOf: (item: T) => TextFile | undefined;
} {
  const findings: Finding[] = [];
  const seen = new Map<string, { readonly item: T; readonly file: TextFile }>();
  for (const file of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const parsed = parseFile(file);
    if (!('value' in parsed)) {
      findings.push(parsed);
      continue;
    }
    const checked = check(parsed.value);
    if (!checked.ok) {
      findings.push(...findingsOf(located(file), checked.problems));
      continue;
    }
    const item = withoutSchema(checked.item);
    const other = seen.get(keyOf(item));
    if (other === undefined) seen.set(keyOf(item), { item, file });
    else if (canonicalize(other.item) !== canonicalize(item)) {
      const [newer, older] = isNewer(other.file, file) ? [other.file, file] : [file, other.file];
      const message = `the ${member} ${JSON.stringify(keyOf(item))} of ${newer.path} is also that of ${older.path}, with other content`;
      findings.push(...findingsOf(located(newer), [{ code: duplicate, pointer: `/${member}`, message }]));
    }
  }
  const fileOf = (item: T): TextFile | undefined => seen.get(keyOf(item))?.file;
  return { items: [...seen.values()].map(({ item }) => item), findings, fileOf };
}

/** Thrown for the first problem of a stored set. */
export class StoredProblem extends Error {
  readonly code: FindingCode;
  readonly pointer: string;
  constructor(code: FindingCode, pointer: string, message: string) {
    super(message);
    this.code = code;
    this.pointer = pointer;
  }
}

/** Whether messages of a stored set have placeholders. @throws {StoredProblem} */
export function storedPlaceholders(document: unknown, at: string): boolean {
  const member = memberOf(document, 'placeholders');
  if (member === undefined || member === true) return member === true;
  throw new StoredProblem('SCHEMA', `${at}/placeholders`, 'must be true or absent');
}

/** The members of a list of a stored set. @throws {StoredProblem} */
export function* storedItems<T>(list: unknown, at: string, { check, keyOf, member, duplicate }: Kind<T>): Sliced<T[]> {
  if (!Array.isArray(list)) throw new StoredProblem('SCHEMA', at, 'must be a list');
  const keys = new Set<string>();
  const items: T[] = [];
  for (const [i, document] of (list as unknown[]).entries()) {
    const checked = check(document);
    if (!checked.ok) {
      const { code, pointer, message } = checked.problems[0] ?? { code: 'SCHEMA', pointer: '', message: 'is wrong' };
      throw new StoredProblem(code, `${at}/${i}${pointer}`, message);
    }
    const item = withoutSchema(checked.item);
    const key = keyOf(item);
    if (keys.has(key)) throw new StoredProblem(duplicate, `${at}/${i}/${member}`, 'comes twice');
    keys.add(key);
    items.push(item);
    yield;
  }
  return items;
}
