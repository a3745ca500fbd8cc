// The roles of the embedded database: a superuser for setup, an owner for migrations, and the role of the service.
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { DATABASE, SUPERUSER } from './cluster.ts';

/** Addresses of the same database for three roles, with user and password. */
export interface EmbeddedAddresses {
  /** For the service, which may only read and write rows. */
  readonly url: string;
  /** For migrations, whose role owns the tables. */
  readonly ownerUrl: string;
  /** Of the superuser, for setup and backups only. No process of the service has it. */
  readonly adminUrl: string;
}

const OWNER = 'custos_owner';
const SERVICE = 'custos_service';

/** As the server is, whatever the caller's PGSSLMODE and PGOPTIONS are about: those are for other servers. */
const SESSION = 'sslmode=disable&options=-c%20search_path%3Dpublic';

/** @param password the superuser's. The other roles' passwords derive from it, and not the reverse. */
export function addressesOf(password: string, port: number): EmbeddedAddresses {
  const derived = (role: string): string =>
    createHmac('sha256', password).update(`custos database role 1\n${role}`).digest('base64url');
  const address = (role: string, secret: string): string =>
    `postgres://${role}:${secret}@127.0.0.1:${port}/${DATABASE}?${SESSION}`;
  return {
    url: address(SERVICE, derived(SERVICE)),
    ownerUrl: address(OWNER, derived(OWNER)),
    adminUrl: address(SUPERUSER, password),
  };
}

/**
 * Creates or corrects the roles and the database. A database of an earlier version, in which the superuser owned everything,
 * is transferred to the owner. Idempotent: it may be killed at any point and run again.
 */
export async function setUpRoles({ url, ownerUrl, adminUrl }: EmbeddedAddresses): Promise<void> {
  const isOwned = await connected(inDatabase(adminUrl, 'postgres'), async (client) => {
    for (const address of [url, ownerUrl]) await ensureRole(client, new URL(address));
    const { rows } = await client.query<{ owner: string }>(
      'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1',
      [DATABASE],
    );
    if (rows.length === 0) await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
    return rows[0]?.owner !== SUPERUSER;
  });
  if (isOwned) return;
  await connected(adminUrl, async (client) => {
    await client.query('BEGIN');
    await client.query(HAND_OVER);
    // Last, because the owner of the database marks the transfer as complete.
    await client.query(`ALTER DATABASE ${DATABASE} OWNER TO ${OWNER}`);
    await client.query('COMMIT');
  });
}

async function ensureRole(client: pg.Client, { username, password }: URL): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [username]);
  await client.query(
    `${rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${pg.escapeIdentifier(username)}
     LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(password)}`,
  );
}

// REASSIGN OWNED refuses the first superuser of a cluster, because it also owns the system's objects. Sequences of columns and
// row types change owner with their tables.
const HAND_OVER = `DO $$
DECLARE
  found record;
BEGIN
  FOR found IN
    SELECT format('ALTER SCHEMA %I', nspname) AS change FROM pg_namespace WHERE nspname = 'bullmq'
    UNION ALL
    SELECT format('ALTER TABLE %s', c.oid::regclass) FROM pg_class c
    WHERE relnamespace IN ('public'::regnamespace, to_regnamespace('bullmq')) AND relkind IN ('r', 'p', 'v', 'm')
    UNION ALL
    SELECT format('ALTER SEQUENCE %s', c.oid::regclass) FROM pg_class c
    WHERE relnamespace IN ('public'::regnamespace, to_regnamespace('bullmq')) AND relkind = 'S'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
    UNION ALL
    SELECT format('ALTER ROUTINE %s', p.oid::regprocedure) FROM pg_proc p
    WHERE pronamespace IN ('public'::regnamespace, to_regnamespace('bullmq'))
    UNION ALL
    SELECT format('ALTER TYPE %s', t.oid::regtype) FROM pg_type t
    WHERE typnamespace IN ('public'::regnamespace, to_regnamespace('bullmq')) AND typtype IN ('e', 'd')
  LOOP
    EXECUTE found.change || ' OWNER TO ${OWNER}';
  END LOOP;
END $$`;

function inDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

async function connected<T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: address, application_name: 'custos-set-up' });
  // An error after the last query does not matter, and without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
