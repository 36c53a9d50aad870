import type { KeyboardEvent } from 'react';

/** Saves by Ctrl Enter or ⌘ Enter from anywhere in a dialog or a panel. */
export function saveByKey(event: KeyboardEvent, isBlocked: boolean, save: () => void): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || isBlocked) return;
  event.preventDefault();
  save();
}
