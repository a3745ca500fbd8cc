// Compares obligations, independently of the code that merges them.
import type { Obligation } from '../../shared/core/policy/types.ts';

const numberOf = (obligation: Obligation, member: string): number => Number(obligation[member]);
const textsOf = (obligation: Obligation): unknown[] => [obligation['fields']].flat();

/** Whether complying with all of these does not mean complying with the one. */
export function lacksObligation(all: readonly Obligation[], one: Obligation): boolean {
  const alike = all.filter(({ type }) => type === one.type);
  switch (one.type) {
    case 'redact_fields':
      return !textsOf(one).every((field) => alike.some((other) => textsOf(other).includes(field)));
    case 'max_rows':
      return !alike.some((other) => numberOf(other, 'limit') <= numberOf(one, 'limit'));
    case 'rate':
      return !alike.some(
        (other) =>
          numberOf(other, 'limit') <= numberOf(one, 'limit') &&
          numberOf(other, 'perSeconds') >= numberOf(one, 'perSeconds'),
      );
    default:
      return !alike.some((other) => JSON.stringify(other) === JSON.stringify(one));
  }
}
