const PARTS = 'section, aside, main';

function partsAround(element: Element | null): readonly Element[] {
  const parts: Element[] = [];
  for (let at = element?.closest(PARTS); at; at = at.parentElement?.closest(PARTS)) parts.push(at);
  return parts;
}

/** The entry of a menu is gone when what it opened is closed: the button of the menu stands for it. */
function openerOf(element: Element | null): Element | null {
  const button = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || element;
}

/** Focuses the heading of a part of the page, or the part itself. */
function focusPart(part: Element | null): void {
  const target = part?.querySelector('h1, h2, h3') ?? part;
  if (!(target instanceof HTMLElement)) return;
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

const content = () => document.getElementById('content');

/** Focuses the heading nearest to an element that is about to be removed. */
export const focusNear = (element: Element): void => focusPart(partsAround(element)[0] ?? content());

/** Focuses the content of the page, before the screen in it is there. A focus that has moved on stays. */
export function focusContent(): void {
  if (document.activeElement === document.body) content()?.focus({ preventScroll: true });
}

/**
 * Returns what gives the focus back to the element that has it now, after what took it is closed. If that element is gone, the heading nearest to where
 * it was has the focus. A focus that has moved on, out of what is `closed`, stays.
 */
export function focusReturn(): (closed?: Element | null) => void {
  const from = openerOf(document.activeElement);
  const around = partsAround(from);
  return (closed) => {
    const now = document.activeElement;
    if (now !== document.body && !closed?.contains(now)) return;
    if (from instanceof HTMLElement && from !== document.body && from.isConnected) from.focus();
    else focusPart(around.find((part) => part.isConnected) ?? content());
  };
}
