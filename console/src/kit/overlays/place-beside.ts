const GAP = 6;
const MARGIN = 8;

/** Places a fixed element below another, or above it where there is more space, and keeps it inside of the window. */
export function placeBeside(element: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const { width, height } = element.getBoundingClientRect();
  const fitsBelow = at.bottom + GAP + height + MARGIN <= innerHeight;
  const top = fitsBelow ? at.bottom + GAP : Math.max(MARGIN, at.top - GAP - height);
  const left = Math.min(
    Math.max(MARGIN, at.left + at.width / 2 - width / 2),
    Math.max(MARGIN, innerWidth - width - MARGIN),
  );
  element.style.top = `${top}px`;
  element.style.left = `${left}px`;
}
