import { conflict, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../../model/default-strategy.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { defaultStrategy, type StrategyContent, strategyForFlag } from './validate.ts';

/** Returns the first strategy of a flag in the environment: the default strategy of its project or, if there is none, one that is always on. */
export function firstStrategy(reader: StateReader, { name, project }: Feature, environment: string): StrategyContent {
  const projectDefault = reader.get('defaultStrategies', defaultStrategyKey(project, environment))?.strategy;
  if (!projectDefault) return defaultStrategy(name, reader.get('projects', project)?.defaultStickiness ?? 'default');
  // The strategy is always enabled: with a disabled one, the flag would have no active strategy.
  return { ...strategyForFlag(projectDefault, name), disabled: false };
}

/** Removes the default strategy of a deleted environment: a later environment with the same name must not inherit it. */
export function forgetDefaultStrategy(draft: Draft, project: string, environment: string): void {
  const key = defaultStrategyKey(project, environment);
  if (draft.get('defaultStrategies', key)) draft.remove('defaultStrategies', key);
}

/** Removes the default strategies of a deleted project. */
export function* forgetDefaultStrategies(draft: Draft, project: string): Steps<void> {
  for (const { environment } of [...draft.lookup('defaultStrategiesByProject', project)]) {
    forgetDefaultStrategy(draft, project, environment);
    yield;
  }
}

/**
 * Returns a rejection if a default strategy uses the segment or the strategy type `key`, because it can then not be deleted. `what` names it in the
 * message.
 */
export function defaultStrategyUseProblem(
  reader: StateReader,
  index: 'defaultStrategiesBySegment' | 'defaultStrategiesByType',
  key: string,
  what: string,
): Rejection | undefined {
  for (const { project, environment } of reader.lookup(index, key))
    return conflict(`${what} is in use: the project ${project} has it in its default strategy for ${environment}.`);
  return undefined;
}

/** Returns a default strategy that uses the segment and belongs to another project than `project`; undefined if there is none. */
export function defaultStrategyOfOtherProject(
  reader: StateReader,
  segment: number,
  project: string,
): DefaultStrategy | undefined {
  for (const candidate of reader.lookup('defaultStrategiesBySegment', String(segment)))
    if (candidate.project !== project) return candidate;
  return undefined;
}
