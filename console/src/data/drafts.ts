import { useMemo } from 'react';
import { type Conflict, mergeSettings } from '../domain/merge.ts';
import { type EnvironmentSettings, isSettings } from '../domain/model.ts';
import { same } from '../domain/same.ts';
import { forget, keep, keptField, useKeptForms } from './kept.ts';
import type { Target } from './save.ts';
import { createStore, useStore } from './store.ts';

/** What a person changed in an environment of a flag and did not save yet. */
export interface Draft {
  readonly target: Target;
  /** The saved state that the draft began with, or was combined with since. */
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  readonly conflicts: readonly Conflict[];
}

const FORM = 'draft ';
const FIELD = 'draft';
/** Drafts that are being saved: what is read meanwhile has a part of them already, or all of it. */
const held = createStore<ReadonlySet<string>>(new Set());

export const formOfDraft = ({ project, feature, environment }: Target) => `${FORM}${project}/${feature}/${environment}`;

/** Another version may have kept it. */
function draftOf(form: string): Draft | undefined {
  const { target, base, mine, conflicts } = (keptField(form, FIELD) ?? {}) as Partial<Draft>;
  if (!target || !isSettings(base) || !isSettings(mine) || !Array.isArray(conflicts)) return undefined;
  return keptField(form, FIELD) as Draft;
}

export function useDraft(target: Target): Draft | undefined {
  const kept = useKeptForms();
  const form = formOfDraft(target);
  const fields = kept.get(form)?.fields;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields are what is read.
  return useMemo(() => draftOf(form), [form, fields]);
}

export function useDrafts(): readonly Draft[] {
  const kept = useKeptForms();
  return useMemo(
    () => [...kept.keys()].flatMap((form) => (form.startsWith(FORM) ? (draftOf(form) ?? []) : [])),
    [kept],
  );
}

/** Changes the draft, or begins one on the saved settings. A draft that equals the saved settings ends. */
export function edit(
  target: Target,
  saved: EnvironmentSettings,
  change: (settings: EnvironmentSettings) => EnvironmentSettings,
): void {
  const form = formOfDraft(target);
  const draft = draftOf(form) ?? { target, base: saved, mine: saved, conflicts: [] };
  const mine = change(draft.mine);
  const isSaved = same(mine, draft.base) && draft.conflicts.length === 0;
  keep(form, FIELD, isSaved ? undefined : { ...draft, mine });
}

function setHeld(target: Target, isHeld: boolean): void {
  held.set((before) => {
    const after = new Set(before);
    if (isHeld) after.add(formOfDraft(target));
    else after.delete(formOfDraft(target));
    return after;
  });
}

/** Keeps the draft as it is while it is saved: it is shown until the saved settings are there. */
export const hold = (target: Target) => setHeld(target, true);
export const release = (target: Target) => setHeld(target, false);
/** After it was saved, or because it is not wanted. */
export function discard(target: Target): void {
  forget(formOfDraft(target));
  release(target);
}

export const useIsHeld = (target: Target) => useStore(held).has(formOfDraft(target));

/** Combines the draft with what others saved. Fields that both changed become conflicts. */
export function rebase(target: Target, saved: EnvironmentSettings): void {
  const form = formOfDraft(target);
  const draft = draftOf(form);
  if (!draft || held.get().has(form) || same(draft.base, saved)) return;
  const { value, conflicts } = mergeSettings(draft.base, draft.mine, saved);
  const isSaved = same(value, saved) && conflicts.length === 0;
  const combined: Draft = { target, base: saved, mine: value, conflicts: [...draft.conflicts, ...conflicts] };
  keep(form, FIELD, isSaved ? undefined : combined);
}

/** Sets the draft after a decision about its conflicts. */
export function resolve(target: Target, mine: EnvironmentSettings, conflicts: readonly Conflict[]): void {
  const draft = draftOf(formOfDraft(target));
  if (draft) keep(formOfDraft(target), FIELD, { ...draft, mine, conflicts });
}
