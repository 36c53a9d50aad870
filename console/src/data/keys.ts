/**
 * Keys of queries: `[type of entity, id or 'list', …]`. The stream of changes names entities by type and id, so that one rule
 * finds what to read again (`live.ts`).
 */
export const keys = {
  me: ['me'] as const,
  uiConfig: ['setting', 'ui-config'] as const,
  banners: ['banner', 'list'] as const,
  feature: (project: string, name: string) => ['feature', name, 'project', project] as const,
  featureHistory: (name: string) => ['feature', name, 'history'] as const,
  featureOf: (name: string, ...more: readonly unknown[]) => ['feature', name, ...more] as const,
  archived: ['feature', 'list', 'archived'] as const,
  project: (id: string, ...more: readonly unknown[]) => ['project', id, ...more] as const,
  projects: ['project', 'list'] as const,
  environments: ['environment', 'list'] as const,
  environment: (name: string) => ['environment', name] as const,
  segments: ['segment', 'list'] as const,
  segment: (id: number, ...more: readonly unknown[]) => ['segment', String(id), ...more] as const,
  contextFields: ['context-field', 'list'] as const,
  contextField: (name: string, ...more: readonly unknown[]) => ['context-field', name, ...more] as const,
  tokens: (...more: readonly unknown[]) => ['api-token', 'list', ...more] as const,
  changeRequests: (...more: readonly unknown[]) => ['change-request', 'list', ...more] as const,
  changeRequest: (id: number) => ['change-request', String(id)] as const,
  events: (...more: readonly unknown[]) => ['event', 'list', ...more] as const,
  users: ['user', 'list'] as const,
  groups: ['group', 'list'] as const,
  roles: ['role', 'list'] as const,
  role: (id: number) => ['role', String(id)] as const,
  serviceAccounts: ['user', 'list', 'service-accounts'] as const,
  tagTypes: ['tag-type', 'list'] as const,
  tags: ['tag-type', 'list', 'tags'] as const,
  strategyTypes: ['strategy', 'list'] as const,
  own: (...more: readonly unknown[]) => ['own', ...more] as const,
};
