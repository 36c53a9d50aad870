import { conflict, type Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../../projects/stored-default-strategy.ts';
import { defaultStrategy, type StrategyContent } from './validate.ts';

/** The first strategy of a flag in the environment: the default strategy of its project, or one that is on for everybody. */
export function firstStrategy(reader: StateReader, { name, project }: Feature, environment: string): StrategyContent {
  const stated = reader.get('defaultStrategies', defaultStrategyKey(project, environment))?.strategy;
  if (!stated) return defaultStrategy(name, reader.get('projects', project)?.defaultStickiness ?? 'default');
  const { parameters } = stated;
  const takesName = Object.hasOwn(parameters, 'groupId') && parameters.groupId === '';
  // Always enabled: a disabled strategy would leave the flag without an active one.
  return { ...stated, disabled: false, parameters: takesName ? { ...parameters, groupId: name } : parameters };
}

/** For a deleted environment or project: a later one with the same name must not inherit the default strategy. */
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

/** Why something that default strategies refer to cannot be deleted, or undefined. */
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

/** Whether a default strategy of another project uses the segment. */
export function foreignDefault(reader: StateReader, segment: number, project: string): DefaultStrategy | undefined {
  for (const stated of reader.lookup('defaultStrategiesBySegment', String(segment)))
    if (stated.project !== project) return stated;
  return undefined;
}
