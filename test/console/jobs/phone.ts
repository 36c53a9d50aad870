import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What a finger can press has at least this size. */
const TARGET_PX = 44;

/** Fails if the page scrolls to the side, or has targets that are too small for fingers. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const width = page.viewportSize()?.width;
  expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth), page.url()).toBe(width);
  expect(await page.evaluate(smallTargets, TARGET_PX), page.url()).toEqual([]);
}

/**
 * The elements that can be pressed and are smaller. A point counts if a press there reaches the element: the area around a control may be larger than
 * what is seen. Links within a sentence are as high as their line, as WCAG allows. It runs in the page.
 */
function smallTargets(min: number): string[] {
  const SELECTOR =
    'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option], [role=menuitem], [role=switch]';
  const isShown = (element: Element) =>
    (element as HTMLElement).checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** Whether a press at the point is a press of the element. */
  const reaches = (element: Element, x: number, y: number) => {
    const hit = document.elementFromPoint(x, y);
    if (hit === null) return false;
    if (element.contains(hit)) return true;
    const label = hit.closest('label');
    return label !== null && (label.contains(element) || (element.id !== '' && label.htmlFor === element.id));
  };
  const isInSentence = (element: Element) => {
    if (element.tagName !== 'A' || getComputedStyle(element).display !== 'inline') return false;
    const own = element.textContent?.trim().length ?? 0;
    return (element.parentElement?.textContent?.trim().length ?? 0) > own;
  };
  const small: string[] = [];
  for (const element of document.querySelectorAll(SELECTOR)) {
    if (!isShown(element) || isInSentence(element)) continue;
    element.scrollIntoView({ block: 'center', inline: 'nearest' });
    const box = element.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (!reaches(element, x, y)) continue;
    const extent = (dx: number, dy: number) => {
      let steps = 0;
      while (steps < min && reaches(element, x + dx * (steps + 1), y + dy * (steps + 1))) steps++;
      return steps;
    };
    const width = Math.max(box.width, extent(1, 0) + extent(-1, 0) + 1);
    const height = Math.max(Math.min(box.height, min), extent(0, 1) + extent(0, -1) + 1);
    if (width < min - 1 || height < min - 1) {
      const name = element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 30) ?? '';
      small.push(
        `${element.tagName.toLowerCase()}.${element.className} “${name}” ${Math.round(width)} × ${Math.round(height)}`,
      );
    }
  }
  return small;
}
