import type { Locator, Page } from 'playwright-core';
import type { TestService } from '../../support/service.ts';

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

/** What a person does at an element: each is one step. Opening a field to choose in it is a part of the choice. */
export type Act =
  | { readonly does: 'click'; readonly target: Target }
  /** Presses the button, by keyboard with Ctrl Enter from where the focus is. */
  | { readonly does: 'submit'; readonly target: Target }
  /** `typed`: the part of the name that is typed; by keyboard, Tab then takes the highlighted match. */
  | { readonly does: 'choose'; readonly target: Target; readonly option: string; readonly typed?: string }
  | { readonly does: 'fill'; readonly target: Target; readonly text: string };

/** What is seen and known between the acts of a person. */
export interface Place {
  readonly page: Page;
  readonly service: TestService;
}

export type Step =
  | Act
  /** Back of the browser. */
  | { readonly does: 'back' }
  /** The key Enter where the focus is, which a keyboard on a screen has, too. */
  | { readonly does: 'enter' }
  /** Closes what floats above the page, such as a filter. */
  | { readonly does: 'close' }
  | { readonly does: 'see'; readonly target: Seen }
  | { readonly does: 'miss'; readonly target: Seen }
  /** Anything else: what others do meanwhile, and what the service has. */
  | { readonly does: 'also'; readonly what: (place: Place) => Promise<unknown> };

/** An element by its role and name, or by its text. */
type Seen = Target | { readonly text: string | RegExp; readonly within?: Target };

type Where = readonly [role: Role, name: Name, within?: Target];

/** A name that begins like this. */
export const like = (read: string): Pattern => ({ matches: new RegExp(`^${read}`), read });

const target = (...[role, name, within]: Where): Target => ({ role, name, ...(within && { within }) });

export const click = (...where: Where): Act => ({ does: 'click', target: target(...where) });

export const submit = (name: Name, within?: Target): Act => ({
  does: 'submit',
  target: target('button', name, within),
});

export const choose = (name: Name, option: string, within?: Target): Act => ({
  does: 'choose',
  option,
  target: target('combobox', name, within),
});

/** Types a part of the name, and takes the match. */
export const find = (name: Name, typed: string, option: string, within?: Target): Act => ({
  does: 'choose',
  typed,
  option,
  target: target('combobox', name, within),
});

export const fill = (name: Name, text: string, within?: Target): Act => ({
  does: 'fill',
  text,
  target: target('textbox', name, within),
});

/** Filters what is shown. */
export const filter = (name: string, text: string): Act => ({
  does: 'fill',
  text,
  target: target('searchbox', name),
});

export const BACK: Step = { does: 'back' };
export const ENTER: Step = { does: 'enter' };
export const CLOSE: Step = { does: 'close' };
export const see = (...where: Where): Step => ({ does: 'see', target: target(...where) });
export const miss = (...where: Where): Step => ({ does: 'miss', target: target(...where) });
export const read = (text: string | RegExp, within?: Target): Step => ({
  does: 'see',
  target: { text, ...(within && { within }) },
});
export const missText = (text: string | RegExp): Step => ({ does: 'miss', target: { text } });
export const also = (what: (place: Place) => Promise<unknown>): Step => ({ does: 'also', what });

const ANY: Pattern = { matches: /./, read: '' };
export const DIALOG = target('dialog', ANY);
export const PANEL = target('complementary', ANY);
export const environment = (name: string): Target => target('region', name);
export const item = (name: string): Target => target('listitem', name);

const SCREENS = target('navigation', 'Screens');

/** A link to a screen: of the side bar, or of the home screen on a phone. */
export const screen = (name: string): Act => click('link', name, SCREENS);

/** A group of the side bar, which opens with a press. */
export const group = (name: string): Act => click('button', name, SCREENS);

export const isInSideBar = ({ target: { within } }: Act): boolean => within === SCREENS;

export function locate(page: Page, seen: Seen): Locator {
  const area = seen.within ? locate(page, seen.within) : page;
  if ('text' in seen) return area.getByText(seen.text);
  const { role, name } = seen;
  return typeof name === 'string'
    ? area.getByRole(role, { name, exact: true })
    : area.getByRole(role, { name: name.matches });
}

/** The step as a person reads it. */
export function stepWords(step: Act): string {
  const { name } = step.target;
  const read = typeof name === 'string' ? name : name.read;
  if (step.does === 'fill') return `${read}: ${step.text}`;
  return step.does === 'choose' ? `${read}: ${step.option}` : `**${read}**`;
}
