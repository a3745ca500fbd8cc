// The frame around every page: the menu, the session, and banners such as "not live".
import { api } from './api.ts';
import { count } from './format.ts';
import { html, useEffect, useRef, useState, type VNode } from './html.ts';
import { useLazy } from './lazy.ts';
import { stopLive, useLive, useLiveState } from './live.ts';
import { Mark } from './components/mark.ts';
import { PAGES, type PageEntry } from './pages.ts';
import { href, Link, usePlace } from './router.ts';
import { forgetKept, signedOut, useSession } from './session.ts';
import { sessionChanged } from './tabs.ts';
import { nextTheme, useTheme } from './theme.ts';
import { Badge, Empty, Loading, Notice, PageHead, Time } from './ui.ts';
import type { SessionInfo } from './wire.ts';
import type { Overview } from './wire/overview.ts';

const GROUPS = ['Watch', 'Govern', 'Prove', 'Run'] as const;

function mayOpen(page: PageEntry, session: SessionInfo): boolean {
  return page.operatorOnly !== true || session.isOperator;
}

async function signOut(): Promise<void> {
  // When the request fails, the page still drops all data: the person asked to be signed out.
  const isDone = await api('/session', { method: 'DELETE' }).then(
    () => true,
    () => false,
  );
  stopLive();
  sessionChanged();
  signedOut(isDone ? undefined : 'The service did not answer; the session ends after an hour without use.');
}

export function Shell(): VNode {
  const session = useSession();
  const place = usePlace();
  const [open, setOpen] = useState(false);
  const entry = PAGES.find(({ name }) => name === place.page);
  const page = entry !== undefined && mayOpen(entry, session) ? entry : undefined;
  const title = page?.title ?? 'Not found';
  const { component, hasFailed } = useLazy<{ readonly id: string }>(
    (place.id === undefined ? undefined : page?.item) ?? page?.component,
  );
  const address = `${place.page}/${place.id ?? ''}`;
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    setOpen(false);
    document.title = `${place.id === undefined ? title : `${place.id} · ${title}`} · Custos`;
  }, [address]);
  useEffect(() => {
    if (shown.current === address || (page !== undefined && component === undefined)) return;
    // On later pages the title takes the focus, so that a screen reader reads it.
    if (shown.current !== undefined) {
      forgetKept();
      document.getElementById('page-title')?.focus({ preventScroll: true });
    }
    shown.current = address;
  }, [address, component]);

  return html`<div class="shell">
    <a class="skip-link" href="#main">Skip to the content</a>
    <header class="side">
      <div class="side-head">
        <${Link} to=${href('')} class="brand" label="Custos, overview"><${Mark} /><span>Custos</span><//>
        <button type="button" class="button button-quiet menu-button" aria-expanded=${open} aria-controls="menu" onClick=${() => setOpen(!open)}>${open ? 'Close' : 'Menu'}</button>
      </div>
      <div id="menu" class=${open ? 'menu open' : 'menu'}>
        <nav aria-label="Pages">
          ${GROUPS.map((group) => {
            const pages = PAGES.filter((each) => each.group === group && mayOpen(each, session));
            if (pages.length === 0) return null;
            return html`<div class="menu-group" key=${group}><p class="menu-title" id=${`menu-${group}`}>${group}</p><ul aria-labelledby=${`menu-${group}`}>${pages.map((each) => html`<li key=${each.name}><${Link} to=${href(each.name)} current=${each === page} class="menu-link" onNear=${() => void each.component.load().catch(() => undefined)}>${each.title}<//></li>`)}</ul></div>`;
          })}
        </nav>
        <${Who} session=${session} />
      </div>
    </header>
    <main id="main" tabindex="-1">
      <${LiveBanner} />
      ${page === undefined ? html`<${NotFound} />` : component === undefined ? html`<${Opening} title=${title} hasFailed=${hasFailed} />` : html`<${component} key=${address} id=${place.id} />`}
    </main>
  </div>`;
}

function Who({ session }: { readonly session: SessionInfo }): VNode {
  const theme = useTheme();
  return html`<div class="who">
    <p class="who-name">${session.organisation} <${Badge} tone=${session.environment === 'live' ? 'info' : 'neutral'}>${session.environment}<//></p>
    <p class="muted">${session.keyName} <code>${session.keyId}</code></p>
    <div class="who-actions">
      <button type="button" class="button button-small" onClick=${nextTheme}>${theme === 'system' ? 'Auto' : theme === 'light' ? 'Light' : 'Dark'}<span class="visually-hidden"> theme; change</span></button>
      <a class="button button-small" href="/docs">API</a>
      <button type="button" class="button button-small" onClick=${signOut}>Sign out</button>
    </div>
  </div>`;
}

/** Banners on every page: a bound key, no live numbers, a halt. */
function LiveBanner(): VNode {
  const { agents } = useSession();
  const { live, trouble, since, isBack } = useLiveState();
  const overview = useLive<Overview>('overview');
  const halt = overview?.halt ?? undefined;
  return html`<div class="banners">
    ${agents !== null && html`<${Notice} tone="info" title=${`Your key is bound to ${count(agents, 'agent')}`}>Lists and approvals show only ${agents === 1 ? 'this agent' : 'these agents'}. The numbers of the overview count all agents.<//>`}
    <div role="status">${!live && html`<${Notice} tone="warn" title="Not live">The numbers may be out of date${since === undefined ? '' : html`: the last ones arrived at <${Time} at=${since} as="moment" />`}. ${trouble ?? 'The service does not answer.'} The page reconnects by itself.<//>`}${live && isBack && html`<${Notice} tone="good" title="Live again">The numbers are up to date again.<//>`}</div>
    <div role="status">${halt && html`<${Notice} tone="bad" title="Everything is halted: every verdict is DENY">${halt.reason} <span class="muted">Since <${Time} at=${halt.since} as="moment" />. DELETE /v1/halt ends the halt.</span><//>`}</div>
  </div>`;
}

/** In place of a page whose code is not loaded yet. */
function Opening({ title, hasFailed }: { readonly title: string; readonly hasFailed: boolean }): VNode {
  if (!hasFailed) return html`<${Loading} what=${`Opening ${title}`} />`;
  return html`<div class="error-state" role="alert">
    <p class="empty-title">This page could not be loaded</p>
    <p class="empty-text">The service does not answer, or it has been updated since this window was opened.</p>
    <p class="error-foot"><button type="button" class="button" onClick=${() => window.location.reload()}>Reload</button></p>
  </div>`;
}

function NotFound(): VNode {
  return html`<${PageHead} title="Not found" /><div class="card"><${Empty} title="There is no such page">Some pages need a live admin key of the operator's organisation. <${Link} to=${href('')}>Overview<//><//></div>`;
}
