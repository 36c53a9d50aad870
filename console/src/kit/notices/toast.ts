import { announce } from './live-region.ts';

export interface Toast {
  readonly text: string;
  readonly tone?: 'good' | 'bad' | 'neutral';
  /** Such as undo. What it does must also be reachable where it is not hurried. */
  readonly action?: { readonly label: string; readonly onSelect: () => void };
  /** It stays until it is dismissed, as errors do. */
  readonly isKept?: boolean;
  /** The address of the page that it is about: it is closed there. */
  readonly about?: string;
}

export interface ShownToast extends Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad' | 'neutral';
  /** Undefined: until it is dismissed. */
  readonly lastsMs: number | undefined;
}

const LASTS_MS = 5000;
/** Undo is offered for ten seconds. */
const LASTS_WITH_ACTION_MS = 10_000;
const SHOWN_MAX = 3;

let shown: readonly ShownToast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly ShownToast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Shows a notice and reads it out. The oldest is dropped when there are more than three. */
export function toast({ text, tone = 'neutral', action, about, isKept = tone === 'bad' }: Toast): void {
  lastId++;
  const lastsMs = isKept ? undefined : action ? LASTS_WITH_ACTION_MS : LASTS_MS;
  show([...shown, { id: lastId, text, tone, action, lastsMs, ...(about && { about }) }].slice(-SHOWN_MAX));
  announce(text);
}

export function dismissToast(id: number): void {
  show(shown.filter((each) => each.id !== id));
}

export function dismissToastsAbout(address: string): void {
  if (shown.some(({ about }) => about === address)) show(shown.filter(({ about }) => about !== address));
}

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function shownToasts(): readonly ShownToast[] {
  return shown;
}
