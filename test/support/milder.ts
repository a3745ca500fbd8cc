// Compares the strictness of two parses, for tests that no rewording of an intent gives a milder parse.
import {
  actionRank,
  effectRank,
  joinsOf,
  type Judged,
  meaningsOf,
  meaningText,
} from '../../shared/core/intent/assess/strictness.ts';
import type { Entities } from '../../shared/core/intent/types.ts';
import { EXTENTS, SECOND_READINGS } from '../../shared/kernel/vocabulary.ts';

/** Members in which one parse can be milder than another. */
export type MilderMember = Exclude<keyof Judged, 'verb'>;

const lacks = (a: readonly string[], b: readonly string[]): boolean => b.some((value) => !a.includes(value));

const secondRank = ({ second_reading: read }: Judged): number =>
  read === undefined ? -1 : SECOND_READINGS.indexOf(read);

/**
 * The members in which `a` is milder than `b`: a milder action, effect or extent, a higher confidence, or the lack of a meaning,
 * trait, data class, flag, place or entity that `b` has. Empty: `a` is at least as strict. Verbs have no order.
 */
export function milderIn(a: Judged, b: Judged): MilderMember[] {
  const lacksEntities = (of: Entities, than: Entities): boolean =>
    (Object.keys(than) as (keyof Entities)[]).some((kind) =>
      lacks(
        of[kind].map((one) => JSON.stringify(one)),
        than[kind].map((one) => JSON.stringify(one)),
      ),
    );
  // Unknown ones count as missing, which opens nothing.
  const entities = a.entities !== undefined && (b.entities === undefined || lacksEntities(a.entities, b.entities));
  const checks: readonly [MilderMember, boolean][] = [
    ['action', actionRank(a.action) < actionRank(b.action)],
    ['effect', effectRank(a.effect) < effectRank(b.effect)],
    ['extent', EXTENTS.indexOf(a.extent) < EXTENTS.indexOf(b.extent)],
    ['meanings', lacks(joinsOf(meaningsOf(a)).map(meaningText), meaningsOf(b).map(meaningText))],
    ['confidence', a.confidence > b.confidence],
    ['coverage', a.coverage > b.coverage],
    ['traits', lacks(a.traits, b.traits)],
    ['data_classes', lacks(a.data_classes, b.data_classes)],
    ['flags', lacks(a.flags, b.flags)],
    ['places', lacks(a.places, b.places)],
    ['entities', entities],
    ['second_reading', secondRank(a) < secondRank(b)],
    ['harmless', a.harmless === true && b.harmless !== true],
  ];
  return checks.flatMap(([member, milder]) => (milder ? [member] : []));
}
