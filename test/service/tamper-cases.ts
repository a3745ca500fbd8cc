// Every way to change a log in the database: the statements, and the findings that the audit must report.
import type { FindingKind } from '../../shared/core/proof/audit-findings.ts';

type Finds = readonly (readonly [FindingKind, number | null])[];

export interface Case {
  readonly name: string;
  readonly sql: string;
  /** Findings of the audit in the database, the most specific first; there may be others. */
  readonly finds: Finds;
  /** Where it differs: what is found in a log with nodes of every level, as earlier versions stored them. */
  readonly inEarlier?: Finds;
  /** Only such a log has these nodes. */
  readonly isEarlier?: boolean;
  /** There are no other findings. */
  readonly only?: boolean;
  /** The finding of the audit of an export; absent if the export does not contain the changed data. */
  readonly exported?: FindingKind | 'refused' | 'nothing';
}

// 33 leaves: rounds of five decisions of one agent and five proofs of five entities; signed at 10, 20 and 30. Leaves 30 to
// 32 are proofs that are not signed yet.
export const LEAF = (index: number) =>
  `(SELECT CASE event WHEN 'custos.decision' THEN 'dec' || substr(proof_id, 4) ELSE proof_id END FROM leaf WHERE leaf_index = ${index})`;
const flip = (column: string) => `set_byte(${column}, 5, get_byte(${column}, 5) # 1)`;

