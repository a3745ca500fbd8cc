// Types of a rule that is ready to be evaluated: conditions in normal form, target and effect.
import type { Action, Environment } from '../../kernel/vocabulary.ts';
import type { Approvers } from './approvers.ts';
import type { CompiledBudget } from './budget.ts';
import type { MessageFiller } from './message.ts';
import type { Leaf, NormalNode } from './normal-form.ts';
import type { PolicyObligation } from './schema.ts';

type Effect =
  | { readonly type: 'ALLOW' | 'DENY'; readonly code: string; readonly message: string }
  | {
      readonly type: 'ESCALATE';
      readonly code: string;
      readonly message: string;
      readonly approvers?: Approvers;
      readonly ttl?: string;
    }
  | {
      readonly type: 'DEGRADE';
      readonly code: string;
      readonly message: string;
      readonly obligations: readonly PolicyObligation[];
    }
  | { readonly type: 'RISK'; readonly factor: string; readonly score: number; readonly message: string };

/** `fill`: gives the message with the values of its placeholders; absent without placeholders. */
export type RuleEffect = Effect & { readonly fill?: MessageFiller };

export interface CompiledRule {
  /** Position among all rules of its stage, sorted by policy id, then rule name. */
  readonly index: number;
  readonly policy: string;
  readonly name: string;
  readonly effect: RuleEffect;
  readonly actions: readonly (Action | '*')[];
  /** Canonical. */
  readonly resources: readonly string[];
  readonly environments: readonly Environment[] | undefined;
  readonly organisations: readonly string[] | undefined;
  readonly condition: NormalNode;
  readonly leaves: readonly Leaf[];
  readonly holdsWhenUnsure: boolean;
  /** Whether it is one of an organisation's own rules, which permit nothing. */
  readonly isOwn: boolean;
  /** Of an ALLOW or DEGRADE; absent without one. */
  readonly budget?: CompiledBudget;
}
