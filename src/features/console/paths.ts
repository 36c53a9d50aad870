/**
 * Paths at which the page of the console is served, beside `/`; all other paths are answered with 404, with the page for browsers. The page reads the path and shows the screen.
 * A test compares the list with the screens in `console/src/paths.ts` and the former paths in `console/src/former-paths.ts`.
 */
export const CONSOLE_PATHS: readonly string[] = [
  '/features',
  '/archive',
  '/history',
  '/playground',
  '/change-requests',
  '/get-started',
  '/kit',
  '/unknown-flags',
  '/clean-up',
  '/drift',
  ...below('/applications', ['', '/:appName']),
  ...below('/projects', ['', '/:projectId']),
  ...below('/projects/:projectId', ['/archive', '/create-toggle', '/settings', '/settings/:tab']),
  ...below('/projects/:projectId', ['/change-requests', '/change-requests/:id']),
  ...below('/projects/:projectId/features/:featureId', ['', '/:tab']),
  ...below('/segments', ['', '/create', '/edit/:id']),
  ...below('/context', ['', '/create', '/edit/:name']),
  '/environments',
  '/environments/:name/history',
  '/recent-changes',
  '/import-export',
  ...below('/admin', ['/api', '/service-accounts', '/users', '/groups', '/groups/:id', '/roles', '/roles/:id']),
  ...below('/admin', ['/auth', '/auth/:tab', '/invite-link', '/banners', '/maintenance', '/cors', '/instance']),
  ...below('/integrations', ['', '/:id']),
  ...below('/signals', ['', '/:id']),
  '/projects/:projectId/actions/:id',
  ...below('/release-templates', ['', '/create-template', '/edit/:id']),
  ...below('/projects/:projectId/release-templates', ['', '/create-template', '/edit/:id']),
  '/tag-types',
  '/feature-toggle-type',
  '/strategies',
  ...below('/profile', ['', '/:tab']),
  // Paths of Unleash's pages: the console shows its nearest screen.
  '/search',
  '/personal',
  '/login',
  '/signed-on',
  ...below('/projects/:projectId/features/:featureId', ['/strategies/create', '/strategies/edit']),
  ...below('/projects/:projectId', ['/applications', '/insights', '/health', '/logs', '/settings/:tab/:item']),
  ...below('/environments', ['/create', '/:name']),
  ...below('/admin', ['', '/api/create-token', '/logs', '/users/:id/edit', '/groups/:id/edit']),
  ...below('/integrations', ['/create/:provider', '/edit/:id', '/view/:provider']),
  '/tag-types/create',
  '/tag-types/edit/:name',
  '/feature-toggle-type/edit/:id',
  ...below('/strategies', ['/create', '/edit/:name', '/:name']),
];

function below(path: string, endings: readonly string[]): readonly string[] {
  return endings.map((ending) => path + ending);
}
