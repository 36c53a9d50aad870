/** A project, as stored. Collection `projects`, key: the id. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly mode: 'open' | 'protected' | 'private';
  readonly defaultStickiness: string;
  readonly featureLimit: number | null;
  /** Names of the environments its flags can be switched in; order of no meaning. */
  readonly environments: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
}

export const DEFAULT_PROJECT = 'default';
