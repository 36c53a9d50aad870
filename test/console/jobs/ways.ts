import type { Locator, Page } from 'playwright-core';
import { Keyboard } from '../support/keyboard.ts';
import { isInSideBar, locate, type Step } from './steps.ts';

/** How a person uses a page. */
export interface Way {
  press(target: Locator): Promise<void>;
  choose(field: Locator, option: Locator, text: string): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
}

function byPressing(press: (target: Locator) => Promise<void>): Way {
  return {
    press,
    choose: async (field, option) => {
      await press(field);
      await press(option);
    },
    fill: async (field, text) => {
      await press(field);
      await field.press('ControlOrMeta+a');
      await field.page().keyboard.type(text);
    },
  };
}

const byPointer = byPressing((target) => target.click());
const byTouch = byPressing((target) => target.tap());

const byKeyboard: Way = {
  press: async (target) => {
    const keyboard = new Keyboard(target.page());
    await keyboard.reach(target);
    const role = await target.evaluate((element) => element.getAttribute('role') ?? element.type);
    await keyboard.press(role === 'checkbox' || role === 'switch' ? 'Space' : 'Enter');
  },
  choose: async (field, option, text) => {
    const keyboard = new Keyboard(field.page());
    await keyboard.reach(field);
    const isTyped = await field.evaluate((element) => element.tagName === 'INPUT');
    if (!isTyped) await keyboard.press('Enter');
    else await keyboard.type(text);
    await option.waitFor();
    if (isTyped) await keyboard.press('ArrowDown');
    else await keyboard.type(text);
    await keyboard.press('Enter');
  },
  fill: async (field, text) => {
    const keyboard = new Keyboard(field.page());
    await keyboard.reach(field);
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(text);
  },
};

export const WAYS = { pointer: byPointer, keyboard: byKeyboard, touch: byTouch } as const;
export type WayName = keyof typeof WAYS;

/** Whether an open panel that does not contain the element is as wide as the window. */
const isCovered = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const panel = element.ownerDocument.querySelector('[data-inspector]');
    return (
      panel !== null &&
      panel.offsetWidth === element.ownerDocument.documentElement.clientWidth &&
      !panel.contains(element) &&
      !element.closest('[role=dialog]')
    );
  });

/** Does what the steps say, and returns how many steps it took: on a phone, the side bar opens and a panel closes with a step of its own. */
export async function walk(
  page: Page,
  way: Way,
  steps: readonly Step[],
  onStep: (step: Step) => Promise<void> = async () => undefined,
): Promise<number> {
  let count = 0;
  for (const step of steps) {
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    if (isInSideBar(step) && (await menu.isVisible()) && !(await locate(page, step.target).isVisible())) {
      await way.press(menu);
      count++;
    }
    const target = locate(page, step.target);
    await target.waitFor();
    // On a phone, a panel covers the page.
    if (await isCovered(target)) {
      await way.press(page.getByRole('complementary').last().getByRole('button', { name: 'Done' }));
      count++;
    }
    await onStep(step);
    if (step.does === 'click') await way.press(target);
    else if (step.does === 'fill') await way.fill(target, step.text);
    else await way.choose(target, page.getByRole('option', { name: step.option }).first(), step.option);
    count++;
  }
  return count;
}
