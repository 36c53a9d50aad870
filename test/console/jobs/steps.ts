import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];

/** A name that has more than what a person reads of it, such as a key or a number. */
interface Pattern {
  readonly matches: RegExp;
  readonly read: string;
}

type Name = string | Pattern;

/** An element by what a person sees of it. */
export interface Target {
  readonly role: Role;
  readonly name: Name;
  /** The part of the page that it is in. */
  readonly within?: Target;
}

/** What a person does: each is one step. Opening a field to choose in it is a part of the choice. */
export type Step =
  | { readonly does: 'click'; readonly target: Target }
  | { readonly does: 'choose'; readonly target: Target; readonly option: string }
  | { readonly does: 'fill'; readonly target: Target; readonly text: string };

type Where = readonly [role: Role, name: Name, within?: Target];

/** A name that begins like this. */
export const like = (read: string): Pattern => ({ matches: new RegExp(`^${read}`), read });

const target = (...[role, name, within]: Where): Target => ({ role, name, ...(within && { within }) });

export const click = (...where: Where): Step => ({ does: 'click', target: target(...where) });

export const choose = (name: Name, option: string, within?: Target): Step => ({
  does: 'choose',
  option,
  target: target('combobox', name, within),
});

export const fill = (name: Name, text: string, within?: Target): Step => ({
  does: 'fill',
  text,
  target: target('textbox', name, within),
});

const ANY: Pattern = { matches: /./, read: '' };
export const DIALOG = target('dialog', ANY);
export const PANEL = target('complementary', ANY);
export const environment = (name: string): Target => target('region', name);
export const item = (name: string): Target => target('listitem', name);

const SCREENS = target('navigation', 'Screens');

/** A link to a screen: of the side bar, or of the home screen on a phone. */
export const screen = (name: string): Step => click('link', name, SCREENS);

/** A group of the side bar, which opens with a press. */
export const group = (name: string): Step => click('button', name, SCREENS);

export const isInSideBar = ({ target: { within } }: Step): boolean => within === SCREENS;

export function locate(page: Page, { role, name, within }: Target): Locator {
  const area = within ? locate(page, within) : page;
  return typeof name === 'string'
    ? area.getByRole(role, { name, exact: true })
    : area.getByRole(role, { name: name.matches });
}

/** The step as a person reads it. */
export function stepWords(step: Step): string {
  const { name } = step.target;
  const read = typeof name === 'string' ? name : name.read;
  if (step.does === 'click') return `**${read}**`;
  return `${read}: ${step.does === 'fill' ? step.text : step.option}`;
}
