import { collection } from '../../model/collection.ts';
import type { Strategy } from '../../model/strategy.ts';

/**
 * What flags of a project get in an environment when they are switched on before they have a strategy there. Collection `defaultStrategies`,
 * key: `defaultStrategyKey`. Without one they are on for everybody.
 */
export interface DefaultStrategy {
  readonly project: string;
  readonly environment: string;
  /** An empty `groupId` stands for the name of the flag. */
  readonly strategy: Omit<Strategy, 'id' | 'sortOrder'>;
}

/** Neither part of it can hold a slash. */
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
