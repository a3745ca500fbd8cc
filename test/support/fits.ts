// What a window of some width cuts off a page of the dashboard: found in the browser, by the boxes of the elements.
import type { Page } from 'playwright-core';

/**
 * The page itself, if it is wider than the window; elements whose content is wider than they are, where it is hidden without an ellipsis; and
 * tables that have to be scrolled sideways. Texts for screen readers count nowhere.
 */
const CUT = `(() => {
  const { scrollWidth } = document.documentElement;
  const hidden = [...document.querySelectorAll('.visually-hidden')];
  for (const each of hidden) each.style.display = 'none';
  const named = (each) => each.tagName.toLowerCase() + '.' + each.className + ' "' + each.textContent.trim().slice(0, 40) + '" is ' + (each.scrollWidth - each.clientWidth) + ' px too wide';
  const isWide = (each) => each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1 && each.checkVisibility({ visibilityProperty: true });
  const cut = [...document.querySelectorAll('body *')].filter(isWide).filter((each) => {
    const { overflowX, textOverflow } = getComputedStyle(each);
    if (each.matches('.table-scroll')) return true;
    // Only the number of the level is shown there.
    if (each.matches('.decisions-table .trust')) return false;
    return (overflowX === 'hidden' || overflowX === 'clip') && textOverflow !== 'ellipsis' && !each.matches('input, select');
  });
  for (const each of hidden) each.style.display = '';
  return [...(scrollWidth > innerWidth ? ['the page is ' + scrollWidth + ' wide'] : []), ...cut.map(named)];
})()`;

/** In how many frames a page must have taken its shape. */
const MOST_FRAMES = 60;

/** @returns what is cut off at this width, in words; empty: nothing */
export async function cutAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 });
  // Charts are painted again, and tables folded, after a change of size: on a busy machine some frames later.
  return page.evaluate<string[]>(`(async () => {
    let cut;
    for (let frame = 0; frame < ${MOST_FRAMES} && cut?.length !== 0; frame += 1) {
      await new Promise(requestAnimationFrame);
      cut = ${CUT};
    }
    return cut;
  })()`);
}
