// The result of the last reading of the policy folder. Nothing is shown when it was accepted without warnings.
import { count } from '../format.ts';
import { html, useState, type VNode } from '../html.ts';
import { Badge, Notice, Said, Time } from '../ui.ts';
import type { PolicyFinding, PolicyState } from '../wire.ts';

export function LastReading({ state }: { readonly state: PolicyState }): VNode | null {
  const { lastRead, active, loadError } = state;
  const { ok, findings, at } = lastRead;
  if (loadError === null && findings.length === 0 && ok) return null;
  const inForce =
    active === null
      ? 'No set is in force yet, so all requests wait.'
      : 'The last good set stays in force; the present content of the folder is not used.';
  const title = ok
    ? `The set is in force, with ${count(findings.length, 'warning')}`
    : `The policy folder was refused, with ${count(findings.length, 'finding')}`;
  return html`<div class="stack">
    ${loadError !== null && html`<${Notice} tone="bad" title="This process could not load the activated set">${loadError} It still evaluates the previous set, and tries again by itself.<//>`}
    ${(!ok || findings.length > 0) && html`<${Notice} tone=${ok ? 'warn' : 'bad'} title=${title}>${!ok && html`<p>${inForce}${at !== null && html` Read <${Time} at=${at} />.`}</p>`}<${Findings} findings=${findings} /><//>`}
  </div>`;
}

/** More findings are shown on request, so that the rest of the page stays in reach. */
const FIRST_FINDINGS = 10;

export function Findings({ findings }: { readonly findings: readonly PolicyFinding[] }): VNode {
  const [all, setAll] = useState(false);
  const shown = all ? findings : findings.slice(0, FIRST_FINDINGS);
  const more = findings.length - shown.length;
  return html`<ul class="folder-findings" aria-label="Findings">${shown.map(
    (finding) => html`<li class="folder-finding">
      <p class="finding-place"><code><${Said} text=${finding.file} />:${finding.line}:${finding.column}</code> <${Badge} tone=${finding.severity === 'warning' ? 'warn' : 'bad'}>${finding.code}<//></p>
      <p><${Said} text=${finding.message} /></p>
      ${finding.hint !== undefined && html`<p class="finding-more"><${Said} text=${finding.hint} /></p>`}
      ${finding.example !== undefined && html`<p class="finding-more">For example: <code><${Said} text=${finding.example} /></code></p>`}
    </li>`,
  )}</ul>${more > 0 && html`<p class="more"><button type="button" class="button button-small" onClick=${() => setAll(true)}>Show ${count(more, 'more finding')}</button></p>`}`;
}
