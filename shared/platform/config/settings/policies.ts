// Settings of policies: where they are, who may change them, and shadow mode.
import { lstatSync } from 'node:fs';
import path from 'node:path';
import { filePath, integer, oneOrZero, readKeysAndTags, share, type Places } from '../forms.ts';
import type { Setting } from '../setting.ts';

const POLICIES = 'policies';

/** The policies that the package contains. An update of the package replaces them. */
export function shippedPolicies({ root }: Pick<Places, 'root'>): string {
  return path.join(root, POLICIES);
}

/** The user's policies where they exist, even as a file or a broken link: their loss must be an error, not a change of policies. */
function findPolicies(places: Places): string {
  const own = path.join(places.home, POLICIES);
  return lstatSync(own, { throwIfNoEntry: false }) === undefined ? shippedPolicies(places) : own;
}

export const POLICY_SETTINGS = {
  policyDir: {
    name: 'CUSTOS_POLICY_DIR',
    unit: 'folder',
    fallback: POLICIES,
    description:
      'policy files; the default is in the folder in which the command is started, or in the checkout. Without that folder the policies of the package are used, which "custos policy init" copies',
    locate: findPolicies,
    read: filePath,
  },
  policyApprovals: {
    name: 'CUSTOS_POLICY_APPROVALS',
    unit: '1 or 0',
    fallback: '0',
    description:
      '1: a pushed set, a rollback and an edit of the policy folder open an approval, and come into force when another person approves; the same for ingress and workers',
    read: oneOrZero,
  },
  policyApprovers: {
    name: 'CUSTOS_POLICY_APPROVERS',
    unit: 'tags and key ids',
    description:
      'who may approve changes of policies, such as tag:security,key:3fK9x2Qa; it demands approvals as CUSTOS_POLICY_APPROVALS=1 does. Absent: every other admin of the operator',
    read: readKeysAndTags,
  },
  policyQuorum: {
    name: 'CUSTOS_POLICY_QUORUM',
    unit: '1 to 10',
    fallback: '1',
    description:
      'how many different people must approve a change of policies; more than 1 demands approvals as CUSTOS_POLICY_APPROVALS=1 does',
    read: integer(1, 10),
  },
  policySigners: {
    name: 'CUSTOS_POLICY_SIGNERS',
    unit: 'file',
    description:
      'names and public keys of the signers of policy sets, one "NAME KEY" a line ("custos policy keygen" prints it); a set without a valid signature then does not come into force. The same for ingress and workers; absent: sets need no signature',
    read: filePath,
  },
  shadowPolicyDir: {
    name: 'CUSTOS_SHADOW_POLICY_DIR',
    unit: 'folder',
    description:
      'draft policies that workers evaluate on recorded live decisions, for comparison with the active policies; absent: shadow mode is off',
    read: filePath,
  },
  shadowShare: {
    name: 'CUSTOS_SHADOW_SHARE',
    unit: 'share, 0 to 1',
    fallback: '1',
    description: 'share of live decisions that are evaluated with the draft policies of CUSTOS_SHADOW_POLICY_DIR',
    read: share,
  },
} as const satisfies Record<string, Setting>;
