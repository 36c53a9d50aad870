import { collection } from './collection.ts';
/** Rule for the names of new flags. */
export interface FeatureNaming {
  /** An RE2 expression that the whole name must match; null: any name is allowed. */
  readonly pattern: string | null;
  /** A valid name, shown to users. */
  readonly example: string | null;
  readonly description: string | null;
}

/** A link that each new flag of a project gets. */
export interface LinkTemplate {
  readonly title: string | null;
  /** Contains the placeholders `{{project}}` and `{{feature}}`. */
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
  /** Names of the environments in which its flags can be switched; the order has no meaning. */
  readonly environments: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
  /** Missing if any name is allowed. */
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
