// The audit of submitted intents: compares each in turn with the decision that its row names, because no hash covers the row.
import { type IntentColumns, isStoredDecisionOfIntent } from '../../core/decision/of-intent.ts';
import type { Finding } from '../../core/proof/audit-findings.ts';
import { quoted } from '../../core/proof/encoding.ts';
import { type Owner, ownerColumns } from '../../kernel/owner.ts';
import type { Database } from '../../platform/db/database.ts';

/** Intents that are compared between two checks of the time. */
const PAGE = 100;

const of = (
  condition: string,
): string => `SELECT intent.intent_id, intent.agent_id, intent.key_id, intent.action, intent.resource, intent.request_id, found.record
    FROM (SELECT * FROM intent WHERE organisation_id = $1 AND environment = $2 AND ${condition} ORDER BY organisation_id, environment, intent_id LIMIT ${PAGE}) AS intent
    LEFT JOIN LATERAL (
      SELECT record FROM decision WHERE organisation_id = $1 AND environment = $2 AND decision_id >= intent.decision_id AND decision_id <= intent.decision_id
      ORDER BY organisation_id, environment, decision_id LIMIT 1
    ) AS found ON true ORDER BY intent.intent_id`;
const NEXT = of('intent_id > $3');
const AGAIN = of('intent_id = ANY ($3::text[])');

interface Row extends IntentColumns {
  readonly intent_id: string;
  /** Null: it is not decided, or retention dropped its decision. */
  readonly record: Buffer | null;
}

export interface IntentsAudited {
  /** The last intent of this turn; '' at the end of a cycle. */
  readonly intentId: string;
  /** The compared intents by id; undefined: no finding. */
  readonly compared: ReadonlyMap<string, Finding | undefined>;
}

/** Compares at least one page of intents. @param options.again ids with a finding so far, at most a page */
export async function auditIntents(
  db: Database,
  owner: Owner,
  options: { readonly after: string; readonly again: readonly string[]; readonly isTimeLeft: () => boolean },
): Promise<IntentsAudited> {
  const compared = new Map<string, Finding | undefined>();
  const compare = (rows: readonly Row[]): void => {
    for (const row of rows) {
      const isRight = row.record === null || isStoredDecisionOfIntent(row, row.record);
      compared.set(row.intent_id, isRight ? undefined : findingOf(row.intent_id));
    }
  };
  if (options.again.length > 0) compare(await db.query<Row>(AGAIN, [...ownerColumns(owner), options.again]));
  let intentId = options.after;
  do {
    const rows = await db.query<Row>(NEXT, [...ownerColumns(owner), intentId]);
    compare(rows);
    intentId = rows.length < PAGE ? '' : (rows.at(-1)?.intent_id ?? '');
  } while (intentId !== '' && options.isTimeLeft());
  return { intentId, compared };
}

function findingOf(intentId: string): Finding {
  const sentence = `The submitted intent ${quoted(intentId)} names a decision that was not made for it.`;
  return { kind: 'intent-altered', leafIndex: null, proofId: null, sentence };
}
