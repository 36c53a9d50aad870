import { collection } from '../../model/collection.ts';
import type { Strategy } from '../../model/strategy.ts';

/**
 * The strategy that flags of a project get in an environment when they are switched on without one. Collection `defaultStrategies`,
 * key: `defaultStrategyKey`. Without a default strategy, flags get one that is on for everybody.
 */
export interface DefaultStrategy {
  readonly project: string;
  readonly environment: string;
  /** An empty `groupId` stands for the name of the flag. */
  readonly strategy: Omit<Strategy, 'id' | 'sortOrder'>;
}

/** Neither part can contain a slash. */
export function defaultStrategyKey(project: string, environment: string): string {
  return `${project}/${environment}`;
}

export const defaultStrategies = collection({
  schema: 1,
  key: ({ project, environment }: DefaultStrategy) => defaultStrategyKey(project, environment),
  indexes: {
    defaultStrategiesByProject: ({ project }) => [project],
    defaultStrategiesBySegment: ({ strategy }) => strategy.segments.map(String),
    defaultStrategiesByType: ({ strategy }) => [strategy.name],
  },
});

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly defaultStrategies: typeof defaultStrategies;
  }
}
