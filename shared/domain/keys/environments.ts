// In which environments of its organisation a key has authority: it may create keys there, and a dashboard session may act there.
import { type Environment, ENVIRONMENTS } from '../../kernel/vocabulary.ts';
import type { AuthenticatedKey } from './types.ts';

/** A live key: all, its own first. Any other key: its own alone, so that authority never leads to a more important environment. */
export function environmentsOf({ environment }: Pick<AuthenticatedKey, 'environment'>): readonly Environment[] {
  return environment === 'live' ? ENVIRONMENTS : [environment];
}

/** The key as it acts in one of these environments, with everything else unchanged; undefined for any other. */
export function keyActingIn(key: AuthenticatedKey, environment: Environment): AuthenticatedKey | undefined {
  return environmentsOf(key).includes(environment) ? { ...key, environment } : undefined;
}
