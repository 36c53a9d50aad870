import type { Operation } from './rows.ts';

/** JSON Schema of answers, written from the contract's tables. What it does not name is allowed; what it calls `req` is required. */
export type Schema = Readonly<Record<string, unknown>>;

type Fields = Readonly<Record<string, Schema>>;

const text: Schema = { type: 'string' };
const bool: Schema = { type: 'boolean' };
const number: Schema = { type: 'number' };
const integer: Schema = { type: 'integer' };
const time: Schema = { type: 'string', format: 'date-time' };
const texts: Schema = { type: 'array', items: text };
const anything: Schema = {};
const from1: Schema = { type: 'integer', minimum: 1 };
const oneOf = (...values: readonly unknown[]): Schema => ({ enum: values });
const list = (items: Schema): Schema => ({ type: 'array', items });
const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const object = (required: Fields, optional: Fields = {}): Schema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
const both = (...parts: readonly Schema[]): Schema => ({ allOf: parts });

const constraint = object(
  {
    contextName: text,
    operator: oneOf(
      'NOT_IN',
      'IN',
      'STR_ENDS_WITH',
      'STR_STARTS_WITH',
      'STR_CONTAINS',
      'NUM_EQ',
      'NUM_GT',
      'NUM_GTE',
      'NUM_LT',
      'NUM_LTE',
      'DATE_AFTER',
      'DATE_BEFORE',
      'SEMVER_EQ',
      'SEMVER_GT',
      'SEMVER_LT',
    ),
  },
  { caseInsensitive: bool, inverted: bool, values: texts, value: text },
);

const payload = object({ type: oneOf('json', 'csv', 'string', 'number'), value: text });
const weight: Schema = { type: 'number', minimum: 0, maximum: 1000 };
const weightType = oneOf('variable', 'fix');

const variant = object(
  { name: text, weight },
  { weightType, stickiness: text, payload, overrides: list(object({ contextName: text, values: texts })) },
);

const strategyVariant: Schema = both(
  object({ name: text, weight: { ...weight, type: 'integer' }, weightType, stickiness: text }, { payload }),
  { not: { required: ['overrides'] } },
);

const strategy = object(
  { name: text },
  {
    id: text,
    title: orNull(text),
    disabled: orNull(bool),
    featureName: text,
    sortOrder: number,
    segments: list(number),
    constraints: list(constraint),
    variants: list(strategyVariant),
    parameters: mapOf(text),
  },
);

const featureEnvironment = object(
  { name: text, enabled: bool },
  {
    featureName: text,
    environment: text,
    type: text,
    sortOrder: number,
    variantCount: number,
    strategies: list(strategy),
    variants: list(variant),
    lastSeenAt: orNull(time),
    hasStrategies: bool,
    hasEnabledStrategies: bool,
  },
);

const tag = object({ value: { type: 'string', minLength: 2, maxLength: 50 } }, { type: text });

const feature = object(
  { name: text },
  {
    type: oneOf('experiment', 'kill-switch', 'release', 'operational', 'permission'),
    description: orNull(text),
    archived: bool,
    project: text,
    enabled: bool,
    stale: bool,
    favorite: bool,
    impressionData: bool,
    createdAt: orNull(time),
    createdBy: object({ id: integer, name: text, imageUrl: text }),
    archivedAt: orNull(time),
    lastSeenAt: orNull(time),
    environments: list(featureEnvironment),
    variants: list(variant),
    strategies: list({ type: 'object' }),
    tags: orNull(list(tag)),
    children: texts,
    lifecycle: object({ stage: oneOf('initial', 'pre-live', 'live', 'completed', 'archived'), enteredStageAt: time }),
    dependencies: list(object({ feature: text }, { enabled: bool, variants: texts })),
    collaborators: object({ users: list(object({ id: integer, name: text, imageUrl: text })) }),
  },
);

const clientFeature = object(
  {},
  {
    name: text,
    type: text,
    enabled: bool,
    stale: bool,
    strategies: list(object({ name: text }, { parameters: mapOf(text), constraints: list(constraint) })),
    strategy: text,
    parameters: mapOf(text),
    variants: list(variant),
  },
);

const constraintWithResult = both(constraint, object({ result: bool }));
const complete = object({ evaluationStatus: oneOf('complete'), enabled: bool });
const notComplete = object({ evaluationStatus: oneOf('incomplete', 'unevaluated'), enabled: oneOf(false, 'unknown') });

const playgroundStrategy = object(
  {
    name: text,
    id: text,
    result: { anyOf: [complete, notComplete] },
    disabled: orNull(bool),
    segments: list(object({ id: integer, name: text, result: bool, constraints: list(constraintWithResult) })),
    constraints: list(constraintWithResult),
    parameters: mapOf(text),
    links: object({ edit: text }),
  },
  { title: text },
);

const playgroundContext = object(
  { appName: { type: 'string', minLength: 1 } },
  {
    currentTime: time,
    environment: text,
    properties: mapOf(text),
    remoteAddress: text,
    sessionId: text,
    userId: text,
  },
);

