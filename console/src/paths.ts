/**
 * Every screen and its path: Unleash's paths, so that bookmarks keep working. A path is relative to the base path. The server serves the
 * page for exactly these paths.
 */
export const PATHS = {
  home: '/',
  features: '/features',
  projectFeatures: '/projects/:projectId',
  feature: '/projects/:projectId/features/:featureId',
  featureTab: '/projects/:projectId/features/:featureId/:tab',
  projects: '/projects',
  projectSettings: '/projects/:projectId/settings',
  projectSettingsTab: '/projects/:projectId/settings/:tab',
  projectChangeRequests: '/projects/:projectId/change-requests',
  changeRequest: '/projects/:projectId/change-requests/:id',
  changeRequests: '/change-requests',
  environments: '/environments',
  environmentHistory: '/environments/:name/history',
  segments: '/segments',
  segment: '/segments/edit/:id',
  createSegment: '/segments/create',
  context: '/context',
  contextField: '/context/edit/:name',
  createContextField: '/context/create',
  archive: '/archive',
  unknownFlags: '/unknown-flags',
  cleanUp: '/clean-up',
  drift: '/drift',
  projectHealth: '/projects/:projectId/health',
  applications: '/applications',
  application: '/applications/:appName',
  events: '/history',
  recent: '/recent-changes',
  transfer: '/import-export',
  playground: '/playground',
  tokens: '/admin/api',
  users: '/admin/users',
  groups: '/admin/groups',
  group: '/admin/groups/:id',
  roles: '/admin/roles',
  role: '/admin/roles/:id',
  serviceAccounts: '/admin/service-accounts',
  signOnSettings: '/admin/auth',
  signOnSettingsTab: '/admin/auth/:tab',
  signupLinks: '/admin/invite-link',
  banners: '/admin/banners',
  maintenance: '/admin/maintenance',
  origins: '/admin/cors',
  releaseTemplates: '/release-templates',
  releaseTemplate: '/release-templates/edit/:id',
  createReleaseTemplate: '/release-templates/create-template',
  projectReleaseTemplates: '/projects/:projectId/release-templates',
  projectReleaseTemplate: '/projects/:projectId/release-templates/edit/:id',
  createProjectReleaseTemplate: '/projects/:projectId/release-templates/create-template',
  integrations: '/integrations',
  integration: '/integrations/:id',
  signals: '/signals',
  signal: '/signals/:id',
  actionSet: '/projects/:projectId/actions/:id',
  instance: '/admin/instance',
  tagTypes: '/tag-types',
  featureTypes: '/feature-toggle-type',
  strategyTypes: '/strategies',
  profile: '/profile',
  profileTab: '/profile/:tab',
  kit: '/kit',
} as const;

export type Screen = keyof typeof PATHS;

type NamesIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never;

export type PathParams<S extends Screen> = { readonly [K in NamesIn<(typeof PATHS)[S]>]: string | number };

/** Values that are part of the query; empty ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The address of a screen. `path('feature', { projectId: 'shop', featureId: 'checkout' })` */
export function path<S extends Screen>(
  screen: S,
  ...rest: NamesIn<(typeof PATHS)[S]> extends never
    ? [params?: Record<string, never>, query?: Query]
    : [params: PathParams<S>, query?: Query]
): string {
  const [params, query] = rest as [Readonly<Record<string, string | number>> | undefined, Query | undefined];
  const filled = PATHS[screen].replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params?.[name] ?? '')),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== null && value !== undefined && value !== '' && value !== false) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}
