/** The kinds of events by which the audit log is filtered, in words, and the types of events that each one has. A test holds that each type has a kind. */
export const EVENT_KINDS: Readonly<Record<string, readonly string[]>> = {
  'Switched on or off': ['feature-environment-enabled', 'feature-environment-disabled'],
  'Switched on': ['feature-environment-enabled'],
  'Switched off': ['feature-environment-disabled', 'feature-environment-safeguard-tripped'],
  'Strategies of flags': [
    ...['feature-strategy-add', 'feature-strategy-remove', 'feature-strategy-update', 'strategy-order-changed'],
    'feature-environment-copied',
  ],
  'Variants of flags': ['feature-environment-variants-updated', 'feature-variants-updated'],
  'Flags created': ['feature-created'],
  'Flags archived, revived or deleted': ['feature-archived', 'feature-revived', 'feature-deleted', 'drop-features'],
  'Other settings of flags': [
    ...['feature-updated', 'feature-metadata-updated', 'feature-type-updated', 'feature-project-change'],
    ...['feature-stale-on', 'feature-stale-off', 'feature-potentially-stale-on', 'feature-completed'],
    ...['feature-uncompleted', 'feature-dependency-added', 'feature-dependency-removed'],
    ...['feature-dependencies-removed', 'feature-link-added', 'feature-link-removed', 'feature-link-updated'],
    ...['feature-favorited', 'feature-unfavorited'],
  ],
  Undone: ['feature-change-undone'],
  'Release plans and safeguards': [
    ...['release-plan-added', 'release-plan-milestone-started', 'release-plan-paused', 'release-plan-removed'],
    ...['release-plan-progression-changed', 'release-plan-resumed', 'release-plan-safeguard-changed'],
    ...['release-plan-safeguard-removed', 'feature-environment-safeguard-changed'],
    ...['feature-environment-safeguard-removed', 'feature-environment-safeguard-tripped'],
    ...['release-plan-template-archived', 'release-plan-template-created', 'release-plan-template-deleted'],
    'release-plan-template-updated',
  ],
  'Change requests': [
    ...['change-added', 'change-discarded', 'change-edited', 'change-request-applied', 'change-request-approval-added'],
    ...['change-request-approved', 'change-request-cancelled', 'change-request-configuration-updated'],
    ...['change-request-created', 'change-request-discarded', 'change-request-rejected', 'change-request-scheduled'],
    ...['change-request-schedule-suspended', 'change-request-scheduled-application-failure'],
    ...['change-request-scheduled-application-success', 'change-request-sent-to-review'],
  ],
  Tags: [
    ...['feature-tagged', 'feature-untagged', 'feature-tag-import', 'drop-feature-tags', 'drop-tags', 'drop-tag-types'],
    ...['tag-created', 'tag-deleted', 'tag-import', 'tag-type-created', 'tag-type-deleted', 'tag-type-import'],
    'tag-type-updated',
  ],
  Segments: ['segment-created', 'segment-deleted', 'segment-import', 'segment-updated'],
  'Context fields': ['context-field-created', 'context-field-deleted', 'context-field-updated'],
  Environments: [
    ...['environment-created', 'environment-deleted', 'environment-import', 'environment-updated'],
    ...['drop-environments', 'project-environment-added', 'project-environment-removed', 'default-strategy-updated'],
  ],
  Projects: [
    ...['project-archived', 'project-created', 'project-deleted', 'project-revived', 'project-updated'],
    ...['project-import', 'project-favorited', 'project-unfavorited', 'drop-projects'],
  ],
  'Access to projects': [
    ...['project-access-added', 'project-access-updated', 'project-access-group-roles-deleted'],
    ...['project-access-group-roles-updated', 'project-access-user-roles-deleted'],
    ...['project-access-user-roles-updated', 'project-group-added', 'project-group-removed'],
    ...['project-group-role-changed', 'project-user-added', 'project-user-removed', 'project-user-role-changed'],
  ],
  'Users, groups and roles': [
    ...['user-created', 'user-deleted', 'user-updated', 'group-created', 'group-deleted', 'group-updated'],
    ...['group-user-added', 'group-user-removed', 'role-created', 'role-deleted', 'role-updated'],
    ...['service-account-created', 'service-account-deleted', 'service-account-updated'],
    ...['public-signup-token-created', 'public-signup-token-updated', 'public-signup-token-user-added'],
  ],
  Tokens: [
    ...['api-token-created', 'api-token-deleted', 'api-token-updated', 'api-token-expires-soon', 'pat-created'],
    ...['pat-deleted', 'scim-token-created', 'scim-token-deleted'],
  ],
  'Types of strategies': [
    ...['strategy-created', 'strategy-deleted', 'strategy-deprecated', 'strategy-import', 'strategy-reactivated'],
    ...['strategy-updated', 'drop-strategies'],
  ],
  'Signals and actions': [
    ...['signal-endpoint-created', 'signal-endpoint-deleted', 'signal-endpoint-updated'],
    ...['signal-endpoint-token-created', 'signal-endpoint-token-deleted', 'signal-endpoint-token-updated'],
    ...['actions-created', 'actions-deleted', 'actions-updated'],
  ],
  Integrations: ['addon-config-created', 'addon-config-deleted', 'addon-config-updated'],
  'Imports and exports': ['features-imported', 'features-exported', 'feature-import'],
  'Applications and code': [
    ...['application-created', 'client-register', 'client-metrics', 'code-repository-created'],
    'code-repository-deleted',
  ],
  'Settings of the instance': [
    ...['setting-created', 'setting-deleted', 'setting-updated', 'banner-created', 'banner-deleted', 'banner-updated'],
    ...['db-pool-update', 'history-reapplied', 'history-surplus'],
  ],
};

/** The types of a kind; a type that an address names is itself. */
export const typesOf = (kind: string): readonly string[] => EVENT_KINDS[kind] ?? [kind];