const playground = object({
  input: object({
    environment: text,
    projects: { anyOf: [texts, oneOf('*')] },
    context: playgroundContext,
  }),
  features: list(
    object(
      {
        name: text,
        projectId: text,
        strategies: object({ result: oneOf(true, false, 'unknown'), data: list(playgroundStrategy) }),
        isEnabledInCurrentEnvironment: bool,
        isEnabled: bool,
        variant: orNull(object({ name: text, enabled: bool }, { payload: object({ type: text, value: text }) })),
        variants: list(variant),
      },
      { hasUnsatisfiedDependency: bool, feature_enabled: bool, featureEnabled: bool },
    ),
  ),
});

const banner = object(
  { id: from1, message: text, createdAt: time },
  {
    enabled: bool,
    variant: oneOf('info', 'warning', 'error', 'success'),
    sticky: bool,
    icon: orNull(text),
    link: orNull(text),
    linkText: orNull(text),
    dialogTitle: orNull(text),
    dialog: orNull(text),
  },
);

/** As it is answered when it is created: this once with its secret. */
const newPersonalToken = object(
  { id: from1, createdAt: time, description: text, expiresAt: time, secret: text },
  { seenAt: orNull(time), userId: integer },
);

const segment = object(
  { id: integer, name: text, constraints: list(constraint), createdAt: time },
  {
    description: orNull(text),
    usedInFeatures: orNull(integer),
    usedInProjects: orNull(integer),
    project: orNull(text),
    createdBy: orNull(text),
  },
);

const person = object({ username: orNull(text), imageUrl: orNull(text) });
const change = object(
  {
    id: number,
    action: text,
    payload: {
      anyOf: [text, bool, number, { type: 'object' }, list(object({ id: text, sortOrder: number }))],
    },
  },
  { conflict: text, createdBy: person, createdAt: time },
);
const verdict = object({ createdAt: time }, { createdBy: object({}, { id: number, username: text, imageUrl: text }) });

const changeRequestFacts = object(
  {
    id: number,
    environment: text,
    minApprovals: number,
    project: text,
    features: list(
      object(
        { name: text, changes: list(change) },
        { conflict: text, defaultChange: object({ action: text, payload: anything }) },
      ),
    ),
    segments: list(object({ name: text, changes: list(change) })),
    createdBy: person,
    createdAt: time,
    state: oneOf('Draft', 'In review', 'Approved', 'Applied', 'Cancelled', 'Rejected', 'Scheduled'),
  },
  {
    title: text,
    approvals: list(verdict),
    rejections: list(verdict),
    comments: list(object({ id: number, text, createdBy: person, createdAt: time })),
  },
);

