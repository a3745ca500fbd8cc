// What an action of the operator trail is, in words. A test demands words for every route that changes something. Pure.

/** By method and path template below /dashboard/api. */
const WORDS: Readonly<Record<string, string>> = {
  'sign-in': 'Signed in',
  'sign-out': 'Signed out',
  'switch-environment': 'Switched to the environment',
  'POST /v1/agents': 'Registered an agent',
  'PATCH /v1/agents/{agentId}': 'Changed an agent',
  'DELETE /v1/agents/{agentId}': 'Terminated an agent',
  'POST /v1/auth/keys': 'Created a key',
  'DELETE /v1/auth/keys/{keyId}': 'Revoked a key',
  'POST /v1/auth/keys/{keyId}/rotate': 'Rotated a key',
  'POST /v1/webhooks': 'Created a webhook',
  'PATCH /v1/webhooks/{webhookId}': 'Changed a webhook',
  'DELETE /v1/webhooks/{webhookId}': 'Deleted a webhook',
  'POST /v1/webhooks/{webhookId}/rotate': 'Rotated the key of a webhook',
  'POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay': 'Replayed a delivery',
  'POST /v1/approvals/{id}/approve': 'Approved a request',
  'POST /v1/approvals/{id}/reject': 'Rejected a request',
  'POST /dead-jobs/{id}/retry': 'Retried a dead job',
  'POST /dead-jobs/{id}/discard': 'Discarded a dead job',
  'POST /v1/halt': 'Halted the environment',
  'DELETE /v1/halt': 'Ended the halt',
  'PUT /v1/resources/{name}': 'Registered or changed a resource',
  'DELETE /v1/resources/{name}': 'Removed a resource',
  'POST /v1/policies': 'Pushed a policy set',
  'DELETE /v1/policies': "Withdrew the organisation's own policies",
  'POST /v1/policies/rollback': 'Rolled the policy set back',
  'POST /v1/policies/follow-folder': 'Put the policy folder in force',
  'POST /v1/policies/promote': 'Promoted a staged policy set',
  'DELETE /v1/policies/stages/{digest}': 'Dropped a staged policy set',
  'POST /v1/policies/approvals/{approvalId}/approve': 'Approved a change of the policy set',
  'POST /v1/policies/approvals/{approvalId}/reject': 'Rejected a change of the policy set',
  'POST /v1/policies/replay': 'Started a replay of decisions',
  'POST /v1/intent': 'Parsed an intent',
  'POST /v1/intents': 'Submitted an intent',
  'POST /v1/enforce': 'Asked for a decision',
  'POST /v1/enforce/batch': 'Asked for several decisions',
  'POST /v1/decisions/{id}/outcome': 'Reported the outcome of a decision',
  'POST /access/v1/evaluation': 'Asked for a decision by AuthZEN',
  'POST /access/v1/evaluations': 'Asked for several decisions by AuthZEN',
  'POST /v1/trust/signals': 'Sent trust signals',
  'POST /v1/proofs': 'Submitted a proof',
  'POST /v1/proofs/batch': 'Submitted several proofs',
};

/** @returns the action itself when it has no words, as that of a route of a later version */
export function actionWords(action: string): string {
  const known = action.replace('/dashboard/api', '');
  return WORDS[known] ?? known;
}
