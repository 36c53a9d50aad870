import { conflict, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../projects/stored-default-strategy.ts';
import { defaultStrategy, type StrategyContent } from './validate.ts';

/** The first strategy that a flag gets in the environment: the default strategy of its project, or else a strategy that is on for everybody. */
export function firstStrategy(reader: StateReader, { name, project }: Feature, environment: string): StrategyContent {
  const stated = reader.get('defaultStrategies', defaultStrategyKey(project, environment))?.strategy;
  if (!stated) return defaultStrategy(name, reader.get('projects', project)?.defaultStickiness ?? 'default');
  const { parameters } = stated;
  const takesName = Object.hasOwn(parameters, 'groupId') && parameters.groupId === '';
  // Always enabled: a disabled strategy would leave the flag without an active one.
  return { ...stated, disabled: false, parameters: takesName ? { ...parameters, groupId: name } : parameters };
}

/** Removes the default strategy of a deleted environment or project: a later environment or project with the same name must not inherit it. */
export function forgetDefaultStrategy(draft: Draft, project: string, environment: string): void {
  const key = defaultStrategyKey(project, environment);
  if (draft.get('defaultStrategies', key)) draft.remove('defaultStrategies', key);
}

export function* forgetDefaultStrategies(draft: Draft, project: string): Steps<void> {
  for (const { environment } of [...draft.lookup('defaultStrategiesByProject', project)]) {
    forgetDefaultStrategy(draft, project, environment);
    yield;
  }
}

/** A rejection if a default strategy uses the segment or strategy type `key`, which therefore cannot be deleted; otherwise undefined. */
export function usedByDefault(
  reader: StateReader,
  index: 'defaultStrategiesBySegment' | 'defaultStrategiesByType',
  key: string,
  what: string,
): Rejection | undefined {
  for (const { project, environment } of reader.lookup(index, key))
    return conflict(`${what} is in use: the project ${project} has it in its default strategy for ${environment}.`);
  return undefined;
}

/** A default strategy of another project that uses the segment, or undefined. */
export function foreignDefault(reader: StateReader, segment: number, project: string): DefaultStrategy | undefined {
  for (const stated of reader.lookup('defaultStrategiesBySegment', String(segment)))
    if (stated.project !== project) return stated;
  return undefined;
}
