// The frame around every page: the menu, the session, and banners such as "not live".
import { type Command, useCommands } from './commands.ts';
import { HaltBanner, HaltDialogs } from './components/halt.ts';
import { useListOnPage } from './components/table.ts';
import { Toasts } from './components/toast.ts';
import { environmentTitle, switchEnvironment } from './environment.ts';
import { count, named } from './format.ts';
import { html, useEffect, useMemo, useRef, useState, type VNode } from './html.ts';
import { useLazy } from './lazy.ts';
import { useLiveState } from './live.ts';
import { mayOpen } from './page-access.ts';
import { PAGES } from './pages.ts';
import { Palette } from './palette.ts';
import { remember } from './recent.ts';
import { href, Link, usePlace } from './router.ts';
import { forgetKept, useSession } from './session.ts';
import { signOut } from './sign-out.ts';
import { useShortcuts } from './shortcuts.ts';
import { ShortcutHelp } from './shortcut-help.ts';
import { Side } from './side.ts';
import { chooseTheme, THEMES } from './theme.ts';
import { Empty, Loading, Notice, PageHead, Time } from './ui.ts';

export function Shell(): VNode {
  const session = useSession();
  const place = usePlace();
  const [open, setOpen] = useState(false);
  const [opened, setOpened] = useState<'palette' | 'help' | undefined>(undefined);
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
    const environment = session.environment === 'live' ? '' : ` · ${environmentTitle(session.environment)}`;
    document.title = `${place.id === undefined ? title : `${named(place.id)} · ${title}`} · Custos${environment}`;
    if (place.id !== undefined && page !== undefined) remember({ page: place.page, id: place.id });
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

  useShortcuts({ openPalette: () => setOpened('palette'), openHelp: () => setOpened('help') });
  useActions(() => setOpened('help'));
  const close = (): void => setOpened(undefined);
  const hasList = useListOnPage();

  return html`<div class=${`shell shell-${session.environment}`}>
    <a class="skip-link" href="#main">Skip to the content</a>
    ${hasList && html`<a class="skip-link" href="#list">Skip to the list</a>`}
    <${Side} current=${page} isOpen=${open} onToggle=${() => setOpen(!open)} openPalette=${() => setOpened('palette')} openHelp=${() => setOpened('help')} />
    <main id="main" tabindex="-1">
      <${LiveBanner} />
      ${page === undefined ? html`<${NotFound} />` : component === undefined ? html`<${Opening} title=${title} hasFailed=${hasFailed} />` : html`<${component} key=${address} id=${place.id} />`}
    </main>
    ${opened === 'palette' && html`<${Palette} onClose=${close} />`}
    ${opened === 'help' && html`<${ShortcutHelp} onClose=${close} />`}
    <${HaltDialogs} />
    <${Toasts} />
  </div>`;
}

/** The palette's actions of the frame itself. */
function useActions(openHelp: () => void): void {
  const { environment, environments } = useSession();
  const commands = useMemo<readonly Command[]>(
    () => [
      ...THEMES.map(
        ([value, title]): Command => ({
          id: `theme ${value}`,
          title: `Theme: ${title}`,
          words: 'colour color appearance dark light mode',
          group: 'Actions',
          icon: 'sun-moon',
          run: () => chooseTheme(value),
        }),
      ),
      ...environments
        .filter((each) => each !== environment)
        .map(
          (each): Command => ({
            id: `environment ${each}`,
            title: `Switch to ${environmentTitle(each)}`,
            words: 'environment',
            group: 'Actions',
            icon: 'chevrons-up-down',
            run: () => void switchEnvironment(each),
          }),
        ),
      { id: 'shortcuts', title: 'Keyboard shortcuts', group: 'Actions', icon: 'keyboard', run: openHelp },
      {
        id: 'api',
        title: 'API reference',
        words: 'docs documentation openapi',
        group: 'Actions',
        icon: 'book-open',
        run: () => window.location.assign('/docs'),
      },
      {
        id: 'sign-out',
        title: 'Sign out',
        words: 'log out logout',
        group: 'Actions',
        icon: 'log-out',
        run: () => void signOut(),
      },
    ],
    [environment],
  );
  useCommands(commands);
}

/** Banners on every page: a bound key, no live numbers, a halt. */
function LiveBanner(): VNode {
  const { bound } = useSession();
  const agents = bound?.agentIds.length;
  const { live, trouble, since, isBack } = useLiveState();
  return html`<div class="banners">
    ${agents !== undefined && html`<${Notice} tone="info" title=${`Your key is bound to ${count(agents, 'agent')}`}>The pages show and count only ${agents === 1 ? 'this agent' : 'these agents'} and what ${agents === 1 ? 'it asks' : 'they ask'} for.<//>`}
    <div role="status">${!live && html`<${Notice} tone="warn" title="Not live">The numbers may be out of date${since === undefined ? '' : html`: the last ones arrived at <${Time} at=${since} as="moment" />`}. ${trouble ?? 'The service does not answer.'} The page reconnects by itself.<//>`}${live && isBack && html`<${Notice} tone="good" title="Live again">The numbers are up to date again.<//>`}</div>
    <${HaltBanner} />
  </div>`;
}

/** In place of a page whose code is not loaded yet. */
function Opening({ title, hasFailed }: { readonly title: string; readonly hasFailed: boolean }): VNode {
  if (!hasFailed) return html`<${Loading} what=${`Opening ${title}`} />`;
  return html`<${PageHead} title=${title} /><div class="error-state" role="alert">
    <p class="empty-title">This page could not be loaded</p>
    <p class="empty-text">The service does not answer, or it has been updated since this window was opened. This is tried again every few seconds.</p>
    <p class="error-foot"><button type="button" class="button" onClick=${() => window.location.reload()}>Reload</button></p>
  </div>`;
}

function NotFound(): VNode {
  return html`<${PageHead} title="Not found" /><div class="card"><${Empty} title="There is no such page">Some pages need a live admin key of the operator's organisation that is bound to no agents. <${Link} to=${href('')}>Overview<//><//></div>`;
}