/** A scheduled one has its schedule, in one of its three shapes. */
const changeRequest = both(changeRequestFacts, {
  if: { properties: { state: { const: 'Scheduled' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    required: ['schedule'],
    properties: {
      schedule: {
        oneOf: [
          object({ scheduledAt: time, status: oneOf('pending') }),
          object({ scheduledAt: time, status: oneOf('failed'), reason: text }, { failureReason: orNull(text) }),
          object({ scheduledAt: time, status: oneOf('suspended'), reason: text }),
        ],
      },
    },
  },
});

const environment = object(
  { name: text, type: text, enabled: bool, protected: bool, sortOrder: integer },
  { projectCount: orNull(integer), apiTokenCount: orNull(integer), enabledToggleCount: orNull(integer) },
);

const role = object({ id: integer, type: text, name: text }, { description: text, project: orNull(text) });

const profile = object({
  rootRole: role,
  projects: texts,
  features: { type: 'array', maxItems: 0 },
});

const RESOURCE_LIMITS = [
  'segmentValues',
  'strategySegments',
  'actionSetActions',
  'actionSetsPerProject',
  'actionSetFilters',
  'actionSetFilterValues',
  'signalEndpoints',
  'signalTokensPerEndpoint',
  'featureEnvironmentStrategies',
  'constraintValues',
  'constraints',
  'environments',
  'apiTokens',
  'projects',
  'segments',
  'featureFlags',
];

const uiConfig = object(
  {
    version: text,
    serviceUrl: text,
    baseUriPath: text,
    versionInfo: object(
      {
        current: object({ oss: text, enterprise: text }),
        latest: { type: 'object', properties: { oss: text, enterprise: text } },
        isLatest: bool,
      },
      { instanceId: text },
    ),
  },
  {
    slogan: text,
    name: text,
    environment: text,
    feedbackUriPath: text,
    disablePasswordAuth: bool,
    emailEnabled: bool,
    maintenanceMode: bool,
    segmentValuesLimit: number,
    strategySegmentsLimit: number,
    resourceLimits: object(Object.fromEntries(RESOURCE_LIMITS.map((name) => [name, integer]))),
    networkViewEnabled: bool,
    frontendApiOrigins: texts,
    flags: { type: 'object' },
    links: list(object({}, { value: text, icon: text, href: text, title: text })),
    authenticationType: oneOf('open-source', 'demo', 'enterprise', 'hosted', 'custom', 'none'),
    oidcConfiguredThroughEnv: bool,
    samlConfiguredThroughEnv: bool,
  },
);

const personalDashboard = object({
  onboardingStatus: {
    anyOf: [
      object({ status: oneOf('onboarding-started', 'onboarded') }),
      object({ status: oneOf('first-flag-created'), feature: text }),
    ],
  },
  latestEvents: list(object({ id: from1, summary: orNull(text), createdBy: text, createdByImageUrl: text })),
  owners: {
    anyOf: [
      { type: 'array', minItems: 1, maxItems: 1, items: object({ ownerType: oneOf('system') }) },
      list({
        anyOf: [
          object({ ownerType: oneOf('user'), name: text }, { imageUrl: orNull(text), email: orNull(text) }),
          object({ ownerType: oneOf('group'), name: text }),
        ],
      }),
    ],
  },
  roles: list(object({ name: text, id: integer, type: oneOf('custom', 'project', 'root', 'custom-root') })),
});

const applicationOverview = object({
  projects: texts,
  featureCount: number,
  environments: list(
    object({
      name: text,
      instanceCount: number,
      sdks: texts,
      lastSeen: orNull(time),
      issues: object({ missingFeatures: texts, outdatedSdks: texts }),
    }),
  ),
  issues: object({ missingStrategies: texts }),
});

const apiTokens = object({
  tokens: list(
    object(
      {
        secret: text,
        tokenName: text,
        type: oneOf('client', 'admin', 'frontend'),
        project: text,
        projects: texts,
        createdAt: time,
      },
      { username: text, environment: text, expiresAt: orNull(time), seenAt: orNull(time), alias: orNull(text) },
    ),
  ),
});

const users = object(
  {
    users: list(
      object(
        { id: integer },
        {
          isAPI: bool,
          name: orNull(text),
          email: text,
          username: orNull(text),
          imageUrl: text,
          inviteLink: text,
          loginAttempts: integer,
          emailSent: bool,
          rootRole: integer,
          seenAt: orNull(time),
          createdAt: time,
          accountType: oneOf('User', 'Service Account'),
          permissions: texts,
          scimId: orNull(text),
        },
      ),
    ),
  },
  { rootRoles: list(role) },
);

const samlSettings = object(
  {},
  {
    enabled: bool,
    entityId: text,
    signOnUrl: text,
    certificate: text,
    signOutUrl: text,
    spCertificate: text,
    autoCreate: bool,
    emailDomains: text,
    defaultRootRole: oneOf('Viewer', 'Editor', 'Admin'),
    defaultRootRoleId: number,
    enableGroupSyncing: bool,
    groupJsonPath: text,
  },
);

const feedback = object({}, { userId: integer, neverShow: bool, given: orNull(time), feedbackId: text });

const event = object(
  { id: from1, createdAt: time, type: text, createdBy: text },
  {
    createdByUserId: orNull(number),
    environment: orNull(text),
    project: orNull(text),
    featureName: orNull(text),
    data: orNull({ type: 'object' }),
    preData: orNull({ type: 'object' }),
    tags: orNull(list(tag)),
    label: orNull(text),
    summary: orNull(text),
  },
);

const variants = object({ version: integer, variants: list(variant) });

/** What each operation answers when all goes well. */
export const ANSWERS: Readonly<Record<Operation, Schema>> = {
  'POST /api/admin/playground': playground,
  'PUT /api/admin/projects/:projectId/features/:featureName': feature,
  'PUT /api/admin/projects/:projectId/features/:featureName/variants': variants,
  'GET /api/admin/projects/:projectId/features/:featureName/environments/:environment/variants': variants,
  'POST /api/admin/banners': banner,
  'POST /api/admin/banners/:id/on': banner,
  'POST /api/admin/service-account/:id/token': newPersonalToken,
  'GET /api/admin/segments/:id': segment,
  'GET /api/admin/projects/:projectId/change-requests/:id': changeRequest,
  'POST /api/admin/environments/:name/clone': environment,
  'GET /api/admin/user/profile': profile,
  'GET /api/admin/ui-config': uiConfig,
  'GET /api/admin/personal-dashboard/:projectId': personalDashboard,
  'GET /api/admin/metrics/applications/:appName/overview': applicationOverview,
  'GET /api/admin/projects/:projectId/api-tokens': apiTokens,
  'GET /api/admin/user-admin/search': users,
  'POST /api/admin/auth/saml/settings': samlSettings,
  'POST /api/admin/splash/:id': object({ userId: integer, splashId: text, seen: bool }),
  'PUT /api/admin/feedback/:id': feedback,
  'POST /api/admin/events/search': object({ version: { const: 1 }, events: list(event) }, { totalEvents: integer }),
  'GET /api/client/features': object({ version: integer, features: list(clientFeature) }),
  'GET /api/client/features/:featureName': both(clientFeature, object({ name: text }), {
    not: { required: ['version'] },
  }),
};

/** Every error. */
export const ERROR: Schema = object({ id: text, name: text, message: { type: 'string', minLength: 1 } });
