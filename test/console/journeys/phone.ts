import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The window of a phone. */
export const PHONE = { width: 390, height: 844, hasTouch: true, isMobile: true } as const;

/** What a finger can press has at least this size. */
const TARGET_PX = 44;

/** Fails if the page scrolls to the side, or has targets that are too small for fingers. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const width = page.viewportSize()?.width;
  expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth), page.url()).toBe(width);
  expect(await page.evaluate(SMALL_TARGETS), page.url()).toEqual([]);
}

/**
 * Names the elements that can be pressed and are smaller. A point counts if a press there reaches the element: the area around a control may be larger
 * than what is seen. Links within a sentence are as high as their line, as WCAG allows. It runs in the page.
 */
const SMALL_TARGETS = `(() => {
  const min = ${TARGET_PX};
  const all = 'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem]';
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const reaches = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    if (hit === null) return false;
    if (element.contains(hit)) return true;
    const label = hit.closest('label');
    return label !== null && label.control === element;
  };
  const lengthOf = (element) => element?.textContent.trim().length ?? 0;
  const isInSentence = (element) =>
    element.tagName === 'A' &&
    getComputedStyle(element).display === 'inline' &&
    lengthOf(element.parentElement) > lengthOf(element);
  const reach = (element, x, y, dx, dy) => {
    let px = 0;
    while (px < min && reaches(element, x + dx * (px + 1), y + dy * (px + 1))) px++;
    return px;
  };
  // The check scrolls, and the page is afterwards as the person left it.
  const places = [...document.querySelectorAll('*')]
    .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth || scrollHeight > clientHeight)
    .map((element) => [element, element.scrollLeft, element.scrollTop]);
  const small = [...document.querySelectorAll(all)].flatMap((element) => {
    if (!isShown(element) || isInSentence(element)) return [];
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    // Of a control that is not shown, its label is pressed.
    const own = element.getBoundingClientRect();
    const box = own.width > 1 ? own : (element.labels?.[0] ?? element).getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    // Something is in front of it, such as a dialog.
    if (!reaches(element, x, y)) return [];
    // Most are: only for the others it is measured how far a press reaches them.
    const half = min / 2 - 1;
    if (box.width >= min - 1 && reaches(element, x, y - half) && reaches(element, x, y + half)) return [];
    const width = Math.max(box.width, reach(element, x, y, 1, 0) + reach(element, x, y, -1, 0) + 1);
    const height = reach(element, x, y, 0, 1) + reach(element, x, y, 0, -1) + 1;
    if (width >= min - 1 && height >= min - 1) return [];
    const name = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 30);
    const beside = [[0, -min / 2], [0, min / 2], [-min / 2, 0], [min / 2, 0]]
      .map(([dx, dy]) => document.elementFromPoint(x + dx, y + dy))
      .filter((hit) => hit !== null && !element.contains(hit) && !hit.contains(element));
    const isUnder = (hit) => hit.closest('[role=menu], [role=listbox], [role=dialog]')?.contains(element) === false;
    if (beside.some(isUnder)) return [];
    const covered = beside.map((hit) => hit.tagName + ' “' + hit.textContent.trim().slice(0, 30) + '”').join(', ');
    return [element.tagName + ' “' + name + '” ' + Math.round(width) + ' × ' + Math.round(height) + ' ' + covered];
  });
  for (const [element, left, top] of places) element.scrollTo({ left, top, behavior: 'instant' });
  return small;
})()`;
