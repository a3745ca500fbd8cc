// The facts of a question about where it comes from and what it touches: the client's address and the attributes of resources.
import { plainAddress } from '../../core/intent/text/addresses.ts';
import { placesOf } from '../../core/policy/evaluate.ts';
import type { Facts, RiskFacts } from '../../core/policy/types.ts';
import { resourceFacts, type ResourceRegistry } from '../../core/resources/registry.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';

/** Characters of the longest IPv6 address. */
const MAX_ADDRESS = 45;
const NO_CLIENT = Object.freeze({});
const clients = new BoundedCache<Pick<Facts, 'client'>>({ max: 1_000 });

/** The fact `client`; missing for what is no address, such as a text that a proxy passed on. */
export function clientOf(address: string | undefined): Pick<Facts, 'client'> {
  if (address === undefined) return NO_CLIENT;
  const known = clients.get(address);
  if (known !== undefined) return known;
  const plain = plainAddress(address);
  const made = plain === undefined ? NO_CLIENT : { client: { address: plain } };
  // A longer text is no address, and must not fill the cache.
  if (address.length <= MAX_ADDRESS) clients.set(address, made);
  return made;
}

/** The attributes of what a request covers; no work when nothing is registered. */
export function resourceOf(intent: RiskFacts['intent'], registries: readonly ResourceRegistry[]): Facts['resource'] {
  if (registries.every(({ names }) => names.length === 0)) return undefined;
  return resourceFacts(intent.resource, placesOf(intent), registries);
}
