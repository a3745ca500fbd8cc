// Random facts as the service would gather them: derived facts are consistent, unlike in facts generated member by member.
import { noEntities } from '../../../shared/core/intent/text/entities.ts';
import fc from 'fast-check';
import { normalizedOf } from '../../../shared/core/intent/resource.ts';
import { timeFactsOf } from '../../../shared/core/policy/time.ts';
import type { Facts } from '../../../shared/core/policy/types.ts';
import { effectiveTrust, recordedScoreOf } from '../../../shared/core/trust/score.ts';
import {
  ACTIONS,
  AGENT_STATUSES,
  DATA_CLASSES,
  EFFECTS,
  ENVIRONMENTS,
  EXTENTS,
  TRAITS,
} from '../../../shared/kernel/vocabulary.ts';
import { factsWith } from '../policy/support.ts';

const score = fc.constantFrom(0, 199, 200, 250, 349, 350, 500, 650, 700, 800, 900, 1_000);
const subset = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...values], { maxLength: 2 });

export interface FactsWorld {
  readonly resources: readonly string[];
  /** Keys: paths below `context`. */
  readonly context: Readonly<Record<string, readonly unknown[]>>;
  readonly places?: readonly string[];
  /** Tags and capabilities that agents have. */
  readonly words?: readonly string[];
  readonly statuses?: readonly Facts['agent']['status'][];
}

/** One facts object per value; `world` lists the possible resources and context members. */
export function consistentFacts({ resources, places, context, words, statuses }: FactsWorld): fc.Arbitrary<Facts> {
  const members = Object.fromEntries(
    Object.entries(context).map(([path, values]) => [path, fc.option(fc.constantFrom(...values), { nil: undefined })]),
  );
  return fc
    .record({
      resource: fc.constantFrom(...resources),
      action: fc.constantFrom(...ACTIONS),
      effect: fc.constantFrom(...EFFECTS),
      environment: fc.constantFrom(...ENVIRONMENTS),
      extent: fc.constantFrom(...EXTENTS),
      confidence: fc.constantFrom(0.2, 0.25, 0.4, 0.5, 0.9, 1),
      traits: subset(TRAITS),
      dataClasses: subset(DATA_CLASSES),
      amounts: fc.subarray([20, 5_000]),
      places: fc.subarray([...(places ?? [])]),
      recorded: score,
      claimed: fc.option(score, { nil: undefined }),
      status: fc.constantFrom(...(statuses ?? (['UNREGISTERED', 'ACTIVE', ...AGENT_STATUSES] as const))),
      hour: fc.integer({ min: 0, max: 24 * 14 }),
      denied: fc.constantFrom(0, 3, 10, 50),
      tags: fc.subarray([...(words ?? [])]),
      bound: fc.boolean(),
      uncertainty: fc.constantFrom(0.1, 0.5, 0.9),
      members: fc.record(members),
    })
    .map((given) => {
      const registered = given.status !== 'UNREGISTERED';
      const changes: Record<string, unknown> = {};
      for (const [path, value] of Object.entries(given.members))
        if (value !== undefined) changes[`context.${path}`] = value;
      const facts = factsWith(changes);
      const named = given.resource.split('/').filter((segment) => segment !== '*');
      Object.assign(facts.intent, {
        resource: given.resource,
        action: given.action,
        verb: given.action,
        effect: given.effect,
        extent: given.extent,
        confidence: given.confidence,
        traits: given.traits,
        data_classes: given.dataClasses,
        domain: named[0] ?? 'general',
        object: named.at(-1) ?? '*',
        depth: named.length,
        normalized: normalizedOf(given.resource, given.action),
      });
      facts.intent.entities = {
        ...noEntities(),
        money: given.amounts.map((amount) => ({ amount, currency: 'EUR' })),
      };
      facts.intent.places = given.places;
      Object.assign(facts.agent, { registered, status: given.status, tags: given.tags, capabilities: given.tags });
      facts.key.bound = given.bound;
      facts.trust = effectiveTrust({
        recordedScore: recordedScoreOf(registered, given.recorded),
        claimedScore: given.claimed,
        uncertainty: given.uncertainty,
      });
      facts.time = timeFactsOf(Date.UTC(2026, 2, 2) + given.hour * 3_600_000);
      for (const window of ['last_1h', 'last_24h'] as const) facts.history[window].DENY = given.denied;
      facts.environment = given.environment;
      facts.key.environment = given.environment;
      return facts;
    });
}
