// Pages of the dashboard as tests look at them: opened, pictured, and held to be fit for everybody in both windows.
import { expect } from 'chai';
import { accessibilityProblems, type Visit } from './browser.ts';

/** Says where pictures of the pages go, for people who want to see them; without it none are made. */
const PICTURES = process.env['CUSTOS_TEST_PICTURES'];

export type Scheme = 'light' | 'dark';
/** Wide in the light, narrow in the dark. */
export const WINDOWS: readonly (readonly [width: number, scheme: Scheme])[] = [
  [1440, 'light'],
  [390, 'dark'],
];

export interface Pages {
  /** Goes to a page of the dashboard, such as `/keys`. */
  go(path: string): Promise<void>;
  /** Goes there and waits until it shows what it is. */
  open(path: string): Promise<void>;
  heading(name: string | RegExp): Promise<void>;
  picture(name: string): Promise<void>;
  resize(width: number, scheme: Scheme): Promise<void>;
  /** Expects the page as it is to have no accessibility problem and to fit the window. */
  fits(name: string, width: number): Promise<void>;
  /** Expects the page to do so in both windows; leaves it in the wide one. */
  looks(name: string): Promise<void>;
}

export function pagesOf(seen: Visit, baseUrl: string): Pages {
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
