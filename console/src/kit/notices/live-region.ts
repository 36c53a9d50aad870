/** One text that screen readers read when it changes, politely. LiveRegion shows it to them. */
let current = '';
const listeners = new Set<() => void>();

/** Reads a text out, after what is being read. The same text twice is read twice. */
export function announce(text: string): void {
  current = current === text ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

export function subscribeToAnnouncements(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function announced(): string {
  return current;
}