export const CASES: readonly Case[] = [
  {
    name: 'a payload is edited',
    sql: `UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":2', '"i":9'), 'UTF8') WHERE proof_id = ${LEAF(7)}`,
    finds: [['record-altered', 7]],
    only: true,
    exported: 'chain-broken',
  },
  {
    name: 'a payload is edited in a leaf that is not signed yet',
    sql: `UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":2', '"i":9'), 'UTF8') WHERE proof_id = ${LEAF(32)}`,
    finds: [['record-altered', 32]],
    only: true,
  },
  {
    name: 'a payload is edited, with all hashes of its leaf',
    sql: `UPDATE record SET record = convert_to(replace(convert_from(record, 'UTF8'), '"i":4', '"i":9'), 'UTF8') WHERE proof_id = ${LEAF(29)};
      UPDATE leaf SET leaf_hash = sha256('\\x00'::bytea || r.record || convert_to(',"previousHash":"' || encode(previous_hash, 'hex') || '"}', 'UTF8')),
        event_hash = sha256(r.record || convert_to(',"previousHash":"' || encode(previous_hash, 'hex') || '"}', 'UTF8'))
      FROM record r WHERE r.proof_id = leaf.proof_id AND leaf_index = 29`,
    finds: [
      ['leaves-replaced', 0],
      ['root-mismatch', 29],
    ],
    inEarlier: [
      ['leaves-replaced', 28],
      ['root-mismatch', 29],
    ],
    exported: 'root-mismatch',
  },
  {
    name: 'a verdict is edited',
    sql: `UPDATE decision SET verdict = CASE verdict WHEN 'ALLOW' THEN 'DENY' ELSE 'ALLOW' END WHERE decision_id = ${LEAF(11)}`,
    finds: [['column-altered', 11]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'the request of a decision is edited',
    sql: `UPDATE decision SET request_id = 'another' WHERE decision_id = ${LEAF(11)}`,
    finds: [['column-altered', 11]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a decision is given a tool',
    sql: `UPDATE decision SET tool_server = 'another', tool_name = 'another' WHERE decision_id = ${LEAF(11)}`,
    finds: [['column-altered', 11]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a decision is given other reasons',
    sql: `UPDATE decision SET reasons = 'ANOTHER' WHERE decision_id = ${LEAF(11)}`,
    finds: [['column-altered', 11]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a verdict is edited in the record, too',
    sql: `UPDATE decision SET verdict = 'DEGRADE', record = convert_to(regexp_replace(convert_from(record, 'UTF8'), '"verdict":"[A-Z]+"', '"verdict":"DEGRADE"'), 'UTF8') WHERE decision_id = ${LEAF(11)}`,
    finds: [['record-altered', 11]],
    exported: 'chain-broken',
  },
  {
    name: 'a packed record is edited',
    sql: `UPDATE decision SET record = ${flip('record')} WHERE decision_id = ${LEAF(3)}`,
    finds: [['record-altered', 3]],
  },
  {
    name: 'the facts of a decision are edited',
    sql: `UPDATE decision SET facts = ${flip('facts')} WHERE decision_id = ${LEAF(3)}`,
    finds: [['facts-altered', 3]],
    only: true,
  },
  {
    name: 'the time and the event of a leaf are edited',
    sql: `UPDATE leaf SET occurred_at = occurred_at + interval '1 day', event = 'other' WHERE leaf_index = 6`,
    finds: [['column-altered', 6]],
    only: true,
  },
  {
    name: 'times are made infinite, which JavaScript does not have',
    sql: `UPDATE leaf SET occurred_at = 'infinity' WHERE leaf_index = 6; UPDATE decision SET evaluated_at = '-infinity' WHERE decision_id = ${LEAF(11)}`,
    finds: [
      ['column-altered', 6],
      ['column-altered', 11],
    ],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a previous hash is edited',
    sql: `UPDATE leaf SET previous_hash = ${flip('previous_hash')} WHERE leaf_index = 15`,
    finds: [['previous-hash-altered', 15]],
    only: true,
    exported: 'chain-broken',
  },
  {
    name: 'an event hash is edited',
    sql: `UPDATE leaf SET event_hash = ${flip('event_hash')} WHERE leaf_index = 5`,
    finds: [
      ['event-hash-altered', 5],
      ['chain-broken', 15],
    ],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a leaf hash is edited',
    sql: `UPDATE leaf SET leaf_hash = ${flip('leaf_hash')} WHERE leaf_index = 21`,
    finds: [['leaf-hash-altered', 21]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a node is edited',
    sql: `UPDATE node SET hash = ${flip('hash')} WHERE level = 2 AND node_index = 3`,
    finds: [['node-altered', 12]],
    isEarlier: true,
    only: true,
  },
  {
    name: 'the largest node is edited',
    sql: `UPDATE node SET hash = ${flip('hash')} WHERE level = 5 AND node_index = 0`,
    finds: [['node-altered', 0]],
  },
  {
    name: 'the largest node is deleted',
    sql: 'DELETE FROM node WHERE level = 5',
    finds: [['node-missing', 0]],
    only: true,
  },
  {
    name: 'a node of the lowest level is edited',
    sql: `UPDATE node SET hash = ${flip('hash')} WHERE level = 1 AND node_index = 4`,
    finds: [['node-altered', 8]],
    isEarlier: true,
    only: true,
  },
  {
    name: 'a node is inserted beyond the log',
    sql: `INSERT INTO node SELECT log_id, 1, 16, hash FROM node WHERE level = 5`,
    finds: [['node-beyond-log', 32]],
    only: true,
  },
  {
    name: 'the root of a checkpoint is edited',
    sql: `UPDATE checkpoint SET root = ${flip('root')} WHERE size = 20`,
    finds: [['checkpoint-altered', 19]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'the note of a checkpoint is edited',
    sql: `UPDATE checkpoint SET note = replace(note, E'\\n20\\n', E'\\n19\\n') WHERE size = 20`,
    finds: [['checkpoint-signature', 19]],
    only: true,
    exported: 'checkpoint-signature',
  },
  {
    name: 'a checkpoint is put in the place of another',
    sql: `UPDATE checkpoint SET note = (SELECT note FROM checkpoint WHERE size = 10) WHERE size = 20`,
    finds: [['checkpoint-altered', 19]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'the tail is deleted',
    sql: 'DELETE FROM leaf WHERE leaf_index >= 28',
    finds: [
      ['leaf-missing', 28],
      ['leaf-missing', 32],
    ],
    exported: 'refused',
  },
  {
    name: 'the tail is deleted, and the size is set to fit',
    sql: `DELETE FROM leaf WHERE leaf_index >= 28; UPDATE log SET size = 28, frontier = ''`,
    finds: [
      ['checkpoint-beyond-log', 28],
      ['size-altered', 28],
      ['kept-checkpoint', 28],
      ['node-beyond-log', 0],
    ],
    exported: 'checkpoint-beyond-log',
  },
  {
    name: 'the tail is deleted with its nodes and checkpoints, and the size is set to fit',
    sql: `DELETE FROM leaf WHERE leaf_index >= 28; DELETE FROM node WHERE (node_index + 1) * 2 ^ level > 28; DELETE FROM checkpoint WHERE size > 28;
      DELETE FROM audit; UPDATE log SET size = 28, frontier = ''`,
    finds: [
      ['kept-checkpoint', 28],
      ['record-unlogged', null],
    ],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a row in the middle is deleted',
    sql: 'DELETE FROM leaf WHERE leaf_index = 17',
    finds: [['leaf-missing', 17]],
    exported: 'refused',
  },
  {
    name: 'the record of a row is deleted',
    sql: `DELETE FROM record WHERE proof_id = ${LEAF(17)}`,
    finds: [['source-missing', 17]],
    only: true,
    exported: 'refused',
  },
  {
    name: 'a row is inserted at the end',
    sql: `INSERT INTO leaf SELECT (l).* FROM (SELECT jsonb_populate_record(leaf, '{"leaf_index": 33, "proof_id": "forged", "entity_id": "forged", "chain_index": 0}') AS l FROM leaf WHERE leaf_index = 31) AS copy`,
    finds: [['leaf-beyond-log', 33]],
    only: true,
    exported: 'nothing',
  },
  {
    name: 'a row is inserted in the middle, and those after it are moved',
    sql: `UPDATE leaf SET leaf_index = leaf_index + 1000 WHERE leaf_index >= 12; UPDATE leaf SET leaf_index = leaf_index - 999 WHERE leaf_index >= 1000;
      INSERT INTO record SELECT (r).* FROM (SELECT jsonb_populate_record(source, '{"proof_id": "forged"}') AS r FROM record AS source WHERE proof_id = ${LEAF(5)}) AS copy;
      INSERT INTO leaf SELECT (l).* FROM (SELECT jsonb_populate_record(leaf, '{"leaf_index": 12, "proof_id": "forged", "entity_id": "forged", "chain_index": 0}') AS l FROM leaf WHERE leaf_index = 5) AS copy;
      UPDATE log SET size = 34`,
    finds: [
      ['column-altered', 12],
      ['leaves-replaced', 0],
      ['root-mismatch', 19],
      ['frontier-altered', 33],
    ],
    inEarlier: [
      ['column-altered', 12],
      ['leaves-replaced', 12],
      ['root-mismatch', 19],
      ['frontier-altered', 33],
    ],
    exported: 'leaves-replaced',
  },
  {
    name: 'two neighbours change places',
    sql: 'UPDATE leaf SET leaf_index = -1 WHERE leaf_index = 6; UPDATE leaf SET leaf_index = 6 WHERE leaf_index = 7; UPDATE leaf SET leaf_index = 7 WHERE leaf_index = -1',
    finds: [
      ['leaves-swapped', 6],
      ['root-mismatch', 9],
    ],
    exported: 'root-mismatch',
  },
  {
    name: 'two records of one chain change places',
    sql: 'UPDATE leaf SET leaf_index = -1 WHERE leaf_index = 5; UPDATE leaf SET leaf_index = 5 WHERE leaf_index = 25; UPDATE leaf SET leaf_index = 25 WHERE leaf_index = -1',
    finds: [
      ['leaves-swapped', 5],
      ['chain-broken', 5],
      ['root-mismatch', 9],
    ],
    exported: 'chain-broken',
  },
  {
    name: 'the size of the log is raised',
    sql: 'UPDATE log SET size = 40',
    finds: [['leaf-missing', 33]],
    exported: 'refused',
  },
  {
    name: 'the size of the log is lowered',
    sql: 'UPDATE log SET size = 31',
    finds: [
      ['leaf-beyond-log', 32],
      ['size-altered', 31],
    ],
  },
  {
    name: 'the frontier of the log is edited',
    sql: `UPDATE log SET frontier = ${flip('frontier')}`,
    finds: [['frontier-altered', 32]],
    only: true,
  },
];
