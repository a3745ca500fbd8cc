// All business routes, in the order in which the OpenAPI document lists them.
import type { Route } from '../route.ts';
import { type AgentDeps, agentRoutes } from './agents.ts';
import { type ApprovalDeps, approvalRoutes } from './approvals.ts';
import { type AuthzenDeps, authzenRoutes } from './authzen.ts';
import { type DecisionDeps, decisionRoutes } from './decisions.ts';
import { type EnforceDeps, enforceRoutes } from './enforce.ts';
import { type HaltDeps, haltRoutes } from './halt.ts';
import { type IntentDeps, intentRoutes } from './intent.ts';
import { type KeyRouteDeps, keyRoutes } from './keys.ts';
import { type LogDeps, logRoutes } from './log.ts';
import { type PolicyDeps, policyRoutes } from './policies.ts';
import type { PolicyChangeDeps } from './policy-change-reply.ts';
import { policyChangeRoutes } from './policy-changes.ts';
import { type PolicyReplayDeps, policyReplayRoutes } from './policy-replay.ts';
import { type ProofDeps, proofRoutes } from './proofs.ts';
import { type SubmittedIntentDeps, submittedIntentRoutes } from './submitted-intents.ts';
import { type ResourceDeps, resourceRoutes } from './resources.ts';
import { toolRoutes } from './tools.ts';
import { type TrustDeps, trustRoutes } from './trust.ts';
import { type WebhookDeps, webhookRoutes } from './webhooks.ts';

export type BusinessDeps = AgentDeps &
  ApprovalDeps &
  AuthzenDeps &
  DecisionDeps &
  EnforceDeps &
  HaltDeps &
  IntentDeps &
  KeyRouteDeps &
  LogDeps &
  PolicyDeps &
  PolicyChangeDeps &
  PolicyReplayDeps &
  ProofDeps &
  ResourceDeps &
  SubmittedIntentDeps &
  TrustDeps &
  WebhookDeps;

/** Only handlers use the dependencies, so tools can list the routes with empty ones. */
export function businessRoutes(deps: BusinessDeps): Route[] {
  return [
    ...intentRoutes(deps),
    ...enforceRoutes(deps),
    ...submittedIntentRoutes(deps),
    ...decisionRoutes(deps),
    ...approvalRoutes(deps),
    ...proofRoutes(deps),
    ...logRoutes(deps),
    ...agentRoutes(deps),
    ...resourceRoutes(deps),
    ...trustRoutes(deps),
    ...keyRoutes(deps),
    ...haltRoutes(deps),
    // Before the routes of sets by digest, which would read these paths as digests.
    ...policyReplayRoutes(deps),
    ...policyChangeRoutes(deps),
    ...policyRoutes(deps),
    ...toolRoutes(deps),
    ...authzenRoutes(deps),
    ...webhookRoutes(deps),
  ];
}
