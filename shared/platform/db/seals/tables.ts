// The sealed tables: their columns, and which of them the seal covers. Pure.

/** The types of columns, as the driver returns and accepts their values; `?` allows null. */
interface ValueOf {
  readonly text: string;
  readonly 'text?': string | null;
  readonly texts: readonly string[];
  readonly 'texts?': readonly string[] | null;
  readonly smallint: number;
  readonly integer: number;
  /** The driver returns a text: a double can't hold every bigint. */
  readonly bigint: string;
  readonly 'bigint?': string | null;
  readonly boolean: boolean;
  readonly bytes: Buffer;
  readonly time: Date;
  readonly 'time?': Date | null;
}
export type Kind = keyof ValueOf;

/**
 * How a table protects against putting back older rows (rollback). Every update of a versioned row also inserts its new
 * version number into the insert-only table row_version, so an earlier row with its then valid seal is refused.
 * - `none`: rows are only inserted and deleted, or their updates revoke nothing.
 * - `updates`: the first version is not recorded. A deleted row allows less than the row did.
 * - `all`: the first version is recorded too, so that a deletion is noticed; without the row more would be allowed.
 */
type History = 'none' | 'updates' | 'all';

export interface SealedTable {
  readonly primaryKey: readonly string[];
  /**
   * All sealed columns, including the primary key and, in versioned tables, `version`. New columns go to the end. A
   * migration that fills one in existing rows must seal them again (seal-existing.ts).
   */
  readonly columns: Readonly<Record<string, Kind>>;
  /** Columns without authority; they change without a new seal. */
  readonly unsealed: Readonly<Record<string, Kind>>;
  readonly history: History;
}

