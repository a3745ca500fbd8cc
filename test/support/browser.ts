// A real browser for tests: one for the whole run, started on first use. Pages record their requests and their console errors.
import { accessSync, constants, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { atEnd } from './cleanup.ts';

/** The first that is installed is used. The shell has no window: the tests take a quarter less processor time with it. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const named = process.env['CUSTOS_TEST_CHROMIUM'];
const CHROMIUM = (named === undefined ? CHROMIUMS : [named]).find(isProgram);
// Flags that stop the browser from sending requests of its own.
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium obeys the last such list: this is Playwright's, and the suggestions of the address bar. Those are two pages of their own,
  // which take four fifths of the processor time of opening a window.
  `--disable-features=${[
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'HttpsUpgrades',
    'HttpsFirstBalancedModeAutoEnable',
    'LensOverlay',
    'MediaRouter',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'AvoidCorsURLLoaderRestartOnRedirect',
    'OptimizationHints',
    'NetworkTimeServiceQuerying',
    'AimEnabled',
    'PreconnectToSearch',
    // A process that waits for the next page: each window has its own.
    'SpareRendererForSitePerProcess',
    'WebUIOmniboxAimPopup',
    'WebUIOmniboxPopup',
  ].join()}`,
];

/** Why no browser is available, and how to install one; undefined if there is one. For describeUnless. */
export function browserMissing(): string | undefined {
  if (CHROMIUM !== undefined) return undefined;
  const missing = named ?? CHROMIUMS.join(' nor ');
  return `there is no ${missing}; install one (Debian: apt-get install chromium-headless-shell) or name another with CUSTOS_TEST_CHROMIUM`;
}

let starting: Promise<Browser> | undefined;

function launch(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error(browserMissing());
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/** The shared browser of this run. */
export function startBrowser(): Promise<Browser> {
  starting ??= launch().then((browser) => {
    atEnd(() => browser.close());
    return browser;
  });
  return starting;
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of all requests so far. */
  readonly requests: string[];
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface VisitOptions {
  /** Default: 1440 */
  readonly width?: number;
  /** Default: 900 */
  readonly height?: number;
  /** Default: light */
  readonly colorScheme?: 'light' | 'dark';
}

/** Opens a window without cookies. */
export async function visit({ width = 1440, height = 900, colorScheme = 'light' }: VisitOptions = {}): Promise<Visit> {
  const browser = await startBrowser();
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, requests, complaints, close: () => context.close() };
}

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Accessibility violations that axe-core finds on the page (WCAG 2 A and AA, and its best practices), one sentence each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Rows are dimmed while their list is reloaded, which would be a contrast violation.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  // The script is injected by the debugger, because the page's content security policy would block it.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE);
  return page.evaluate(async () => {
    // axe-core has defined this global.
    const { axe, requestAnimationFrame } = globalThis as unknown as {
      requestAnimationFrame(next: (value: unknown) => void): number;
      axe: {
        run(options: object): Promise<{
          violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
        }>;
      };
    };
    // Wait until a change of theme or width is painted. A half-painted page would give false findings.
    for (let frame = 0; frame < 5; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(
      ({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.map((n) => `${n.html} (${n.failureSummary ?? ''})`).join('; ')}`,
    );
  });
}

/** Hosts other than the service's own to which the page sent requests. */
export function foreignRequests({ requests }: Pick<Visit, 'requests'>, baseUrl: string): string[] {
  return requests.filter((url) => !url.startsWith(`${baseUrl}/`) && !url.startsWith('data:'));
}

/** Signs out and waits for the end of the session. Leaving the page earlier would leave the session open. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Admin key').waitFor();
}

/** Opens a page of the dashboard and signs in with a key. */
export async function openDashboard(page: Page, baseUrl: string, key: string, path = ''): Promise<void> {
  await page.goto(`${baseUrl}/dashboard${path}`);
  await page.getByLabel('Admin key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('nav[aria-label="Pages"]').waitFor({ state: 'attached' });
}
