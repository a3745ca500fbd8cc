// The rules of an installation for changes of its policies: whether a second person must approve, and whose signatures count.
import { readFileSync } from 'node:fs';
import { parseSigners, type Signers } from '../../core/policy/signature.ts';
import type { KeysAndTags } from '../../platform/config/forms.ts';
import { OperatorError } from '../../kernel/operator-error.ts';

export interface ChangeRules {
  /** Who may approve; undefined: every other admin of the operator. */
  readonly approvers?: KeysAndTags | undefined;
  /** How many must approve; absent: 1. */
  readonly quorum?: number;
  /** Whether a change opens an approval instead of coming into force. */
  readonly needsApproval: boolean;
  /** How long such an approval may be decided. */
  readonly approvalTtlMs: number;
  /** Undefined: sets need no signature. */
  readonly signers: Signers | undefined;
}

/** @throws {OperatorError} when the file of signers can't be used */
export function changeRulesOf(config: {
  readonly policyApprovals: boolean;
  readonly approvalTtlMs: number;
  readonly policyApprovers?: KeysAndTags | undefined;
  readonly policyQuorum?: number;
  readonly policySigners?: string | undefined;
}): ChangeRules {
  const { policyApprovals, approvalTtlMs, policyApprovers: approvers, policyQuorum: quorum = 1 } = config;
  const { policySigners: file } = config;
  return {
    // Whoever names approvers or a number of them wants approvals, even without CUSTOS_POLICY_APPROVALS.
    needsApproval: policyApprovals || approvers !== undefined || quorum > 1,
    ...(approvers && { approvers }),
    quorum,
    approvalTtlMs,
    signers: file === undefined ? undefined : readSigners(file),
  };
}

function readSigners(file: string): Signers {
  try {
    return parseSigners(readFileSync(file, 'utf8'));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error;
    const reason = isMissing ? `can't be read (${String(error.code)})` : error instanceof Error ? error.message : '';
    throw new OperatorError(`The file of CUSTOS_POLICY_SIGNERS ${reason}: ${file}`);
  }
}
