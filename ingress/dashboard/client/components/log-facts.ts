// The facts of a log, for the overview and the audit page.
import { whole } from '../format.ts';
import { html, type VNode } from '../html.ts';
import type { LogInfo } from '../wire.ts';
import { Badge } from './badge.ts';
import { KeyValue } from './layout.ts';
import { Time } from './text.ts';

/** Counting stops here (logs.ts). */
const MAX_WAITING = 10_000;

export interface LogFactsProps {
  readonly log: Omit<LogInfo, 'audit'> & { readonly audit: Omit<NonNullable<LogInfo['audit']>, 'findings'> | null };
}

export function LogFacts({ log }: LogFactsProps): VNode {
  const { audit, checkpoint, size, waiting } = log;
  const state =
    audit &&
    html`<${Badge} tone=${audit.ok ? 'good' : 'bad'}>${audit.ok ? 'no difference' : 'differs'}<//> ${audit.at === null ? '' : html`<${Time} at=${audit.at} />`}`;
  return html`<${KeyValue} items=${[
    ['Origin', log.origin === null ? null : html`<code>${log.origin}</code>`],
    [
      'Leaves',
      `${whole(size)}${waiting > 0 ? `, ${waiting >= MAX_WAITING ? 'over ' : ''}${whole(waiting)} waiting` : ''}`,
    ],
    [
      'Last checkpoint',
      checkpoint === null ? null : html`size ${whole(checkpoint.size)}, <${Time} at=${checkpoint.signedAt} />`,
    ],
    ['Signing', log.haltedReason === null ? 'active' : html`<${Badge} tone="bad">halted<//>`],
    ['Last audit', state ?? html`<span class="muted">not yet</span>`],
    ['Audited', audit === null ? undefined : `${whole(audit.auditedSize)} of ${whole(size)} leaves`],
  ]} />`;
}
