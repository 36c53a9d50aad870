import Type from 'typebox';
import { collection } from '../../../model/collection.ts';

/**
 * An application for which SDKs report. Collection `applications`, key: the name. Only this entry is part of the state: the reports of its SDKs are
 * counted outside the log.
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
  /** Ids of the projects of the tokens of its first reports. Undefined if a token was for all projects, or if a user created the entry. */
  readonly projects?: readonly string[];
}

/** Maximum number of projects that are stored for an application. An application with more projects counts as one of all projects. */
export const APPLICATION_PROJECTS_MAX = 100;

/** Maximum length of an application's name in characters, as in Unleash. */
const APP_NAME_LENGTH_MAX = 255;

/** The name of an application: any text without control characters, because people cannot see these. */
export const AppName = Type.String({
  minLength: 1,
  maxLength: APP_NAME_LENGTH_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]*$',
  description: 'Name of the application, as its SDK reports it',
});

export const applications = collection({ schema: 1, key: (application: Application) => application.appName });

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly applications: typeof applications;
  }
}
