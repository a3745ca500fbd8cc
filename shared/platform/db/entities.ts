// The entities that administration works with; the hot paths use named SQL (shared/db/sql).
import { EntitySchema } from 'typeorm';
import type { AgentStatus, Environment, Scope } from '../../kernel/vocabulary.ts';

export interface OrganisationRow {
  id: string;
  slug: string;
  name: string;
  tier: number;
  isOperator: boolean;
  createdAt: Date;
}

export const OrganisationEntity = new EntitySchema<OrganisationRow>({
  name: 'organisation',
  tableName: 'organisation',
  columns: {
    id: { type: 'text', primary: true },
    slug: { type: 'text', unique: true },
    name: { type: 'text' },
    tier: { type: 'smallint' },
    isOperator: { type: 'boolean', name: 'is_operator' },
    createdAt: { type: 'timestamptz', name: 'created_at', precision: 3 },
  },
});

export interface ApiKeyRow {
  keyId: string;
  organisationId: string;
  environment: Environment;
  name: string;
  secretHmac: Buffer;
  scopes: Scope[];
  agentIds: string[] | null;
  tier: number;
  createdAt: Date;
  createdBy: string | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  replacedBy: string | null;
  lastUsedAt: Date | null;
  /** A bigint, which arrives as text. */
  seq: string;
}

export const ApiKeyEntity = new EntitySchema<ApiKeyRow>({
  name: 'api_key',
  tableName: 'api_key',
  columns: {
    keyId: { type: 'text', primary: true, name: 'key_id' },
    organisationId: { type: 'text', name: 'organisation_id' },
    environment: { type: 'text' },
    name: { type: 'text' },
    secretHmac: { type: 'bytea', name: 'secret_hmac' },
    scopes: { type: 'text', array: true },
    agentIds: { type: 'text', array: true, name: 'agent_ids', nullable: true },
    tier: { type: 'smallint' },
    createdAt: { type: 'timestamptz', name: 'created_at', precision: 3 },
    createdBy: { type: 'text', name: 'created_by', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true },
    replacedBy: { type: 'text', name: 'replaced_by', nullable: true },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', precision: 3, nullable: true },
    seq: { type: 'bigint', insert: false, update: false },
  },
});

export interface AgentRow {
  organisationId: string;
  environment: Environment;
  agentId: string;
  name: string;
  description: string | null;
  capabilities: string[];
  tags: string[];
  /** JSON text. */
  metadata: string | null;
  status: AgentStatus;
  createdAt: Date;
  updatedAt: Date;
  seq: string;
}

export const AgentEntity = new EntitySchema<AgentRow>({
  name: 'agent',
  tableName: 'agent',
  columns: {
    organisationId: { type: 'text', primary: true, name: 'organisation_id' },
    environment: { type: 'text', primary: true },
    agentId: { type: 'text', primary: true, name: 'agent_id' },
    name: { type: 'text' },
    description: { type: 'text', nullable: true },
    capabilities: { type: 'text', array: true },
    tags: { type: 'text', array: true },
    metadata: { type: 'text', nullable: true },
    status: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at', precision: 3 },
    updatedAt: { type: 'timestamptz', name: 'updated_at', precision: 3 },
    seq: { type: 'bigint', insert: false, update: false },
  },
});

export const ENTITIES = [OrganisationEntity, ApiKeyEntity, AgentEntity];
