import { collection } from './collection.ts';
/** How names of new flags have to look. */
export interface FeatureNaming {
  /** An RE2 expression for the whole name; null: any name will do. */
  readonly pattern: string | null;
  /** A name that it takes, for people. */
  readonly example: string | null;
  readonly description: string | null;
}

/** A link that new flags of a project begin with. */
export interface LinkTemplate {
  readonly title: string | null;
  /** With `{{project}}` and `{{feature}}` in place of their names. */
  readonly urlTemplate: string;
}

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
  /** Left out where any name will do. */
  readonly featureNaming?: FeatureNaming;
  readonly linkTemplates?: readonly LinkTemplate[];
}

export const DEFAULT_PROJECT = 'default';

export const projects = collection({
  schema: 1,
  key: (project: Project) => project.id,
  indexes: { projectsByEnvironment: ({ environments }) => environments },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly projects: typeof projects;
  }
}
