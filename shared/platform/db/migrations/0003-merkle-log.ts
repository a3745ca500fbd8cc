// The Merkle log: nodes of complete subtrees, signed checkpoints, signing keys, and logs that are restarted after a fork.
import { sqlMigration } from './sql-migration.ts';

const UP = `
ALTER TABLE log ADD COLUMN log_id integer GENERATED ALWAYS AS IDENTITY;
-- 1, and one more each time that custos log fork opens a new origin. The highest one is the log that grows.
ALTER TABLE log ADD COLUMN generation integer NOT NULL DEFAULT 1;
-- Set once; null until a worker first appends to the log.
ALTER TABLE log ADD COLUMN origin text;
-- The hashes of the perfect subtrees that the tree's size is the sum of, largest first, 32 bytes each.
ALTER TABLE log ADD COLUMN frontier bytea NOT NULL DEFAULT '';
-- Why the log is not signed any more: its tree is not the one that was signed before.
ALTER TABLE log ADD COLUMN halted_reason text;
ALTER TABLE log DROP CONSTRAINT log_pkey;
ALTER TABLE log ADD PRIMARY KEY (log_id);
ALTER TABLE log ADD UNIQUE (organisation_id, environment, generation);

ALTER TABLE leaf DISABLE TRIGGER insert_only;
ALTER TABLE leaf ADD COLUMN log_id integer REFERENCES log (log_id);
UPDATE leaf SET log_id = log.log_id FROM log WHERE log.organisation_id = leaf.organisation_id AND log.environment = leaf.environment;
ALTER TABLE leaf ALTER COLUMN log_id SET NOT NULL;
ALTER TABLE leaf DROP CONSTRAINT leaf_pkey;
ALTER TABLE leaf ADD PRIMARY KEY (log_id, leaf_index);
ALTER TABLE leaf ENABLE TRIGGER insert_only;

-- Hashes of perfect subtrees of 2^level leaves, level 1 and up; level 0 is the leaf's own hash. Insert-only.
CREATE TABLE node (
  log_id integer NOT NULL,
  level smallint NOT NULL CHECK (level BETWEEN 1 AND 52),
  node_index bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (log_id, level, node_index)
);

CREATE TABLE checkpoint (
  log_id integer NOT NULL REFERENCES log (log_id),
  size bigint NOT NULL CHECK (size > 0),
  root bytea NOT NULL CHECK (length(root) = 32),
  -- The signed note, whole.
  note text NOT NULL,
  signed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (log_id, size)
);

-- Log keys, each with the tree sizes it may sign. Never deleted.
CREATE TABLE log_key (
  log_id integer NOT NULL REFERENCES log (log_id),
  use text NOT NULL CHECK (use = 'log'),
  key_id text NOT NULL,
  vkey text NOT NULL,
  first_size bigint NOT NULL,
  last_size bigint,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (log_id, use, key_id)
);

-- Keys that sign promises; never deleted.
CREATE TABLE promise_key (
  key_id text PRIMARY KEY,
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  created_at timestamptz(3) NOT NULL
);

CREATE TRIGGER announce AFTER INSERT OR UPDATE OF origin ON log
  FOR EACH ROW EXECUTE FUNCTION custos_announce('log', 'organisation_id', 'environment');

-- The progress of the auditor, and whether it agreed.
CREATE TABLE audit (
  log_id integer PRIMARY KEY REFERENCES log (log_id),
  audited_size bigint NOT NULL DEFAULT 0,
  -- Hashes of the aligned subtrees up to there, as the other implementation computed them.
  state bytea NOT NULL DEFAULT '',
  ok boolean NOT NULL DEFAULT true,
  findings text NOT NULL DEFAULT '[]',
  audited_at timestamptz(3)
);

DO $$
DECLARE
  depth integer := 1;
  made bigint;
BEGIN
  LOOP
    IF depth = 1 THEN
      INSERT INTO node (log_id, level, node_index, hash)
      SELECT l.log_id, 1, l.leaf_index / 2, sha256('\\x01'::bytea || l.leaf_hash || r.leaf_hash)
      FROM leaf l JOIN leaf r ON r.log_id = l.log_id AND r.leaf_index = l.leaf_index + 1 WHERE l.leaf_index % 2 = 0;
    ELSE
      INSERT INTO node (log_id, level, node_index, hash)
      SELECT l.log_id, depth, l.node_index / 2, sha256('\\x01'::bytea || l.hash || r.hash)
      FROM node l JOIN node r ON r.log_id = l.log_id AND r.level = l.level AND r.node_index = l.node_index + 1
      WHERE l.level = depth - 1 AND l.node_index % 2 = 0;
    END IF;
    GET DIAGNOSTICS made = ROW_COUNT;
    EXIT WHEN made = 0;
    depth := depth + 1;
  END LOOP;
END $$;

CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON node FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
CREATE TRIGGER insert_only BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoint FOR EACH STATEMENT EXECUTE FUNCTION custos_insert_only();
`;

const DOWN = `
DROP TRIGGER announce ON log;
DROP TABLE audit, promise_key, log_key, checkpoint, node;
ALTER TABLE leaf DROP CONSTRAINT leaf_pkey;
ALTER TABLE leaf DROP COLUMN log_id;
ALTER TABLE leaf ADD PRIMARY KEY (organisation_id, environment, leaf_index);
ALTER TABLE log DROP COLUMN log_id, DROP COLUMN generation, DROP COLUMN origin, DROP COLUMN frontier, DROP COLUMN halted_reason;
ALTER TABLE log ADD PRIMARY KEY (organisation_id, environment);
`;

export const MerkleLog1763700000003 = sqlMigration({ name: 'MerkleLog1763700000003', up: UP, down: DOWN });
