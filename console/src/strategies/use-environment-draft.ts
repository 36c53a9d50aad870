import { useEffect, useMemo } from 'react';
import { discard, edit, rebase, useDraft, useIsHeld } from '../data/drafts.ts';
import type { Target } from '../data/save.ts';
import {
  type EnvironmentSettings,
  type Feature,
  newStrategyId,
  type StrategyDraft,
  settingsOf,
} from '../domain/model.ts';
import { milestoneOf } from '../domain/waiting-milestone.ts';

/** The settings of one environment as they are shown: the draft, or what is saved. */
export function useEnvironmentDraft(flag: Feature, environment: string) {
  const target: Target = useMemo(
    () => ({ project: flag.project, feature: flag.name, environment }),
    [flag.project, flag.name, environment],
  );
  const source = flag.environments.find(({ name }) => name === environment);
  const saved: EnvironmentSettings = useMemo(
    () => (source ? settingsOf(source) : { enabled: false, strategies: [], variants: [] }),
    [source],
  );
  const draft = useDraft(target);
  // What others saved is combined with the draft as soon as the stream brings it.
  const isHeld = useIsHeld(target);
  useEffect(() => {
    if (!isHeld) rebase(target, saved);
  }, [target, saved, isHeld]);
  return useMemo(() => {
    const change = (how: (settings: EnvironmentSettings) => EnvironmentSettings) => edit(target, saved, how);
    const strategies = (how: (list: readonly StrategyDraft[]) => readonly StrategyDraft[]) =>
      change((settings) => ({ ...settings, strategies: how(settings.strategies) }));
    return {
      target,
      exists: source !== undefined,
      type: source?.type,
      saved,
      draft,
      shown: draft?.mine ?? saved,
      change,
      /** The active milestone that the strategy belongs to. */
      milestoneOf: (id: string) => milestoneOf(source, id),
      setStrategy: (id: string, values: Partial<StrategyDraft>) =>
        strategies((list) => list.map((one) => (one.id === id ? { ...one, ...values } : one))),
      removeStrategy: (id: string) => strategies((list) => list.filter((one) => one.id !== id)),
      /** Adds a strategy to the draft, behind the one with the id, and returns its id. Nothing is live before the draft is saved. */
      addStrategy: (strategy: Omit<StrategyDraft, 'id'>, after?: string): string => {
        const id = newStrategyId();
        strategies((list) => {
          const at = after === undefined ? list.length : list.findIndex((one) => one.id === after) + 1;
          return list.toSpliced(at, 0, { ...strategy, id });
        });
        return id;
      },
      discard: () => discard(target),
    };
  }, [target, source, saved, draft]);
}

export type EnvironmentDraft = ReturnType<typeof useEnvironmentDraft>;

export const newStrategy = (feature: string, stickiness: string): Omit<StrategyDraft, 'id'> => ({
  name: 'flexibleRollout',
  title: null,
  disabled: false,
  parameters: { rollout: '100', stickiness: stickiness || 'default', groupId: feature },
  constraints: [],
  segments: [],
  variants: [],
});
