// All migrations, oldest first; a new one is added at the end, an old one is never edited.
import { Foundation1763700000001 } from './0001-foundation.ts';
import { Pipeline1763700000002 } from './0002-pipeline.ts';
import { MerkleLog1763700000003 } from './0003-merkle-log.ts';

export const MIGRATIONS = [Foundation1763700000001, Pipeline1763700000002, MerkleLog1763700000003];
