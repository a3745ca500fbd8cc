// Whether a request comes from the operator of the installation: some pages show others less.
import type { IncomingHttpHeaders } from 'node:http';
import type { Environment, Scope } from '../../kernel/vocabulary.ts';

/** Not exported: the organisation alone decides nothing, because its keys can be bound to agents, or be of test. */
const operates: unique symbol = Symbol('the organisation operates the installation');

export interface OfOrganisation {
  readonly [operates]: boolean;
}

export function ofOrganisation({ isOperator }: { readonly isOperator: boolean }): OfOrganisation {
  return { [operates]: isOperator };
}

interface Key extends OfOrganisation {
  readonly environment: Environment;
  readonly scopes: ReadonlySet<Scope>;
  readonly agentIds: ReadonlySet<string> | null;
}

/** A live admin:* key of the operator's organisation, bound to no agents. */
export function isOperatorsKey(key: Key): boolean {
  return key[operates] && key.environment === 'live' && key.scopes.has('admin:*') && key.agentIds === null;
}

type Authenticate = (headers: IncomingHttpHeaders, beforeLookUp: () => void) => Key | Promise<Key>;

/** Called with the headers of a request. False for a key that is missing, wrong, or cannot be checked now. */
export type OperatorCheck = (headers: IncomingHttpHeaders, beforeLookUp: () => void) => Promise<boolean>;

export function createOperatorCheck(authenticate: Authenticate): OperatorCheck {
  return async (headers, beforeLookUp) => {
    if (headers.authorization === undefined && headers['x-api-key'] === undefined) return false;
    try {
      return isOperatorsKey(await authenticate(headers, beforeLookUp));
    } catch {
      return false;
    }
  };
}

/** Throws beyond `most` calls a second, by whomever: a flood of wrong keys stays cheap. */
export function createGate(most: number, monotonicMs: () => number): () => void {
  let [second, calls] = [-1, 0];
  return () => {
    const now = Math.floor(monotonicMs() / 1_000);
    if (now !== second) [second, calls] = [now, 0];
    calls += 1;
    if (calls > most) throw new Error('too many look-ups of keys in this second');
  };
}