export const SEALED_TABLES = {
  organisation: {
    primaryKey: ['id'],
    columns: {
      id: 'text',
      slug: 'text',
      name: 'text',
      tier: 'smallint',
      is_operator: 'boolean',
      created_at: 'time',
    },
    unsealed: {},
    history: 'none',
  },
  api_key: {
    primaryKey: ['key_id'],
    columns: {
      key_id: 'text',
      organisation_id: 'text',
      environment: 'text',
      name: 'text',
      secret_hmac: 'bytes',
      scopes: 'texts',
      agent_ids: 'texts?',
      tier: 'smallint',
      created_at: 'time',
      created_by: 'text?',
      expires_at: 'time?',
      revoked_at: 'time?',
      replaced_by: 'text?',
      version: 'integer',
      secret_pepper: 'text?',
      keeps_obligations: 'texts?',
      tags: 'texts?',
    },
    // last_used_at is written every few seconds without reading the row.
    unsealed: { last_used_at: 'time?', seq: 'bigint' },
    history: 'updates',
  },
  dashboard_session: {
    primaryKey: ['token_hash'],
    columns: {
      token_hash: 'bytes',
      key_id: 'text',
      created_at: 'time',
      last_seen_at: 'time',
      expires_at: 'time',
      environment: 'text?',
    },
    unsealed: {},
    history: 'none',
  },
  agent: {
    primaryKey: ['organisation_id', 'environment', 'agent_id'],
    columns: {
      organisation_id: 'text',
      environment: 'text',
      agent_id: 'text',
      capabilities: 'texts',
      tags: 'texts',
      status: 'text',
      created_at: 'time',
      version: 'integer',
      attributes: 'text?',
    },
    // No verdict depends on these.
    unsealed: { name: 'text', description: 'text?', metadata: 'text?', updated_at: 'time', seq: 'bigint' },
    history: 'all',
  },
  resource: {
    primaryKey: ['organisation_id', 'environment', 'name'],
    columns: {
      organisation_id: 'text',
      environment: 'text',
      name: 'text',
      entry: 'text',
      created_at: 'time',
      updated_at: 'time',
      removed_at: 'time?',
      version: 'integer',
    },
    unsealed: {},
    history: 'all',
  },
  halt: {
    primaryKey: ['organisation_id', 'environment'],
    columns: {
      organisation_id: 'text',
      environment: 'text',
      reason: 'text',
      key_id: 'text',
      created_at: 'time',
      lifted_at: 'time?',
      version: 'integer',
    },
    unsealed: {},
    history: 'all',
  },
  approval: {
    primaryKey: ['organisation_id', 'environment', 'approval_id'],
    columns: {
      organisation_id: 'text',
      environment: 'text',
      approval_id: 'text',
      state: 'text',
      agent_id: 'text',
      key_id: 'text',
      digest: 'text',
      intent_id: 'text?',
      decision_id: 'text',
      created_at: 'time',
      expires_at: 'time',
      decided_at: 'time?',
      decided_by: 'text?',
      reason: 'text?',
      used_at: 'time?',
      used_by: 'text?',
      used_decision_id: 'text?',
      version: 'integer',
      approvers: 'text?',
      votes: 'text?',
    },
    // Only groups a list.
    unsealed: { alike: 'text?' },
    history: 'updates',
  },
  policy_state: {
    primaryKey: ['only_row'],
    columns: {
      only_row: 'boolean',
      active_digest: 'text?',
      activated_at: 'time?',
      version: 'integer',
      author: 'text?',
      reason: 'text?',
      source: 'text?',
    },
    // Informational: the result of the last read of the folder.
    unsealed: { read_at: 'time?', read_ok: 'boolean', findings: 'text', folder_digest: 'text?' },
    history: 'updates',
  },
  policy_activation: {
    primaryKey: ['seq'],
    columns: {
      seq: 'bigint',
      digest: 'text',
      previous_digest: 'text?',
      activated_at: 'time',
      author: 'text?',
      reason: 'text?',
      source: 'text?',
      approver: 'text?',
      signer: 'text?',
      signed_sequence: 'bigint?',
      organisation_id: 'text?',
    },
    unsealed: {},
    history: 'none',
  },
  policy_proposal: {
    primaryKey: ['approval_id'],
    columns: {
      approval_id: 'text',
      digest: 'text',
      previous_digest: 'text?',
      author: 'text',
      reason: 'text?',
      source: 'text',
      signer: 'text?',
      signed_sequence: 'bigint?',
      state: 'text',
      created_at: 'time',
      expires_at: 'time',
      decided_at: 'time?',
      decided_by: 'text?',
      decision_reason: 'text?',
      version: 'integer',
      stage: 'text?',
      votes: 'text?',
      signature: 'text?',
    },
    unsealed: {},
    history: 'updates',
  },
  organisation_policy: {
    primaryKey: ['organisation_id'],
    columns: {
      organisation_id: 'text',
      own_digest: 'text?',
      staged_digest: 'text?',
      active_digest: 'text?',
      activated_at: 'time',
      author: 'text',
      reason: 'text?',
      version: 'integer',
    },
    unsealed: { findings: 'text' },
    history: 'all',
  },
  retention_time: {
    primaryKey: ['organisation_id', 'environment', 'kind'],
    columns: {
      organisation_id: 'text',
      environment: 'text',
      kind: 'text',
      keep: 'text',
      author: 'text',
      changed_at: 'time',
      dropped_before: 'text?',
      version: 'integer',
    },
    unsealed: {},
    history: 'all',
  },
  log_key: {
    primaryKey: ['log_id', 'use', 'key_id'],
    columns: {
      log_id: 'integer',
      use: 'text',
      key_id: 'text',
      vkey: 'text',
      first_size: 'bigint',
      last_size: 'bigint?',
      created_at: 'time',
      version: 'integer',
    },
    unsealed: {},
    history: 'updates',
  },
  promise_key: {
    primaryKey: ['key_id'],
    columns: { key_id: 'text', public_key: 'bytes', created_at: 'time' },
    unsealed: {},
    history: 'none',
  },
} as const satisfies Readonly<Record<string, SealedTable>>;

export type SealedTableName = keyof typeof SEALED_TABLES;
export const SEALED_TABLE_NAMES = Object.keys(SEALED_TABLES) as SealedTableName[];

/** The description of a table as its general type. */
export function sealedTable(table: SealedTableName): SealedTable {
  return SEALED_TABLES[table];
}

type ValueOfKind<K> = K extends Kind ? ValueOf[K] : never;

/** The sealed columns of a row, as the driver returns and accepts them. */
export type SealedValues<T extends SealedTableName> = {
  readonly [C in keyof (typeof SEALED_TABLES)[T]['columns']]: ValueOfKind<(typeof SEALED_TABLES)[T]['columns'][C]>;
};

/** The other columns of a row. */
export type UnsealedValues<T extends SealedTableName> = {
  readonly [C in keyof (typeof SEALED_TABLES)[T]['unsealed']]: ValueOfKind<(typeof SEALED_TABLES)[T]['unsealed'][C]>;
};

/** A value as it is sealed; undefined if it has the wrong type, such as an infinite time. */
export function encodeValue(kind: Kind, value: unknown): unknown {
  if (value === null) return kind.endsWith('?') ? null : undefined;
  switch (kind.replace('?', '')) {
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
    case 'smallint':
    case 'integer':
      return Number.isSafeInteger(value) ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'bytes':
      return Buffer.isBuffer(value) ? value.toString('hex') : undefined;
    case 'time':
      return value instanceof Date && Number.isFinite(value.getTime()) ? value.toISOString() : undefined;
    default:
      return typeof value === 'string' ? value : undefined;
  }
}
