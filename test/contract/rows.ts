/** What the interface lists: each operation with every status that it names for it. Typed from the contract, by hand; nothing here asks the code. */
export const ROWS = {
  'POST /api/admin/playground': [200, 400, 401],
  'PUT /api/admin/projects/:projectId/features/:featureName': [200, 401, 403, 404, 415],
  'PUT /api/admin/projects/:projectId/features/:featureName/variants': [200, 400, 401, 403, 404],
  'GET /api/admin/projects/:projectId/features/:featureName/environments/:environment/variants': [200, 401, 403, 404],
  'POST /api/admin/banners': [201, 400, 401, 403, 415],
  'POST /api/admin/banners/:id/on': [200, 401, 403, 404],
  'POST /api/admin/service-account/:id/token': [201, 401, 403, 404, 409, 415],
  'GET /api/admin/segments/:id': [200, 404],
  'GET /api/admin/projects/:projectId/change-requests/:id': [200, 404],
  'POST /api/admin/environments/:name/clone': [200, 400, 401],
  'GET /api/admin/user/profile': [200, 401],
  'GET /api/admin/ui-config': [200],
  'GET /api/admin/personal-dashboard/:projectId': [200, 401, 403, 404],
  'GET /api/admin/metrics/applications/:appName/overview': [200, 404],
  'GET /api/admin/projects/:projectId/api-tokens': [200, 401, 403, 404],
  'GET /api/admin/user-admin/search': [200, 401],
  'POST /api/admin/auth/saml/settings': [200, 400, 401, 403, 415],
  'POST /api/admin/splash/:id': [200, 400, 401, 403, 415],
  'PUT /api/admin/feedback/:id': [200, 400, 401, 415],
  'POST /api/admin/events/search': [200],
  'GET /api/client/features': [200, 304],
  'GET /api/client/features/:featureName': [200],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type Operation = keyof typeof ROWS;

/** The errors of the contract, spelled as it spells them. */
export const ERROR_NAMES: Readonly<Record<number, string>> = {
  400: 'ValidationError',
  401: 'AuthenticationRequired',
  403: 'NoAccessError',
  404: 'NotFoundError',
  409: 'NameExistsError',
  415: 'ContentTypeerror',
};
