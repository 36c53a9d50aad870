import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { Keyboard } from '../support/keyboard.ts';
import { type Act, isInSideBar, locate, type Place, type Step } from './steps.ts';

/** How a person uses a page. */
export interface Way {
  press(target: Locator): Promise<void>;
  submit(button: Locator): Promise<void>;
  /** Closes what floats above the page. */
  close(page: Page): Promise<void>;
  choose(field: Locator, option: Locator, text: string): Promise<void>;
  /** Types a part of the name of an option, and takes it. */
  find(field: Locator, option: Locator, typed: string): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
}

function byPressing(press: (target: Locator) => Promise<void>): Way {
  return {
    press,
    submit: press,
    close: (page) => press(page.getByRole('heading', { level: 1, includeHidden: true })),
    choose: async (field, option) => {
      await press(field);
      await press(option);
    },
    find: async (field, option, typed) => {
      await press(field);
      await field.page().keyboard.type(typed);
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
    // The arrows have chosen it.
    if (role === 'radio') return;
    await keyboard.press(role === 'checkbox' || role === 'switch' ? 'Space' : 'Enter');
  },
  submit: (button) => button.page().keyboard.press('ControlOrMeta+Enter'),
  close: (page) => page.keyboard.press('Escape'),
  find: async (field, option, typed) => {
    const keyboard = new Keyboard(field.page());
    await keyboard.reach(field);
    await keyboard.type(typed);
    await option.and(field.page().locator('[data-highlighted]')).waitFor();
    await keyboard.press('Tab');
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

/** Whether an open panel is in front of the element, as it is where the window is narrow. */
const isCovered = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => {
    const panel = element.ownerDocument.querySelector('[data-inspector]');
    return (
      panel !== null &&
      !panel.contains(element) &&
      panel.getBoundingClientRect().left < element.getBoundingClientRect().right &&
      !element.closest('[role=dialog]')
    );
  });

/** Does an act of a person at its element, and returns how many steps it took: on a phone, the side bar opens and a panel closes with a step of its own. */
async function act(page: Page, way: Way, step: Act, onAct: () => Promise<void>): Promise<number> {
  let count = 1;
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (isInSideBar(step) && (await menu.isVisible()) && !(await locate(page, step.target).isVisible())) {
    await way.press(menu);
    count++;
  }
  const target = locate(page, step.target);
  await target.waitFor();
  if (await isCovered(target)) {
    await way.press(page.getByRole('complementary').last().getByRole('button', { name: 'Done' }));
    count++;
  }
  await onAct();
  if (step.does === 'click') await way.press(target);
  else if (step.does === 'submit') await way.submit(target);
  else if (step.does === 'fill') await way.fill(target, step.text);
  else {
    const option = page.getByRole('option', { name: step.option }).first();
    if (step.typed === undefined) await way.choose(target, option, step.option);
    else await way.find(target, option, step.typed);
  }
  return count;
}

/** Does what the steps say, and returns how many steps of a person it took. `onAct` is called before each act, when its element is there. */
export async function walk(
  place: Place,
  way: Way,
  steps: readonly Step[],
  onAct: () => Promise<void> = async () => undefined,
): Promise<number> {
  const { page } = place;
  let count = 0;
  for (const step of steps) {
    if (step.does === 'see') await locate(page, step.target).first().waitFor();
    else if (step.does === 'miss') await expect.poll(() => locate(page, step.target).count()).toBe(0);
    else if (step.does === 'also') await step.what(place);
    else if (step.does === 'back') await page.goBack();
    else if (step.does === 'enter') await page.keyboard.press('Enter');
    else if (step.does === 'close') await way.close(page);
    else count += await act(page, way, step, onAct);
  }
  return count;
}
