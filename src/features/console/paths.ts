/**
 * Paths at which the page of the console is served, beside `/`. The page reads the path and shows the screen. Most of them are the paths of Unleash's
 * own pages, so that bookmarks and links in chats still work. All other paths are answered with 404. `console/src/paths.ts` has the screens; a test
 * compares both lists.
 */
export const CONSOLE_PATHS: readonly string[] = [
  '/projects',
  ...below('/projects/:projectId', [
    '',
    '/archive',
    '/health',
    '/insights',
    '/logs',
    '/metrics',
    '/create-toggle',
    '/change-requests',
    '/change-requests/:id',
    '/settings',
    '/settings/:section',
    '/settings/:section/:item',
  ]),
  ...below('/projects/:projectId/features/:featureId', [
    '',
    '/copy',
    '/history',
    '/logs',
    '/metrics',
    '/settings',
    '/variants',
    '/strategies/create',
    '/strategies/edit',
  ]),
  ...['/features', '/search', '/archive', '/history', '/playground', '/personal', '/change-requests', '/kit'],
  ...below('/segments', ['', '/create', '/edit/:segmentId']),
  ...below('/context', ['', '/create', '/edit/:name']),
  ...below('/environments', ['', '/create', '/:id']),
  ...below('/applications', ['', '/:name', '/:name/:section']),
  ...below('/tag-types', ['', '/create', '/edit/:name']),
  ...below('/feature-toggle-type', ['', '/edit/:id']),
  ...below('/strategies', ['', '/create', '/:name', '/:name/edit']),
  ...below('/profile', ['', '/:section']),
  ...below('/admin', [
    '',
    '/api',
    '/auth',
    '/auth/:section',
    '/banners',
    '/cors',
    '/instance',
    '/logs',
    '/maintenance',
  ]),
  ...below('/admin/api', ['/create-token']),
  ...below('/admin/users', ['', '/:id/access', '/:id/edit', '/create-user', '/inactive']),
  ...below('/admin/groups', ['', '/create-group', '/:id', '/:id/edit']),
  ...below('/admin/roles', ['', '/:section']),
  ...below('/admin/service-accounts', ['', '/create', '/:id']),
  ...below('/admin/network', ['', '/:section']),
  ...['/login', '/forgotten-password', '/invite/:token'],
];

function below(path: string, endings: readonly string[]): readonly string[] {
  return endings.map((ending) => path + ending);
}
