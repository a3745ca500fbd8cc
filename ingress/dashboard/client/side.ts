// The side of every page: the environment, the search, the menu with icons and counts, and who is signed in.
import { badgesOf, shortCount } from './badges.ts';
import { HaltButton } from './components/halt.ts';
import { Mark } from './components/mark.ts';
import { EnvironmentSwitch } from './environment.ts';
import { html, useMemo, useState, type VNode } from './html.ts';
import { Icon } from './icons.ts';
import { useLive } from './live.ts';
import { mayOpen } from './page-access.ts';
import { GROUPS, type PageEntry, PAGES } from './pages.ts';
import { href, Link } from './router.ts';
import { useSession } from './session.ts';
import { signOut } from './sign-out.ts';
import { chooseTheme, THEMES, useTheme } from './theme.ts';
import type { WaitingApprovals } from './wire.ts';
import type { Overview } from './wire/overview.ts';

export interface SideProps {
  readonly current: PageEntry | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

export function Side({ current, isOpen, onToggle, openPalette, openHelp }: SideProps): VNode {
  return html`<header class="side">
    <${Link} to=${href('')} class="brand" label="Custos, overview"><${Mark} /><span>Custos</span><//>
    <${EnvironmentSwitch} />
    <button type="button" class="button button-quiet menu-button" aria-expanded=${isOpen} aria-controls="menu" onClick=${onToggle}><${Icon} name=${isOpen ? 'x' : 'menu'} /> ${isOpen ? 'Close' : 'Menu'}</button>
    <div id="menu" class=${isOpen ? 'menu open' : 'menu'}>
      <button type="button" class="search-button" aria-keyshortcuts="Control+K Meta+K" onClick=${openPalette}><${Icon} name="search" /><span>Search…</span><kbd aria-hidden="true">${SEARCH_KEYS}</kbd></button>
      <${Navigation} current=${current} />
      <${Who} openHelp=${openHelp} />
    </div>
  </header>`;
}

const SEARCH_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

function Navigation({ current }: Pick<SideProps, 'current'>): VNode {
  const session = useSession();
  const overview = useLive<Overview>('overview');
  const approvals = useLive<WaitingApprovals>('approvals');
  const badges = useMemo(() => badgesOf(overview, approvals), [overview, approvals]);
  const link = (page: PageEntry): VNode => {
    const badge = badges.get(page.name);
    const id = `menu-badge-${page.name}`;
    const load = (): void => void page.component.load().catch(() => undefined);
    return html`<li key=${page.name}><${Link} to=${href(page.name)} current=${page === current} class="menu-link" describedBy=${badge && id} onNear=${load}><${Icon} name=${page.icon} size=${17} />${page.title}<//>${badge && html`<span class=${`menu-badge tone-${badge.tone}`} id=${id}><span aria-hidden="true">${shortCount(badge.count)}</span><span class="visually-hidden">${badge.text}</span></span>`}</li>`;
  };
  return html`<nav aria-label="Pages">${GROUPS.map((group) => {
    const pages = PAGES.filter((each) => each.group === group && mayOpen(each, session));
    if (pages.length === 0) return null;
    return html`<div class="menu-group" key=${group}><p class="menu-title" id=${`menu-${group}`}>${group}</p><ul aria-labelledby=${`menu-${group}`}>${pages.map(link)}</ul></div>`;
  })}</nav>`;
}

function Who({ openHelp }: Pick<SideProps, 'openHelp'>): VNode {
  const session = useSession();
  const theme = useTheme();
  const [isLeaving, setLeaving] = useState(false);
  const leave = (): void => {
    setLeaving(true);
    void signOut();
  };
  return html`<div class="who">
    <${HaltButton} />
    <label class="theme-choice"><${Icon} name="sun-moon" /> Theme <select value=${theme} onChange=${({ currentTarget }: Event) => chooseTheme((currentTarget as HTMLSelectElement).value)}>${THEMES.map(([value, title]) => html`<option value=${value} selected=${value === theme}>${title}</option>`)}</select></label>
    <div class="who-links">
      <a href="/docs"><${Icon} name="book-open" /> API reference</a>
      <button type="button" class="link-button" onClick=${openHelp}><${Icon} name="keyboard" /> Shortcuts</button>
    </div>
    <div class="who-key">
      <div class="who-name"><bdi>${session.keyName}</bdi><code class="muted">${session.keyId}</code></div>
      <button type="button" class="button button-small" disabled=${isLeaving} onClick=${leave}><${Icon} name="log-out" size=${14} /> Sign out</button>
    </div>
  </div>`;
}
