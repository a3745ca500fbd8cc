// The rows of the list of decisions. A click on a value filters by it; a click elsewhere in the row opens the decision in the drawer.
import type { QueryTerm } from '../query.ts';
import type { DecisionAnswer } from '../answers.ts';
import { named, rowTime, spelled, timeZone } from '../format.ts';
import { type ComponentChildren, html, useEffect, useRef, useState, type VNode } from '../html.ts';
import { href } from '../router.ts';
import { Name, tierName, ToolName, Trust, useNow, Verdict } from '../ui.ts';
import { RiskLevel, wordsOf } from './decisions-parts.ts';

export interface DecisionRowsProps {
  readonly decisions: readonly DecisionAnswer[];
  /** The id of the decision in the drawer. */
  readonly open: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onFilter: (term: QueryTerm) => void;
}

export function DecisionRows({ decisions, open, onOpen, onFilter }: DecisionRowsProps): VNode {
  const [active, setActive] = useState<string | undefined>(undefined);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (open !== undefined) body.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return html`<table role="table" class="decisions-table">
    <caption class="visually-hidden">Decisions, newest first</caption>
    <thead role="rowgroup"><tr role="row">
      <th role="columnheader" scope="col" class="col-time">Time (${timeZone(new Date())})</th>
      <th role="columnheader" scope="col" class="col-verdict">Verdict</th>
      <th role="columnheader" scope="col" class="col-agent">Agent</th>
      <th role="columnheader" scope="col" class="col-asked">Request</th>
      <th role="columnheader" scope="col" class="col-reason">Reason</th>
      <th role="columnheader" scope="col" class="col-trust">Trust</th>
      <th role="columnheader" scope="col" class="col-risk">Risk</th>
    </tr></thead>
    <tbody role="rowgroup" ref=${body}>${decisions.map((decision) => html`<${Row} key=${decision.decision_id} decision=${decision} isOpen=${decision.decision_id === open} isActive=${decision.decision_id === active} onActive=${setActive} onOpen=${onOpen} onFilter=${onFilter} />`)}</tbody>
  </table>`;
}

interface RowProps extends Pick<DecisionRowsProps, 'onOpen' | 'onFilter'> {
  readonly decision: DecisionAnswer;
  readonly isOpen: boolean;
  /** Whether it has the focus: then the buttons of its values can be reached with the keyboard. */
  readonly isActive: boolean;
  readonly onActive: (id: string) => void;
}

function Row({ decision, isOpen, isActive, onActive, onOpen, onFilter }: RowProps): VNode {
  const { decision_id: id, verdict, agent_id: agent, intent, tool, trust } = decision;
  const filter = (field: QueryTerm['field'], value: string, children: ComponentChildren): VNode =>
    html`<${FilterValue} field=${field} value=${value} canFocus=${isActive} onFilter=${onFilter}>${children}<//>`;
  const onClick = (event: MouseEvent): void => {
    if (event.target instanceof Element && event.target.closest('a, button') !== null) return;
    // Text that is being selected is not a click on the row.
    if (window.getSelection()?.isCollapsed !== false) onOpen(id);
  };
  const onLink = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen(id);
  };
  return html`<tr role="row" class=${`row-${verdict.toLowerCase()}`} aria-selected=${isOpen} onClick=${onClick} onFocusIn=${() => onActive(id)}>
    <td role="cell" class="col-time"><a class="row-link" href=${href('decisions', id)} onClick=${onLink}><${At} at=${decision.evaluated_at} /><span class="visually-hidden">, ${named(wordsOf(intent))}</span></a></td>
    <td role="cell" class="col-verdict">${filter('verdict', verdict, html`<${Verdict} verdict=${verdict} />`)}</td>
    <td role="cell" class="col-agent">${filter('agent', agent, html`<${Name} text=${agent} length=${28} />`)}</td>
    <th role="rowheader" scope="row" class="col-asked">
      <span class="asked">${tool === undefined ? html`<${Name} text=${wordsOf(intent)} length=${60} />` : html`<${ToolName} tool=${tool} />`}</span>
      ${tool !== undefined && html` <span class="muted asked-resource"><${Name} text=${intent.resource} length=${40} /></span> <${FilterIcon} field="tool" value=${`${tool.server}/${tool.name}`} canFocus=${isActive} onFilter=${onFilter} />`}
    </th>
    <td role="cell" class="col-reason"><${Reason} decision=${decision} filter=${filter} /></td>
    <td role="cell" class="col-trust" title=${tierName(trust.effective_level)}><${Trust} level=${trust.effective_level} /></td>
    <td role="cell" class="col-risk">${filter('risk', intent.risk.level, html`<${RiskLevel} risk=${intent.risk} />`)}</td>
  </tr>`;
}

type Filtered = (field: QueryTerm['field'], value: string, children: ComponentChildren) => VNode;

/** The strongest reason in plain words; its code is what is filtered by. */
function Reason({ decision, filter }: { readonly decision: DecisionAnswer; readonly filter: Filtered }): VNode | null {
  const [first, ...more] = decision.reasons;
  if (first === undefined) return null;
  const codes = more.map(({ code }) => code).join(', ');
  return html`${filter('reason', first.code, html`<bdi class="reason-words" title=${`${first.code}: ${spelled(first.message)}`}>${spelled(first.message)}</bdi>`)}${more.length > 0 && html`<span class="muted reason-more num" title=${codes}>+${more.length}</span>`}`;
}

function At({ at }: { readonly at: string }): VNode {
  const now = useNow();
  return html`<time datetime=${at} title=${at} class="num">${rowTime(new Date(at), now)}</time>`;
}

interface FilterValueProps extends Pick<DecisionRowsProps, 'onFilter'> {
  readonly field: QueryTerm['field'];
  readonly value: string;
  readonly canFocus: boolean;
  readonly children?: ComponentChildren;
}

const FUNNEL = html`<svg class="funnel" viewBox="0 0 16 16" width="12" height="12" aria-hidden="true" focusable="false"><path d="M2 3h12l-4.6 5.4V13L6.6 11.4V8.4z" /></svg>`;

/** With Alt, decisions with the value are left out. */
function filterProps({ field, value, canFocus, onFilter }: FilterValueProps): object {
  return {
    type: 'button',
    tabindex: canFocus ? 0 : -1,
    title: `Filter by ${field} ${named(value)} (Alt: leave it out)`,
    onClick: (event: MouseEvent) => onFilter({ field, value, negated: event.altKey }),
  };
}

function FilterValue({ children, ...props }: FilterValueProps): VNode {
  return html`<button class="filter-value" ...${filterProps(props)}><span class="visually-hidden">Filter by ${props.field} </span>${children}${FUNNEL}</button>`;
}

function FilterIcon(props: FilterValueProps): VNode {
  return html`<button class="filter-value filter-only" ...${filterProps(props)} aria-label=${`Filter by ${props.field} ${named(props.value)}`}>${FUNNEL}</button>`;
}
