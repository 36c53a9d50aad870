import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More elements than any screen has before the one that is looked for. */
const TABS_MAX = 120;

/** Uses a page as somebody without a pointer does. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses keys one after the other, by the names that Playwright has for them. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  /** Types into the element that has the focus. */
  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  /** Presses Tab until the element has the focus. Fails if it cannot be reached, and if the focus cannot be seen. */
  async tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor();
    for (let count = 0; count < TABS_MAX; count++) {
      if (await isFocused(target)) return;
      await this.press(key);
    }
    expect.fail(`${target} cannot be reached with ${key}`);
  }

  /** Moves the focus there with Tab, and inside a list, a row of tabs or a menu, which has one tab stop, with the arrows. */
  async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let count = 0; count < TABS_MAX; count++) {
      const key = await keyTowards(target);
      if (key === null) return;
      await this.press(key);
    }
    expect.fail(`${target} cannot be reached with Tab and arrows`);
  }

  /** Moves the focus there with Tab, and presses Enter. */
  async activate(target: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
    await this.tabTo(target);
    await this.press(key);
  }

  /** Replaces the text of the field. */
  async fill(field: Locator, text: string): Promise<void> {
    await this.tabTo(field);
    await this.press('ControlOrMeta+a');
    await this.type(text);
  }
}

export function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement);
}

/** The key that brings the focus nearer to the element: null if it is there. */
function keyTowards(target: Locator): Promise<string | null> {
  return target.evaluate((element) => {
    const focused = element.ownerDocument.activeElement;
    if (focused === element) return null;
    // Tab goes to the one that is chosen.
    if (element.type === 'radio' && focused.name === element.name) return 'ArrowRight';
    const list = element.closest('[role=grid] [role=rowgroup]:has([data-row]), [role=tablist], [role=menu]');
    if (!list?.contains(focused)) return 'Tab';
    if (list.role === 'menu') return 'ArrowDown';
    if (list.role === 'tablist') return 'ArrowRight';
    const [from, to] = [focused.closest('[role=row]'), element.closest('[role=row]')];
    return from === to ? 'ArrowRight' : Number(from.dataset.row) < Number(to.dataset.row) ? 'ArrowDown' : 'ArrowUp';
  });
}
