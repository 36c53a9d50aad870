import Type from 'typebox';
import { collection } from '../../../model/collection.ts';

/**
 * An application that SDKs report for, as people see it. Collection `applications`, key: the name. That there is one is state; what it reports is
 * counted beside the log.
 */
export interface Application {
  readonly appName: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly description: string | null;
  readonly url: string | null;
  readonly icon: string | null;
  readonly color: string | null;
  /** Those of the tokens that it reported with when it became known. Left out: they were for all projects, or people made it. */
  readonly projects?: readonly string[];
}

/** Projects that are remembered of an application; with more of them it counts as one of all. */
export const APPLICATION_PROJECTS_MAX = 100;

/** Longest name of an application. Characters, as Unleash has it. */
const APP_NAME_LENGTH_MAX = 255;

/** Any text but control characters, which people could not distinguish. */
export const AppName = Type.String({
  minLength: 1,
  maxLength: APP_NAME_LENGTH_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'Name of an application, as its SDK tells it',
});

export const applications = collection({ schema: 1, key: (application: Application) => application.appName });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly applications: typeof applications;
  }
}
