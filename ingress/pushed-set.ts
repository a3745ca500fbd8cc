// Reads and checks the body of a pushed policy set in a thread: parsing and checking megabytes takes seconds.
import { fileURLToPath } from 'node:url';
import type { Static } from 'typebox';
import type { PushPoliciesRequest } from '../shared/api/policy-change.ts';
import { type Admitted, admitWithVerbs } from '../shared/domain/policy-sets/admission.ts';
import { compilersOf, type HandedLexicon } from '../shared/domain/policy-sets/handed-lexicon.ts';
import { runThread } from '../shared/domain/policy-sets/thread.ts';
import { ApiError, type FieldError, invalidField } from '../shared/kernel/errors.ts';
import type { TextFile } from '../shared/core/policy/files.ts';
import { withLexicon } from '../shared/core/policy/lexicon-files.ts';
import { admitOwnPolicies, type OwnAdmission } from '../shared/core/policy/own/admit.ts';
import type { OwnPolicies } from '../shared/core/policy/own/compose.ts';
import { loadCanonicalSet } from '../shared/core/policy/stored-set.ts';
import type { Finding } from '../shared/core/policy/types.ts';
import { MAX_FIELD_ERRORS } from './request/field-errors.ts';

/** The data of the thread. */
export interface PushTask {
  readonly body: Uint8Array;
  /** The slugs of all organisations. */
  readonly organisations: readonly string[];
  /** The canonical text of the set in force, whose lexicon a set without one gets; undefined before the first set. */
  readonly inForce: Uint8Array | undefined;
  /** The lexicon in force, which the pushed set mostly has. */
  readonly lexicon: HandedLexicon | undefined;
}

/** The data of the thread for policies of one organisation. */
export interface OwnPushTask {
  readonly body: Uint8Array;
  /** Of the organisation. */
  readonly slug: string;
  /** The canonical text of the set below its policies. */
  readonly base: Uint8Array;
  /** The lexicon of that set, with the verbs of the organisation. */
  readonly lexicon: HandedLexicon | undefined;
}

/** The own policies that an organisation pushed. */
export interface PushedOwn {
  readonly own: OwnPolicies;
  readonly reason: string;
  readonly expectedDigest?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly warnings: readonly Finding[];
}

export type PushedSet = Omit<Static<typeof PushPoliciesRequest>, 'files'> & {
  readonly set: NonNullable<Admitted['set']>;
  /** Whether it has the lexicon of the set in force. */
  readonly hasLexiconInForce: boolean;
  readonly warnings: readonly Finding[];
};

/** The result of the thread. */
export type PushOutcome<Pushed = PushedSet> =
  | { readonly ok: true; readonly pushed: Pushed }
  | {
      readonly ok: false;
      readonly error: Pick<ApiError, 'code' | 'message' | 'status'> & { readonly errors: readonly FieldError[] };
    };

/** As the folder reader ignores them, or could not have read them. */
const IGNORED = /^(?:schema|tests|node_modules)\//;
const SEGMENT = /^[^/\\\u0000-\u001f\u007f]+$/;

/** Why a file can't have this path in a policy folder; undefined: it can. */
function pathProblem(file: string): string | undefined {
  const segments = file.split('/');
  if (segments.some((segment) => segment === '.' || segment === '..' || !SEGMENT.test(segment)))
    return 'is not a path relative to the policy folder: names separated by "/", without "..", "\\" and empty names';
  if (segments.some((segment) => segment.startsWith('.'))) return 'is not read: a name begins with a dot';
  if (IGNORED.test(file)) return 'is not read: the folder does not belong to the set';
  return file.endsWith('.json') ? undefined : 'is not read: the name of a policy file ends in ".json"';
}

/** The findings about the paths of pushed files. */
export function pathFindings(files: readonly TextFile[]): Finding[] {
  const seen = new Set<string>();
  return files.flatMap(({ path: file }) => {
    const message = seen.has(file) ? 'is there twice' : pathProblem(file);
    seen.add(file);
    return message === undefined ? [] : [{ file, line: 1, column: 1, pointer: '', code: 'BAD_PATH' as const, message }];
  });
}

/** Findings as the errors of a request that has these files. */
export function findingErrors(files: readonly TextFile[] | undefined, findings: readonly Finding[]): FieldError[] {
  return findings.slice(0, MAX_FIELD_ERRORS).map(({ file, line, column, message }) => {
    const at = files?.findIndex(({ path }) => path === file) ?? -1;
    return {
      pointer: at === -1 ? (files === undefined ? '/digest' : '/files') : `/files/${at}/text`,
      message: `${file}:${line}:${column} ${message}`,
    };
  });
}

/** The text of a set's lexicon; empty without a set. */
function lexiconOf(canonical: Uint8Array | undefined): string {
  if (canonical === undefined) return '';
  // The canonical text of a set, which is an object (shared/core/policy/load.ts).
  const { lexicon } = JSON.parse(Buffer.from(canonical).toString('utf8')) as { readonly lexicon: unknown };
  return JSON.stringify(lexicon);
}

