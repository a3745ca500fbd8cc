// The environment of the session: a coloured sign with its own icon and word, and the menu that switches it.
import { api, Problem } from './api.ts';
import { Menu } from './components/menu.ts';
import { toast } from './components/toast.ts';
import { html, type VNode } from './html.ts';
import { Icon, type IconName } from './icons.ts';
import { stopLive } from './live.ts';
import { mayOpen } from './page-access.ts';
import { PAGES } from './pages.ts';
import { href, navigate, placeNow } from './router.ts';
import { signedIn, useSession } from './session.ts';
import { sessionChanged } from './tabs.ts';
import type { SessionAnswer, SessionInfo } from './wire.ts';

type Environment = SessionInfo['environment'];

const ENVIRONMENTS: Readonly<Record<Environment, readonly [title: string, hint: string, icon: IconName]>> = {
  live: ['Live', 'Real agents and real consequences', 'radio'],
  test: ['Test', 'Trying policies and clients', 'flask-conical'],
  dev: ['Dev', 'For development', 'code-xml'],
};

/** Lets the session act in another environment. The page stays, unless it does not exist there. */
export async function switchEnvironment(environment: Environment): Promise<void> {
  // The switch ends the stream of the old session, which is no end of the session.
  stopLive();
  try {
    const { session } = await api<SessionAnswer>('/session/environment', { body: { environment } });
    if (session === null) return;
    signedIn(session);
    sessionChanged();
    // Items and some pages exist only in the environment that is left.
    const { page: name, id } = placeNow();
    const page = PAGES.find((each) => each.name === name);
    const isThere = page !== undefined && mayOpen(page, session);
    if (id !== undefined || !isThere) navigate(href(isThere ? name : ''));
  } catch (error) {
    toast(error instanceof Problem ? error.message : String(error));
  }
}

/** The title of an environment, as on its sign. */
export const environmentTitle = (environment: Environment): string => ENVIRONMENTS[environment][0];

export function EnvironmentSwitch(): VNode {
  const { environment, environments, organisation } = useSession();
  const [title, , icon] = ENVIRONMENTS[environment];
  const sign = html`<span class="environment-icon"><${Icon} name=${icon} size=${18} /></span><span class="environment-text"><bdi>${organisation}</bdi><strong>${title}</strong></span>`;
  const name = `environment environment-${environment}`;
  if (environments.length < 2) return html`<div class=${name}>${sign}</div>`;
  const items = environments.map((each) => ({
    text: ENVIRONMENTS[each][0],
    hint: ENVIRONMENTS[each][1],
    isChosen: each === environment,
    onPick: () => void (each === environment ? undefined : switchEnvironment(each)),
  }));
  return html`<${Menu} label="Environment" class=${name} items=${items}>${sign}<${Icon} name="chevrons-up-down" /><//>`;
}
