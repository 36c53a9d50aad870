/** One number that bounds what an instance holds or a request may ask for. */
export interface Limit {
  /** What is counted, as it stands in a sentence: "at most 30 strategies of a flag in one environment". */
  readonly of: string;
  readonly default: number;
  /** The most the option may say. What these allow together keeps every piece of work within its bound. */
  readonly max: number;
  /** The environment variable that sets it: Unleash's where Unleash has one. Null: it is fixed. */
  readonly env: string | null;
}

function limit(of: string, usual: number, max: number, env: string): Limit {
  return { of, default: usual, max, env };
}

/** Larger than anybody needs, smaller than what would be felt: nobody is asked to choose. */
function fixed(of: string, value: number): Limit {
  return { of, default: value, max: value, env: null };
}

/**
 * Every limit, once: options, environment variables, error messages, `docs/limits.md` and the maxima of schemas derive from this table, and
 * `features/instance/limit-rules.ts` says where each is measured. A schema refuses what is above `max`; a command what is above the option.
 */
export const LIMITS = {
  featureFlags: limit('feature flags that are not archived', 100_000, 1_000_000, 'UNLEASH_FEATURE_FLAGS_LIMIT'),
  projects: limit('projects', 500, 5_000, 'UNLEASH_PROJECTS_LIMIT'),
  environments: limit('environments', 50, 200, 'UNLEASH_ENVIRONMENTS_LIMIT'),
  environmentCloneFlags: limit(
    'flags of the projects that one clone of an environment is made for; name fewer projects',
    50_000,
    1_000_000,
    'ENVIRONMENT_CLONE_FLAGS_LIMIT',
  ),
  defaultStrategies: limit('default strategies of projects', 5_000, 100_000, 'DEFAULT_STRATEGIES_LIMIT'),
  linkTemplates: limit('link templates of a project', 10, 100, 'LINK_TEMPLATES_LIMIT'),
  segments: limit('segments', 300, 5_000, 'UNLEASH_SEGMENTS_LIMIT'),
  apiTokens: limit('API tokens', 2_000, 100_000, 'UNLEASH_API_TOKENS_LIMIT'),
  featureEnvironmentStrategies: limit(
    'strategies of a flag in one environment',
    30,
    100,
    'UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT',
  ),
  constraints: limit('constraints of a strategy or a segment', 30, 300, 'UNLEASH_CONSTRAINTS_LIMIT'),
  constraintValues: limit('values of a constraint of a strategy', 250, 10_000, 'UNLEASH_CONSTRAINT_VALUES_LIMIT'),
  strategySegments: limit('segments of a strategy', 5, 50, 'UNLEASH_STRATEGY_SEGMENTS_LIMIT'),
  segmentValues: limit('values of all constraints of a segment', 1_000, 10_000, 'UNLEASH_SEGMENT_VALUES_LIMIT'),
  featureBytes: limit(
    'bytes of a flag in one environment, with the segments it uses, as SDKs are told of it',
    250_000,
    1_000_000,
    'FEATURE_BYTES_LIMIT',
  ),
  storedFeatureBytes: limit(
    'bytes of a flag in all its environments',
    500_000,
    2_000_000,
    'STORED_FEATURE_BYTES_LIMIT',
  ),
  featureTags: limit('tags of a flag', 100, 1_000, 'FEATURE_TAGS_LIMIT'),
  featureLinks: limit('links of a flag', 10, 100, 'FEATURE_LINKS_LIMIT'),
  featureVariants: limit(
    'variants of a flag in one environment, or of a strategy',
    100,
    1_000,
    'FEATURE_VARIANTS_LIMIT',
  ),
  variantOverrides: limit('overrides of a variant', 50, 100, 'VARIANT_OVERRIDES_LIMIT'),
  overrideValues: limit('values of an override', 1_000, 10_000, 'OVERRIDE_VALUES_LIMIT'),
  overrideFields: fixed('context fields that the overrides of a flag look at in one environment', 50),
  featureDependencies: limit('flags that a flag depends on', 5, 10, 'FEATURE_DEPENDENCIES_LIMIT'),
  dependencyVariants: limit('variants that a dependency names', 100, 1_000, 'DEPENDENCY_VARIANTS_LIMIT'),
  contextFields: limit('context fields', 500, 5_000, 'CONTEXT_FIELDS_LIMIT'),
  legalValues: limit('legal values of a context field', 1_000, 10_000, 'LEGAL_VALUES_LIMIT'),
  contextFieldBytes: limit('bytes of a context field', 250_000, 1_000_000, 'CONTEXT_FIELD_BYTES_LIMIT'),
  tags: limit('tags that were created on their own', 10_000, 100_000, 'TAGS_LIMIT'),
  tagTypes: limit('tag types', 500, 5_000, 'TAG_TYPES_LIMIT'),
  strategyTypes: limit('strategy types', 500, 5_000, 'STRATEGY_TYPES_LIMIT'),
  applications: limit('applications that SDKs report for', 1_000, 5_000, 'APPLICATIONS_LIMIT'),
  users: limit('users and service accounts', 10_000, 100_000, 'USERS_LIMIT'),
  personalTokens: limit('tokens of a user or a service account', 10, 1_000, 'PERSONAL_TOKENS_LIMIT'),
  banners: limit('banners', 100, 1_000, 'BANNERS_LIMIT'),
  favorites: limit('flags and projects that users marked as favourites', 100_000, 1_000_000, 'FAVORITES_LIMIT'),
  signupTokens: limit('public signup links', 100, 1_000, 'SIGNUP_TOKENS_LIMIT'),
  roles: limit('roles that people made', 1_000, 5_000, 'ROLES_LIMIT'),
  groups: limit('groups', 1_000, 10_000, 'GROUPS_LIMIT'),
  groupMembers: limit('memberships of users in groups', 100_000, 1_000_000, 'GROUP_MEMBERS_LIMIT'),
  projectRoles: limit(
    'users and groups with roles in projects, counted in each',
    100_000,
    1_000_000,
    'PROJECT_ROLES_LIMIT',
  ),
  changeRequests: limit('change requests, those that are closed included', 10_000, 100_000, 'CHANGE_REQUESTS_LIMIT'),
  openChangeRequests: limit('open change requests of a project', 500, 2_000, 'OPEN_CHANGE_REQUESTS_LIMIT'),
  changeRequestChanges: limit('changes of a change request', 50, 200, 'CHANGE_REQUEST_CHANGES_LIMIT'),
  changeRequestBytes: limit(
    'bytes of the changes of a change request',
    500_000,
    1_000_000,
    'CHANGE_REQUEST_BYTES_LIMIT',
  ),
  openChangeRequestBytes: limit(
    'bytes of all open change requests of a project, with their comments',
    20_000_000,
    200_000_000,
    'OPEN_CHANGE_REQUEST_BYTES_LIMIT',
  ),
  changeRequestsBytes: limit(
    'bytes of all change requests, with their comments; those that are closed give way, the oldest first',
    100_000_000,
    1_000_000_000,
    'CHANGE_REQUESTS_BYTES_LIMIT',
  ),
  changeRequestComments: limit('comments on a change request', 100, 500, 'CHANGE_REQUEST_COMMENTS_LIMIT'),
  playgroundContexts: limit(
    'combinations of context values that one request to the advanced playground asks for',
    1_000,
    1_000_000,
    'PLAYGROUND_CONTEXTS_MAX',
  ),
  playgroundResults: limit(
    'results (flags × environments × contexts) that one request to the advanced playground asks for',
    100_000,
    100_000_000,
    'PLAYGROUND_RESULTS_MAX',
  ),
  expressionCost: fixed('units (0.1 µs each) of compiling the conditions of a flag in one environment', 100_000),
  evaluationCost: fixed('µs of evaluating a flag in one environment, at the worst context there can be', 1_000),
  strategyParameters: fixed('parameters of a strategy, or of a strategy type', 100),
  parameterLength: fixed('characters of a strategy parameter', 500_000),
  linkLength: fixed('characters of the address of a link', 2_000),
  payloadLength: fixed("characters of a variant's payload", 100_000),
  constraintValueLength: fixed('characters of a value of a constraint, a legal value or an override', 4_096),
  textLength: fixed('characters of a description', 10_000),
  titleLength: fixed('characters of a title', 500),
  commentLength: fixed('characters of a comment on a change request', 2_000),
  requestedReviewers: fixed('people who are asked to review a change request', 10),
  closedChangeRequests: fixed(
    'closed change requests of a project that are kept; of more, the oldest is dropped',
    1_000,
  ),
  closedChangeRequestBytes: fixed(
    'bytes of the closed change requests of a project that are kept; of more, the oldest are dropped',
    10_000_000,
  ),
  contextProperties: fixed('properties of a context', 1_000),
  contextValueLength: fixed('characters of a context field', 4_096),
  namesInRequest: fixed('names of flags that a request selects', 1_000),
  patchOperations: fixed('operations of a JSON patch', 200),
  rolesOfHolder: fixed('roles of a user or a group in one project', 50),
  usersOfSignupToken: fixed('users who came in with one public signup link', 1_000),
  sessionsOfUser: fixed('sessions of a user at the same time', 50),
  favoritesOfUser: fixed('flags and projects that one user marked as favourites', 1_000),
  splashesOfUser: fixed('splash screens that one user has seen', 200),
  feedbackOfUser: fixed('things that one user was asked about', 200),
  frontendOrigins: fixed('origins whose pages may call the frontend API', 100),
  rolePermissions: fixed('permissions of a role', 2_000),
  usersInRequest: fixed('users, or groups, that a request names', 10_000),
  /** As many of both as `JSON_VALUES_MAX` lets in. */
  holdersInRequest: fixed('users, or groups, that a request names as objects', 4_990),
  groupMappings: fixed('groups of an identity provider that a group stands for', 100),
  reportTokens: fixed('tokens that a relay asks about at once', 1_000),
  batch: fixed('flags that one request changes', 100),
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/** Each limit as it is in force. */
export type Limits = { readonly [Name in LimitName]: number };

export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

/** The limits of an instance whose environment sets none. */
export const DEFAULT_LIMITS = Object.fromEntries(LIMIT_NAMES.map((name) => [name, LIMITS[name].default])) as Limits;
