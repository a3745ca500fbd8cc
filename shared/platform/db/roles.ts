// Creates the service's database role and grants its rights.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { DatabaseClient } from './client.ts';
import { SetupError } from '../embedded/account.ts';

/** The addresses of the database: the service's role, and the role that owns the tables if it is another one. */
export interface DatabaseAccess {
  /** For the service. */
  readonly databaseUrl: string;
  /** For migrations. Absent: the service's role migrates, and so owns the tables. */
  readonly migrationDatabaseUrl?: string | undefined;
}

/**
 * Creates the role of `databaseUrl` if it does not exist, and grants exactly what the service needs. Call it as the owner
 * of the tables, after each migration, because new tables have no grants.
 * @throws {SetupError} when the role is missing and cannot be created
 */
export async function grantService(owner: pg.Client, databaseUrl: string): Promise<void> {
  // The driver applies its defaults to an address without a user.
  const { user, password } = new DatabaseClient({ connectionString: databaseUrl });
  if (user === undefined || user === owner.user) return;
  await ensureRole(owner, user, typeof password === 'string' ? password : undefined);
  await owner.query(`SELECT set_config('custos.service_role', $1, false)`, [user]);
  await owner.query(GRANT);
}

async function ensureRole(owner: pg.Client, name: string, password: string | undefined): Promise<void> {
  const { rowCount } = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  if (rowCount !== 0) return;
  const role = pg.escapeIdentifier(name);
  // Hashed here, because the server may log the statement's text.
  const secret = password ? ` PASSWORD ${pg.escapeLiteral(scramVerifier(password))}` : '';
  try {
    await owner.query(`CREATE ROLE ${role} LOGIN${secret}`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw new SetupError(
      `The role ${role} of DATABASE_URL does not exist, and the role of CUSTOS_MIGRATION_DATABASE_URL may not make roles. Make it (CREATE ROLE ${role} LOGIN PASSWORD '...'), and run this again: it gives the role its rights.`,
    );
  }
}

const SCRAM_ITERATIONS = 4_096;

/** The SCRAM verifier that PostgreSQL stores for a password (RFC 5803). */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, SCRAM_ITERATIONS, 32, 'sha256');
  const keyed = (label: string): Buffer => createHmac('sha256', salted).update(label).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

// Rights follow from the tables: a statement that a trigger of custos_insert_only refuses is not granted either. Only
// differences are changed, because most runs find everything in place. Bits of tgtype: 1 for each row, 8 DELETE, 16
// UPDATE.
const GRANT = `DO $$
DECLARE
  service text := current_setting('custos.service_role');
  found record;
BEGIN
  EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO %I', current_database(), service);
  EXECUTE format('GRANT USAGE ON SCHEMA %I, bullmq TO %I', current_schema(), service);
  EXECUTE format('REVOKE CREATE ON SCHEMA %I, bullmq FROM %I', current_schema(), service);
  EXECUTE format('GRANT EXECUTE ON FUNCTION custos_add_partitions, custos_drop_partition, custos_copy_blank, custos_compare_blank, custos_swap_blank, custos_forget_decisions, custos_forget_default, custos_forget_approvals, custos_forget_actions, custos_forget_versions, custos_count_history TO %I', service);
  -- PostgreSQL 14 lets everybody make tables there.
  IF EXISTS (SELECT FROM pg_namespace, aclexplode(nspacl) a WHERE nspname = current_schema() AND a.grantee = 0 AND a.privilege_type = 'CREATE') THEN
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
  END IF;
  FOR found IN
    WITH objects AS (
      SELECT c.oid, c.relacl, c.relkind, CASE
          WHEN c.relkind = 'S' THEN '{USAGE,SELECT}'::text[]
          WHEN c.relname IN ('migration', 'agent_history', 'agent_history_to') OR c.relkind IN ('v', 'm') THEN '{SELECT}'
          ELSE ARRAY['SELECT', 'INSERT']
            || CASE WHEN kept.types & 16 = 16 THEN '{}'::text[] ELSE '{UPDATE}' END
            || CASE WHEN kept.types & 8 = 8 THEN '{}'::text[] ELSE '{DELETE}' END
        END AS wanted
      FROM pg_class c CROSS JOIN LATERAL (
        SELECT coalesce(bit_or(t.tgtype::integer), 0) AS types FROM pg_trigger t
        WHERE t.tgrelid = c.oid AND t.tgfoid = to_regproc('custos_insert_only') AND t.tgtype & 1 = 0
      ) kept
      WHERE c.relnamespace IN (current_schema()::regnamespace, 'bullmq'::regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
        -- What others keep there is theirs to grant.
        AND pg_has_role(c.relowner, 'MEMBER')
    ), compared AS (
      SELECT oid, CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, wanted,
        ARRAY(SELECT a.privilege_type FROM aclexplode(relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = service) AS had
      FROM objects
    )
    SELECT oid, kind, array_to_string(wanted, ', ') AS wanted FROM compared WHERE NOT (wanted <@ had AND had <@ wanted)
  LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %I', found.kind, found.oid::regclass, service);
    EXECUTE format('GRANT %s ON %s %s TO %I', found.wanted, found.kind, found.oid::regclass, service);
  END LOOP;
END $$`;
