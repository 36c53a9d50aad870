import { collection } from './collection.ts';
import type { Strategy } from './strategy.ts';

/**
 * The strategy that a flag of a project gets when it is switched on in an environment without a strategy. Collection `defaultStrategies`,
 * key: `defaultStrategyKey`. If this strategy is missing, such a flag gets a strategy that is on for everybody.
 */
export interface DefaultStrategy {
  readonly project: string;
  readonly environment: string;
  /** An empty `groupId` stands for the name of the flag. */
  readonly strategy: Omit<Strategy, 'id' | 'sortOrder'>;
}

/** The key of a default strategy. Neither part of the key can contain a slash. */
export function defaultStrategyKey(project: string, environment: string): string {
  return `${project}/${environment}`;
}

export const defaultStrategies = collection({
  schema: 1,
  key: ({ project, environment }: DefaultStrategy) => defaultStrategyKey(project, environment),
  past: 'whole',
  indexes: {
    defaultStrategiesByProject: ({ project }) => [project],
    defaultStrategiesBySegment: ({ strategy }) => strategy.segments.map(String),
    defaultStrategiesByType: ({ strategy }) => [strategy.name],
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly defaultStrategies: typeof defaultStrategies;
  }
}
