// Keys as the log has them: which key made which, what rotations made of them, and so whether two are in the same hands.
import { quoted } from '../proof/encoding.ts';
import { readRecord } from '../proof/record-read.ts';
import { memberOf } from './facts.ts';
import { type DecisionFailure, GRACE_MS, type LoggedRecord, type Report } from './failures.ts';
import { isAsLogged } from './record.ts';

interface Rotation {
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
}

export interface KeyHistory {
  /** The maker of each key; null: the shell. */
  readonly makers: ReadonlyMap<string, string | null>;
  readonly rotations: readonly Rotation[];
  readonly problems: readonly DecisionFailure[];
}

interface KeyChange {
  readonly keyId: string;
  readonly isCreated: boolean;
  readonly by: string | null;
  readonly replacedBy: string | null;
}

/** The body of a `custos.key` record, as far as it is about hands. */
function changeOf(body: unknown): KeyChange | undefined {
  const [change, keyId, by, replacedBy] = ['change', 'keyId', 'by', 'replacedBy'].map((name) => memberOf(body, name));
  const isText = (value: unknown): value is string | null => value === null || typeof value === 'string';
  if (typeof keyId !== 'string' || typeof change !== 'string' || !isText(by) || !isText(replacedBy)) return undefined;
  return { keyId, isCreated: change === 'created', by, replacedBy };
}

/** @param records the `custos.key` records of one organisation and environment, in the order of the log */
export function readKeys(records: readonly LoggedRecord[], organisation: string, environment: string): KeyHistory {
  const makers = new Map<string, string | null>();
  const rotations: Rotation[] = [];
  const problems: DecisionFailure[] = [];
  for (const logged of records) {
    const read = readRecord(logged.bytes);
    const record = 'record' in read ? read.record : undefined;
    const change = changeOf(record?.payload.body);
    if (
      record?.eventType !== 'custos.key' ||
      change === undefined ||
      record.payload.organisation !== organisation ||
      record.payload.environment !== environment
    ) {
      problems.push({ code: 'KEY_RECORD_ALTERED', sentence: 'A key record is not one of this environment.' });
      continue;
    }
    if (!isAsLogged(logged))
      problems.push({
        code: 'KEY_RECORD_ALTERED',
        sentence: `The key record ${quoted(record.payload.proofId)} is not the one that the log has hashed.`,
      });
    const { keyId, isCreated, by, replacedBy } = change;
    if (isCreated && !makers.has(keyId)) makers.set(keyId, by);
    if (replacedBy !== null) rotations.push({ from: keyId, to: replacedBy, atMs: Date.parse(record.occurredAt) });
  }
  return { makers, rotations, problems };
}

/** Everything that is reached from some keys. */
function reached(from: readonly string[], next: (keyId: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  // A set gives what is added while it is read, too.
  for (const keyId of found) for (const one of next(keyId)) found.add(one);
  return found;
}

/**
 * Whether two keys were in the same hands when an approval was decided, by the rule of the service: they are the same, made of
 * each other by rotations, or one was made by the other, directly or through keys in between.
 *
 * A key is there before all that it does, so its maker and what it was before a rotation need no time. What a rotation
 * makes of a key may come later: it counts when it came before, by more than records may differ, or is known to have been there.
 */
export function wereSameHands({ makers, rotations }: KeyHistory, one: string, other: string, atMs: number): boolean {
  const before = (keyId: string): string[] => [
    ...[makers.get(keyId)].filter((maker) => typeof maker === 'string'),
    ...rotations.filter(({ to }) => to === keyId).map(({ from }) => from),
  ];
  const after = (keyId: string): Rotation[] => rotations.filter(({ from }) => from === keyId);
  const wasThere = reached([one, other], (keyId) => [
    ...before(keyId),
    ...after(keyId)
      .filter((rotation) => rotation.atMs <= atMs - GRACE_MS)
      .map(({ to }) => to),
  ]);
  const above = (keyId: string): Set<string> =>
    reached([keyId], (at) => [
      ...before(at),
      ...after(at)
        .map(({ to }) => to)
        .filter((to) => wasThere.has(to)),
    ]);
  return above(one).has(other) || above(other).has(one);
}

/** Somebody at the shell of the service has no key, and is in nobody's hands. */
const SHELL = 'cli:';

interface Decided {
  readonly approvalId: string;
  readonly askedBy: string;
  /** Who approved or rejected it. */
  readonly by: string;
  readonly atMs: number;
}

/**
 * Whether an approval was decided by other hands than those that asked.
 * @param keys undefined: no key records were given
 */
export function checkHands(keys: KeyHistory | undefined, decided: Decided, report: Report): void {
  const { approvalId, askedBy, by, atMs } = decided;
  report.failures.push(...(keys?.problems ?? []));
  if (by.startsWith(SHELL)) return;
  const isSame = by === askedBy || (keys !== undefined && wereSameHands(keys, askedBy, by, atMs));
  if (isSame) {
    const who =
      by === askedBy ? 'that asked' : `that by the log is in the same hands as ${quoted(askedBy)}, which asked`;
    report.failures.push({
      code: 'APPROVAL_SAME_HANDS',
      sentence: `The approval ${quoted(approvalId)} was decided by the key ${quoted(by)} ${who}.`,
    });
  } else if (keys === undefined) report.notEvaluable.push('KEY_RECORDS_NOT_GIVEN');
  // Made before there was this log, or a record of it is missing: nobody can say.
  else if (!keys.makers.has(askedBy) || !keys.makers.has(by)) report.notEvaluable.push('KEYS_NOT_RECORDED');
}
