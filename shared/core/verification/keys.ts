// Keys in the log: who created which key and which keys rotations created, to find whether two belong to the same person.
import { Type } from 'typebox';
import { guardOf } from '../../kernel/compile-schema.ts';
import { Nullable } from '../../kernel/schema.ts';
import { quoted } from '../proof/encoding.ts';
import { type ChangeOwner, readChanges } from './changes.ts';
import { type DecisionFailure, type LoggedRecord, type Report, fail } from './failures.ts';
import { isLongBefore, type Moment } from './moment.ts';
import { Text } from './record.ts';

interface Rotation extends Moment {
  readonly from: string;
  readonly to: string;
}

interface KeyEnd {
  readonly revoked?: Moment;
  readonly expiresAtMs?: number;
}

export interface KeyHistory {
  /** The creator of each key; null: the shell. */
  readonly makers: ReadonlyMap<string, string | null>;
  readonly rotations: readonly Rotation[];
  /** The tags of each key; absent: none. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** When keys ended, or end. */
  readonly ends: ReadonlyMap<string, KeyEnd>;
  readonly problems: readonly DecisionFailure[];
}

/** The members of a `custos.key` record that show who has a key. */
const isKeyChange = guardOf(
  Type.Object({
    change: Text,
    keyId: Text,
    by: Nullable(Text),
    replacedBy: Nullable(Text),
    expiresAt: Type.Optional(Nullable(Text)),
    tags: Type.Optional(Type.Array(Text)),
  }),
);

/** @param records the `custos.key` records of one organisation and environment, in log order */
export function readKeys(records: readonly LoggedRecord[], owner: ChangeOwner): KeyHistory {
  const makers = new Map<string, string | null>();
  const rotations: Rotation[] = [];
  const tags = new Map<string, readonly string[]>();
  const ends = new Map<string, KeyEnd>();
  const kind = {
    name: 'key',
    whose: 'environment',
    failure: 'KEY_RECORD_ALTERED',
    changeOf: (body: unknown) => (isKeyChange(body) ? body : undefined),
  } as const;
  const problems = readChanges(records, owner, kind, (body, at) => {
    const { change, keyId, by, replacedBy, expiresAt } = body;
    if (change === 'created' && !makers.has(keyId)) {
      makers.set(keyId, by);
      tags.set(keyId, body.tags ?? []);
    }
    ends.set(keyId, {
      ...ends.get(keyId),
      ...(change === 'revoked' ? { revoked: at } : {}),
      ...(typeof expiresAt === 'string' ? { expiresAtMs: Date.parse(expiresAt) } : {}),
    });
    if (replacedBy !== null) rotations.push({ from: keyId, to: replacedBy, ...at });
  });
  return { makers, rotations, tags, ends, problems };
}

/** The transitive closure of `next`. */
function reached(from: readonly string[], next: (keyId: string) => readonly string[]): Set<string> {
  const found = new Set(from);
  // Members added during the iteration of a set are iterated as well.
  for (const keyId of found) for (const one of next(keyId)) found.add(one);
  return found;
}

/**
 * Whether two keys belonged to the same person when an approval was decided, by the rule of the service: they are equal, rotations
 * of each other, or one created the other, directly or through keys in between.
 *
 * A key exists before all its actions, so its creator and its predecessor in a rotation need no time. A successor may be newer than
 * the approval: it counts when it was made long before, or is known to have existed.
 */
export function wereSameHands({ makers, rotations }: KeyHistory, one: string, other: string, at: Moment): boolean {
  const before = (keyId: string): string[] => [
    ...[makers.get(keyId)].filter((maker) => typeof maker === 'string'),
    ...rotations.filter(({ to }) => to === keyId).map(({ from }) => from),
  ];
  const after = (keyId: string): Rotation[] => rotations.filter(({ from }) => from === keyId);
  const wasThere = reached([one, other], (keyId) => [
    ...before(keyId),
    ...after(keyId)
      .filter((rotation) => isLongBefore(rotation, at))
      .map(({ to }) => to),
  ]);
  const above = (keyId: string): Set<string> =>
    reached([keyId], (one) => [
      ...before(one),
      ...after(one)
        .map(({ to }) => to)
        .filter((to) => wasThere.has(to)),
    ]);
  return above(one).has(other) || above(other).has(one);
}

/** Whether a decision came from the shell, which has no key. */
export const isShell = (by: string): boolean => by.startsWith('cli:');

interface Decided extends Moment {
  readonly approvalId: string;
  readonly askedBy: string;
  /** The key or shell user that approved or rejected it. */
  readonly by: string;
}

/**
 * Checks that an approval was not decided by the person who asked for it.
 * @param keys undefined: no key records were given
 */
export function checkHands(keys: KeyHistory | undefined, decided: Decided, report: Report): void {
  const { approvalId, askedBy, by } = decided;
  report.failures.push(...(keys?.problems ?? []));
  if (isShell(by)) return;
  const isSame = by === askedBy || (keys !== undefined && wereSameHands(keys, askedBy, by, decided));
  if (isSame) {
    const who =
      by === askedBy ? 'that asked' : `that by the log is in the same hands as ${quoted(askedBy)}, which asked`;
    fail(
      report,
      'APPROVAL_SAME_HANDS',
      `The approval ${quoted(approvalId)} was decided by the key ${quoted(by)} ${who}.`,
    );
  } else if (keys === undefined) report.notEvaluable.push('KEY_RECORDS_NOT_GIVEN');
  // Created before this log began, or its record is missing.
  else if (!keys.makers.has(askedBy) || !keys.makers.has(by)) report.notEvaluable.push('KEYS_NOT_RECORDED');
}
