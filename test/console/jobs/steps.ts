import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];

/** An element by what a person sees of it. */
export interface Target {
  readonly role: Role;
  readonly name: string | RegExp;
  /** The part of the page that it is in. */
  readonly within?: Target;
}

/** What a person does: each is one step. Opening a field to choose in it is a part of the choice. */
export type Step =
  | { readonly does: 'click'; readonly target: Target }
  | { readonly does: 'choose'; readonly target: Target; readonly option: string }
  | { readonly does: 'fill'; readonly target: Target; readonly text: string };

type Where = readonly [role: Role, name: string | RegExp, within?: Target];

export const target = (...[role, name, within]: Where): Target => ({ role, name, ...(within && { within }) });

export const click = (...where: Where): Step => ({ does: 'click', target: target(...where) });

export const choose = (name: string | RegExp, option: string, within?: Target): Step => ({
  does: 'choose',
  option,
  target: target('combobox', name, within),
});

export const fill = (name: string | RegExp, text: string, within?: Target): Step => ({
  does: 'fill',
  text,
  target: target('textbox', name, within),
});

const SCREENS = target('navigation', 'Screens');

/** A link of the side bar. */
export const screen = (name: string): Step => click('link', name, SCREENS);

/** A group of the side bar, which opens with a press. */
export const group = (name: string): Step => click('button', name, SCREENS);

export const isInSideBar = ({ target: { within } }: Step): boolean => within === SCREENS;

export function locate(page: Page, { role, name, within }: Target): Locator {
  const area = within ? locate(page, within) : page;
  return area.getByRole(role, { name, exact: typeof name === 'string' });
}