/** Checks the files of a request, in the thread. */
export function checkPushed(request: Static<typeof PushPoliciesRequest>, task: PushTask): PushOutcome {
  const { files, ...rest } = request;
  const refused = pathFindings(files);
  const { isInForce, ...texts } = withLexicon(files, () => lexiconOf(task.inForce));
  const { ofFiles, ofStoredSets } = compilersOf(task.lexicon);
  // Misplaced files are not parsed: their findings would hide the reason.
  const admitted: Admitted =
    refused.length > 0
      ? { set: undefined, errors: refused, warnings: [] }
      : admitWithVerbs({ ...texts, organisations: task.organisations }, isInForce ? ofStoredSets : ofFiles);
  if (admitted.set !== undefined)
    return {
      ok: true,
      pushed: { ...rest, set: admitted.set, hasLexiconInForce: isInForce, warnings: admitted.warnings },
    };
  const errors = findingErrors(files, admitted.errors);
  const more = admitted.errors.length > 1 ? ` (and ${admitted.errors.length - 1} more)` : '';
  const message = `The set has errors and was not put into force: ${errors[0]?.message ?? 'it has no policies'}${more}.`;
  return { ok: false, error: { code: 'E2001', status: 422, message, errors } };
}

/** The linter's budget of comparisons: about a tenth of a second. */
const OWN_LINT_BUDGET = 2_000_000;

/** Checks the own policies of a request, in the thread. @throws {ApiError} E2001 */
export function checkOwnPushed(
  { files, reason, expectedDigest, signature, stage, dryRun }: Static<typeof PushPoliciesRequest>,
  { slug, base, lexicon }: OwnPushTask,
): PushOutcome<PushedOwn> {
  if (stage !== undefined) throw invalidField('/stage', "is for the installation's sets");
  if (signature !== undefined) throw invalidField('/signature', "is for the installation's sets");
  const refused = pathFindings(files);
  const admitted =
    refused.length > 0 ? { own: undefined, errors: refused, warnings: [] } : admitOwn(files, { slug, base, lexicon });
  const { own, errors, warnings } = admitted;
  if (own !== undefined) return { ok: true, pushed: { own, reason, expectedDigest, dryRun, warnings } };
  const shown = findingErrors(files, errors);
  const message = `The policies were not put into force: ${shown[0]?.message ?? 'there are none'}.`;
  return { ok: false, error: { code: 'E2001', status: 422, message, errors: shown } };
}

function admitOwn(
  files: readonly TextFile[],
  { slug, base, lexicon }: Pick<OwnPushTask, 'slug' | 'base' | 'lexicon'>,
): OwnAdmission {
  const { ofStoredSets } = compilersOf(lexicon, slug);
  const loaded = loadCanonicalSet(Buffer.from(base).toString('utf8'), { compileLexicon: ofStoredSets });
  if (!loaded.ok) throw new Error(`the set in force can not be loaded: ${loaded.findings[0]?.message}`);
  return admitOwnPolicies(files, {
    installation: loaded.set,
    slug,
    verbs: loaded.set.lexicon,
    lintBudget: OWN_LINT_BUDGET,
  });
}

const besides = fileURLToPath(import.meta.url);

/** Requests that wait for the thread; further ones are refused. Each holds a body of up to 8 MB. */
const MAX_WAITING = 3;

export interface PushReader {
  /** @throws {ApiError} E2001 (400 or 422), E2006, E3001 when too many sets are being checked */
  read(task: PushTask): Promise<PushedSet>;
  /** One push of an organisation at a time. @throws {ApiError} as `read` */
  readOwn(task: OwnPushTask, organisationId: string): Promise<PushedOwn>;
}

const isBusy = (message: string): ApiError => new ApiError('E3001', message, { headers: { 'retry-after': '5' } });

/** One set is checked at a time, because a large one takes a core and hundreds of megabytes. */
export function createPushReader(): PushReader {
  let last: Promise<unknown> = Promise.resolve();
  let open = 0;
  const organisations = new Set<string>();
  const run = <Pushed>(task: PushTask | OwnPushTask): Promise<PushOutcome<Pushed>> =>
    runThread<PushOutcome<Pushed>>({
      besides,
      module: 'pushed-set-thread',
      data: task,
      onOutOfMemory: () => {
        const message = 'The set is too large: it can not be checked within the memory of one thread.';
        return { ok: false, error: { code: 'E2001', status: 422, message, errors: [] } };
      },
    });
  const inTurn = async <Pushed>(task: PushTask | OwnPushTask): Promise<Pushed> => {
    const mine = last.then(() => run<Pushed>(task));
    last = mine.catch(() => undefined);
    const outcome = await mine;
    if (outcome.ok) return outcome.pushed;
    const { code, message, status, errors } = outcome.error;
    throw new ApiError(code, message, { status, errors });
  };
  return {
    async read(task) {
      if (open > MAX_WAITING) throw isBusy('Other policy sets are being checked; repeat the request.');
      open += 1;
      try {
        return await inTurn<PushedSet>(task);
      } finally {
        open -= 1;
      }
    },
    async readOwn(task, organisationId) {
      if (organisations.has(organisationId))
        throw isBusy('Other policies of the organisation are being checked; repeat the request.');
      // Counted apart, so that organisations never keep out the operator.
      if (organisations.size > MAX_WAITING) throw isBusy('Other policy sets are being checked; repeat the request.');
      organisations.add(organisationId);
      try {
        return await inTurn<PushedOwn>(task);
      } finally {
        organisations.delete(organisationId);
      }
    },
  };
}
