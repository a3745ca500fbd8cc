// Dashboard pages in tests: opens them, takes screenshots, and checks accessibility and layout in two window sizes.
import { expect } from 'chai';
import { accessibilityProblems, openDashboard, visit, type Visit } from './browser.ts';
import type { Service } from './service.ts';

/** The folder for screenshots. Without it none are taken. */
const PICTURES = process.env['CUSTOS_TEST_PICTURES'];

export type Scheme = 'light' | 'dark';
/** A wide window with the light theme, and a narrow one with the dark theme. */
const WINDOWS: readonly (readonly [width: number, scheme: Scheme])[] = [
  [1440, 'light'],
  [390, 'dark'],
];

export interface Pages {
  /** Goes to a page of the dashboard, such as `/keys`. */
  go(path: string): Promise<void>;
  /** Goes to a page and waits until it has loaded. */
  open(path: string): Promise<void>;
  heading(name: string | RegExp): Promise<void>;
  picture(name: string): Promise<void>;
  resize(width: number, scheme: Scheme): Promise<void>;
  /** Expects that the current page has no accessibility problem and fits the window. */
  fits(name: string, width: number): Promise<void>;
  /** Checks the same in both windows, and ends with the wide one. */
  looks(name: string): Promise<void>;
}

function pagesOf(seen: Visit, baseUrl: string): Pages {
  const { page } = seen;
  const pages: Pages = {
    go: async (path) => void (await page.goto(`${baseUrl}/dashboard${path}`)),
    async open(path) {
      await pages.go(path);
      await page.locator('main h1').waitFor();
    },
    heading: (name) => page.getByRole('heading', { name, level: 1 }).waitFor(),
    async picture(name) {
      if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
    },
    async resize(width, scheme) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
    },
    async fits(name, width) {
      expect(await accessibilityProblems(page), `${name} ${width}`).to.deep.equal([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).to.be.at.most(width);
    },
    async looks(name) {
      for (const [width, scheme] of WINDOWS) {
        await pages.resize(width, scheme);
        await pages.fits(name, width);
        await pages.picture(`${name}-${width}-${scheme}`);
      }
      await pages.resize(1440, 'light');
    },
  };
  return pages;
}

/** Opens a window without cookies, signs in with the service's admin key and goes to a page of the dashboard. */
export async function visitDashboard(
  { ingress, adminKey }: Pick<Service, 'ingress' | 'adminKey'>,
  path?: string,
): Promise<{ readonly seen: Visit; readonly pages: Pages }> {
  const seen = await visit();
  await openDashboard(seen.page, ingress.address, adminKey, path);
  return { seen, pages: pagesOf(seen, ingress.address) };
}
