// All migrations, oldest first. Append new ones; never edit an old one.
import { Foundation1763700000001 } from './0001-foundation.ts';
import { Pipeline1763700000002 } from './0002-pipeline.ts';
import { MerkleLog1763700000003 } from './0003-merkle-log.ts';
import { Approvals1763700000004 } from './0004-approvals.ts';
import { Replay1763700000005 } from './0005-replay.ts';
import { Dashboard1763700000006 } from './0006-dashboard.ts';
import { Traces1763700000007 } from './0007-traces.ts';
import { LeafInserts1763700000008 } from './0008-leaf-inserts.ts';
import { Lists1763700000009 } from './0009-lists.ts';
import { LeafZones1763700000010 } from './0010-leaf-zones.ts';
import { QueuedOnce1763700000011 } from './0011-queued-once.ts';
import { AuthorityRecords1763700000012 } from './0012-authority-records.ts';
import { Repeats1763700000013 } from './0013-repeats.ts';
import { KeyLine1763700000014 } from './0014-key-line.ts';
import { RecentParses1763700000015 } from './0015-recent-parses.ts';
import { sealsMigration } from './0016-seals.ts';
import { SecretPepper1763700000017 } from './0017-secret-pepper.ts';
import { RequestIds1763700000018 } from './0018-request-ids.ts';
import { ToolCalls1763700000019 } from './0019-tool-calls.ts';
import { ToolColumns1763700000020 } from './0020-tool-columns.ts';
import { KeptObligations1763700000021 } from './0021-kept-obligations.ts';
import { Webhooks1763700000022 } from './0022-webhooks.ts';
import { WebhookFindings1763700000023 } from './0023-webhook-findings.ts';
import { DecisionCounts1763700000024 } from './0024-decision-counts.ts';
import { OpenSince1763700000025 } from './0025-open-since.ts';
import { AgentPages1763700000026 } from './0026-agent-pages.ts';
import { AlikeApprovals1763700000027 } from './0027-alike-approvals.ts';
import { SessionEnvironment1763700000028 } from './0028-session-environment.ts';
import { HealthPort1763700000029 } from './0029-health-port.ts';
import { Reasons1763700000030 } from './0030-reasons.ts';
import { HaltRecords1763700000031 } from './0031-halt-records.ts';
import { ActivationAuthors1763700000032 } from './0032-activation-authors.ts';
import { KeyTags1763700000033 } from './0033-key-tags.ts';
import { AgentAttributes1763700000034 } from './0034-agent-attributes.ts';
import { IntentAddress1763700000035 } from './0035-intent-address.ts';
import { Approvers1763700000036 } from './0036-approvers.ts';
import { Budgets1763700000037 } from './0037-budgets.ts';
import { PolicyProposals1763700000038 } from './0038-policy-proposals.ts';
import { OrganisationPolicies1763700000039 } from './0039-organisation-policies.ts';
import { Resources1763700000040 } from './0040-resources.ts';
import { PolicyStages1763700000041 } from './0041-policy-stages.ts';
import { ParseCoverage1763700000042 } from './0042-parse-coverage.ts';
import { IntentBatches1763700000043 } from './0043-intent-batches.ts';
import { Partitions1763700000044 } from './0044-partitions.ts';
import { RetentionDrops1763700000046 } from './0046-retention-drops.ts';
import { RetentionKinds1763700000045 } from './0045-retention-kinds.ts';
import { NarrowDecisions1763700000047 } from './0047-narrow-decisions.ts';
import { NarrowLeaves1763700000048 } from './0048-narrow-leaves.ts';
import { RetentionTimes1763700000049 } from './0049-retention-times.ts';
import { AgentHistory1763700000050 } from './0050-agent-history.ts';
import { LateDecisions1763700000051 } from './0051-late-decisions.ts';
import { ApprovalDemands1763700000052 } from './0052-approval-demands.ts';
import { EvidenceBegun1763700000053 } from './0053-evidence-begun.ts';
import { PartitionRepairs1763700000054 } from './0054-partition-repairs.ts';
import { auditProgressMigration } from './0055-audit-progress.ts';
import { keySealsMigration } from './0056-key-seals.ts';
import { LostSignals1763700000057 } from './0057-lost-signals.ts';
import { KeptParses1763700000058 } from './0058-kept-parses.ts';
import { BudgetSeals1763700000059 } from './0059-budget-seals.ts';
import { IntentSeals1763700000060 } from './0060-intent-seals.ts';
import { RetainedRows1763700000061 } from './0061-retained-rows.ts';
import { ForgottenChanges1763700000062 } from './0062-forgotten-changes.ts';
import { ListFilters1763700000063 } from './0063-list-filters.ts';
import { ProposedSignatures1763700000064 } from './0064-proposed-signatures.ts';
import { DecisionUpdates1763700000065 } from './0065-decision-updates.ts';
import type { Migration } from './sql-migration.ts';

/** @param pepper CUSTOS_PEPPER, to seal rows that give authority */
export const migrationsWith = (pepper: string): (new () => Migration)[] => [
  Foundation1763700000001,
  Pipeline1763700000002,
  MerkleLog1763700000003,
  Approvals1763700000004,
  Replay1763700000005,
  Dashboard1763700000006,
  Traces1763700000007,
  LeafInserts1763700000008,
  Lists1763700000009,
  LeafZones1763700000010,
  QueuedOnce1763700000011,
  AuthorityRecords1763700000012,
  Repeats1763700000013,
  KeyLine1763700000014,
  RecentParses1763700000015,
  sealsMigration(pepper),
  SecretPepper1763700000017,
  RequestIds1763700000018,
  ToolCalls1763700000019,
  ToolColumns1763700000020,
  KeptObligations1763700000021,
  Webhooks1763700000022,
  WebhookFindings1763700000023,
  DecisionCounts1763700000024,
  OpenSince1763700000025,
  AgentPages1763700000026,
  AlikeApprovals1763700000027,
  SessionEnvironment1763700000028,
  HealthPort1763700000029,
  Reasons1763700000030,
  HaltRecords1763700000031,
  ActivationAuthors1763700000032,
  KeyTags1763700000033,
  AgentAttributes1763700000034,
  IntentAddress1763700000035,
  Approvers1763700000036,
  Budgets1763700000037,
  PolicyProposals1763700000038,
  OrganisationPolicies1763700000039,
  Resources1763700000040,
  PolicyStages1763700000041,
  ParseCoverage1763700000042,
  IntentBatches1763700000043,
  Partitions1763700000044,
  RetentionKinds1763700000045,
  RetentionDrops1763700000046,
  NarrowDecisions1763700000047,
  NarrowLeaves1763700000048,
  RetentionTimes1763700000049,
  AgentHistory1763700000050,
  LateDecisions1763700000051,
  ApprovalDemands1763700000052,
  EvidenceBegun1763700000053,
  PartitionRepairs1763700000054,
  auditProgressMigration(pepper),
  keySealsMigration(pepper),
  LostSignals1763700000057,
  KeptParses1763700000058,
  BudgetSeals1763700000059,
  IntentSeals1763700000060,
  RetainedRows1763700000061,
  ForgottenChanges1763700000062,
  ListFilters1763700000063,
  ProposedSignatures1763700000064,
  DecisionUpdates1763700000065,
];

/** The names in the table of migrations; they need no pepper. */
export const migrationNames = (): string[] => migrationsWith('').map((Migration) => new Migration().name);
