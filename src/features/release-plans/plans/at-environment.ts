import type { EnvironmentPermission } from '../../../model/permission.ts';

/** The path of a flag in an environment: release plans and safeguards are below it. */
export const ENVIRONMENT = '/api/admin/projects/:projectId/features/:featureName/environments/:environment';

/** The access of a route below `ENVIRONMENT`. */
export const accessAtEnvironment = <const P extends EnvironmentPermission | 'READ'>(permission: P) =>
  ({ permission, project: 'path.projectId', environment: 'path.environment' }) as const;

/** The parameters of the path `ENVIRONMENT`. */
export interface EnvironmentParams {
  readonly projectId: string;
  readonly featureName: string;
  readonly environment: string;
}

/** The location of the flag, as commands take it. */
export function locationOf({ projectId: project, featureName, environment }: EnvironmentParams) {
  return { project, featureName, environment };
}
