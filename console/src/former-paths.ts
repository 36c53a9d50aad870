/**
 * Paths that have no screen, and the path of the nearest screen: most are paths of Unleash's pages, so that bookmarks and links in chats still work. The
 * server serves the page for exactly these paths and those of `PATHS`.
 */
export const FORMER_PATHS: Readonly<Record<string, string>> = {
  '/search': '/features',
  '/personal': '/',
  '/login': '/',
  '/get-started': '/',
  // The window that signs on at an identity provider, beside a window with drafts, ends here.
  '/signed-on': '/',
  '/projects/:projectId/features/:featureId/strategies/create': '/projects/:projectId/features/:featureId',
  '/projects/:projectId/features/:featureId/strategies/edit': '/projects/:projectId/features/:featureId',
  '/projects/:projectId/settings/:tab/:item': '/projects/:projectId/settings/:tab',
  '/projects/:projectId/create-toggle': '/projects/:projectId?panel=create',
  '/projects/:projectId/archive': '/archive',
  '/projects/:projectId/insights': '/projects/:projectId/health',
  '/projects/:projectId/applications': '/applications?project=:projectId',
  '/projects/:projectId/logs': '/history',
  '/environments/create': '/environments',
  '/environments/:name': '/environments',
  '/admin': '/admin/users',
  '/admin/api/create-token': '/admin/api',
  '/admin/logs': '/history',
  '/admin/users/:id/edit': '/admin/users',
  '/admin/groups/:id/edit': '/admin/groups/:id',
  '/integrations/create/:provider': '/integrations?panel=create&provider=:provider',
  '/integrations/edit/:id': '/integrations/:id',
  '/integrations/view/:provider': '/integrations',
  '/tag-types/create': '/tag-types?panel=create',
  '/tag-types/edit/:name': '/tag-types?panel=:name',
  '/feature-toggle-type/edit/:id': '/feature-toggle-type?panel=:id',
  '/strategies/create': '/strategies?panel=create',
  '/strategies/edit/:name': '/strategies?panel=:name',
  '/strategies/:name': '/strategies?panel=:name',
};

/** The path of a screen for the parameters of a former path. */
export function filledPath(path: string, params: Readonly<Record<string, string | undefined>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
