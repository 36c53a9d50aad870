import { type Conflict, mergeSettings } from '../domain/merge.ts';
import type { EnvironmentSettings } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import type { Target } from './save.ts';
import { createStore, useStore } from './store.ts';

/** What a person changed and did not save yet. It is outside of the screens, so that it stays while they look elsewhere. */
export interface Draft {
  readonly target: Target;
  /** The saved state that the draft began with, or was combined with since. */
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  readonly conflicts: readonly Conflict[];
  /** It is being saved: what is read meanwhile has a part of it already, or all of it. */
  readonly isHeld?: boolean;
}

const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

const keyOf = ({ project, feature, environment }: Target) => `${project}/${feature}/${environment}`;

function put(key: string, draft: Draft | null): void {
  drafts.set((before) => {
    const after = new Map(before);
    if (draft === null) after.delete(key);
    else after.set(key, draft);
    return after;
  });
}

export const useDrafts = () => useStore(drafts);
export const useDraft = (target: Target): Draft | undefined => useStore(drafts).get(keyOf(target));

/** Changes the draft, or begins one on the saved settings. A draft that equals the saved settings ends. */
export function edit(
  target: Target,
  saved: EnvironmentSettings,
  change: (settings: EnvironmentSettings) => EnvironmentSettings,
): void {
  const key = keyOf(target);
  const draft = drafts.get().get(key) ?? { target, base: saved, mine: saved, conflicts: [] };
  const mine = change(draft.mine);
  put(key, same(mine, draft.base) && draft.conflicts.length === 0 ? null : { ...draft, mine });
}

export const discard = (target: Target) => put(keyOf(target), null);

function setHeld(target: Target, isHeld: boolean): void {
  const key = keyOf(target);
  const draft = drafts.get().get(key);
  if (draft) put(key, { ...draft, isHeld });
}

/** Keeps the draft as it is while it is saved: it is shown until the saved settings are there. */
export const hold = (target: Target) => setHeld(target, true);
export const release = (target: Target) => setHeld(target, false);

/** Combines the draft with what others saved. Fields that both changed become conflicts. */
export function rebase(target: Target, saved: EnvironmentSettings): void {
  const key = keyOf(target);
  const draft = drafts.get().get(key);
  if (!draft || draft.isHeld || same(draft.base, saved)) return;
  const { value, conflicts } = mergeSettings(draft.base, draft.mine, saved);
  const isSaved = same(value, saved) && conflicts.length === 0;
  put(key, isSaved ? null : { target, base: saved, mine: value, conflicts: [...draft.conflicts, ...conflicts] });
}

/** Sets the draft after a decision about its conflicts. */
export function resolve(target: Target, mine: EnvironmentSettings, conflicts: readonly Conflict[]): void {
  const key = keyOf(target);
  const draft = drafts.get().get(key);
  if (draft) put(key, { ...draft, mine, conflicts });
}

/** Warns before the page is left with drafts. */
window.addEventListener('beforeunload', (event) => {
  if (drafts.get().size > 0) event.preventDefault();
});
