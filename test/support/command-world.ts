import { bootstrap } from '../../src/features/instance/bootstrap.ts';
import { DEFAULT_LIMITS } from '../../src/features/modules.ts';
import { systemCaller } from '../../src/model/caller.ts';
import { ROLE_ID } from '../../src/model/role.ts';
import type { Strategy } from '../../src/model/strategy.ts';
import { hashedSecret } from '../../src/model/token-secret.ts';
import { Draft } from '../../src/state/draft.ts';
import type { State } from '../../src/state/state.ts';
import { customRole, give, putGroup, user } from '../access/people.ts';
import { flag, switchedOn } from './admin.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const SECRET = 'default:development.secret';
const LATER = '2030-01-01T00:00:00.000Z';
const SIGNUP_SECRET = 'a'.repeat(32);
const PASSWORD_HASH = 'scrypt$1024$8$1$c2FsdA$a2V5';

/** Names of entities in the seeded state, and texts that careless code handles wrong. */
export const SPECIAL_TEXTS = [
  'default',
  'other',
  'empty',
  'development',
  'production',
  'staging',
  'live',
  'child',
  'parent',
  'archived',
  'fresh-name',
  'strategy-development-1',
  'updateEnabled',
  'userId',
  'plan',
  'gold',
  'simple',
  'tag',
  'flexibleRollout',
  'custom',
  'unused',
  '50',
  'red',
  SECRET,
  '*:*.new',
  '*',
  '#a1B2c3',
  '2026-03-01T00:00:00.000Z',
  '/0',
  '/-',
  '/title',
  '/description',
  'https://example.org/{{feature}}',
  '/stale',
  '__proto__',
  'constructor',
  'é\u2028"\\',
  '{"a":1}',
  '1.2.3',
  'a'.repeat(43),
  'user-1@example.org',
  'NEW@example.org',
  'CREATE_FEATURE',
  'UPDATE_FEATURE_ENVIRONMENT',
  'role-1',
  hashedSecret('first'),
  hashedSecret('third'),
  hashedSecret('link'),
  SIGNUP_SECRET,
  PASSWORD_HASH,
] as const;

const strategy = (id: string): Strategy => ({ ...(switchedOn('development').strategies[0] as Strategy), id });

const ADDON = {
  provider: 'webhook',
  description: null,
  enabled: true,
  events: ['feature-created'],
  projects: ['default', 'other'],
  environments: [],
  parameters: { url: { sealed: 'v1.x' } },
};

const ACTION_SET = {
  project: 'default',
  name: 'Off after errors',
  description: null,
  enabled: true,
  actorId: 5,
  sourceId: 1,
  filters: [{ path: 'status', operator: 'IN' as const, values: ['firing'] }],
  actions: [{ action: 'TOGGLE_FEATURE_OFF' as const, featureName: 'live', environment: 'development' }],
};

const SAFEGUARD = {
  metricName: 'errors',
  labels: {},
  aggregation: 'count' as const,
  operator: '>' as const,
  threshold: 5,
  windowMinutes: 10,
  action: 'disable' as const,
};

const milestone = (id: string) => ({
  id,
  name: id,
  sortOrder: 1,
  strategies: [{ ...strategy(`${id}-strategy`), segments: [] }],
  intervalMinutes: 1,
});

/** A template, a flag with a plan whose next milestone is due, and one with a plan that is paused. */
function putPlans(world: Draft): void {
  const milestones = [milestone('first'), milestone('second')];
  const named = { name: 'Careful', description: null, milestones, createdByUserId: 1, createdAt: NOW };
  world.put('releasePlanTemplates', { id: 'template', ...named, archivedAt: null });
  const running = {
    id: 'release',
    ...named,
    templateId: 'template',
    activeMilestoneId: 'first',
    countingFrom: NOW,
    safeguards: [{ id: 'guard', ...SAFEGUARD }],
  };
  const on = { environment: 'development', enabled: true, strategies: milestones[0]?.strategies ?? [], variants: [] };
  world.put('features', flag('released', { environments: [{ ...on, releasePlan: running }] }));
  const paused = { ...running, paused: { at: NOW, reason: 'errors' } };
  world.put('features', flag('waiting', { environments: [{ ...on, releasePlan: paused }] }));
}

const BANNER = {
  message: 'Hello',
  enabled: true,
  variant: 'info' as const,
  sticky: false,
  icon: null,
  link: null,
  linkText: null,
  dialogTitle: null,
  dialog: null,
};

/** Two endpoints, an action set of the first one, and two executions that wait. */
function putSignals(world: Draft): void {
  const signalToken = { id: 1, name: 'cluster', secret: hashedSecret('signal'), createdAt: NOW, createdByUserId: 1 };
  for (const id of [1, 2]) {
    const rest = { description: null, enabled: true, createdAt: NOW, createdByUserId: 1 };
    world.put('signalEndpoints', { id, name: `monitor-${id}`, tokens: id === 1 ? [signalToken] : [], ...rest });
  }
  world.put('signals', { id: 1, endpointId: 1, tokenId: 1, createdAt: NOW, payload: '{}', bytes: 2 });
  const actions = ACTION_SET.actions.map((action) => ({ id: 1, ...action }));
  world.put('actionSets', { id: 1, ...ACTION_SET, actions, createdAt: NOW, createdByUserId: 1 });
  const waiting = actions.map((action) => ({ ...action, state: 'started' as const, details: null, isChange: false }));
  for (const id of [1, 2]) {
    // Actions of older signals are not made.
    const rest = { refusal: null, repeated: 0, createdAt: LATER, updatedAt: NOW, actions: waiting };
    world.put('actionRuns', { id, actionSetId: 1, project: 'default', signalId: 1, state: 'started', ...rest });
  }
  for (const counter of ['signalTokens', 'signals', 'actionSets']) world.put('counters', { value: 1 }, counter);
  for (const counter of ['signalEndpoints', 'actionRuns']) world.put('counters', { value: 2 }, counter);
}

/** A state in which every command can change something. */
export function seedWorld(state: State): Draft {
  const world = new Draft(state);
  const caller = systemCaller();
  bootstrap.decide(
    {
      draft: world,
      caller,
      by: caller.author,
      now: NOW,
      newId: () => 'id',
      emit: () => {},
      limits: DEFAULT_LIMITS,
      whenRemoved: [],
    },
    {},
  );
  const project = world.get('projects', 'default');
  if (!project) throw new Error('bootstrapping makes a default project');
  world.put('projects', { ...project, id: 'other', name: 'Other', environments: ['development'] });
  world.put('projects', { ...project, id: 'empty', name: 'Empty', environments: [] });
  world.put('projects', { ...project, id: 'away', name: 'Away', archivedAt: NOW });
  world.put('environments', { name: 'staging', type: 'test', enabled: true, protected: false, sortOrder: 3 });
  const legalValues = [{ value: 'gold' }, { value: 'silver' }];
  const field = { description: null, stickiness: true, sortOrder: 1, createdAt: NOW };
  world.put('contextFields', { ...field, name: 'plan', legalValues });
  world.put('tagTypes', { name: 'unused', description: null, icon: null, color: null });
  const type = { title: null, description: null, editable: true, deprecated: false, parameters: [] };
  world.put('strategyTypes', { ...type, name: 'custom' });
  world.put('strategyTypes', { ...type, name: 'unused' });
  const constraints = [{ contextName: 'userId', operator: 'IN' as const, values: ['1'] }];
  for (const id of [1, 2]) {
    const rest = { description: null, constraints, project: null, createdBy: 'test', createdAt: NOW };
    world.put('segments', { id, name: `segment-${id}`, ...rest });
  }
  world.put('counters', { value: 2 }, 'segments');
  const development = {
    ...switchedOn('development', [1]),
    strategies: [strategy('strategy-development-1'), { ...strategy('s2'), disabled: true, sortOrder: 1 }],
    variants: [{ name: 'red', weight: 1000, weightType: 'variable' as const, stickiness: 'default' }],
  };
  world.put('features', flag('parent', { environments: [development], tags: [TAG], links: [LINK] }));
  world.put('features', flag('live', { environments: [development, switchedOn('staging')] }));
  const dependencies = [{ feature: 'parent', enabled: true, variants: [] }];
  world.put('features', flag('child', { dependencies }));
  world.put('features', flag('archived', { archived: true, archivedAt: NOW }));
  world.put('features', flag('plain'));
  world.put('banners', { ...BANNER, id: 1, createdAt: NOW });
  world.put('counters', { value: 1 }, 'banners');
  world.put('addons', { id: 1, ...ADDON, createdAt: NOW });
  world.put('counters', { value: 1 }, 'addons');
  const attempts = { recorded: 1, delivered: 1, failures: 0, failingSince: null, nextAttemptAt: null };
  world.put('addonDeliveries', { id: 1, cursor: 2, ...attempts, parkedAt: null, lease: null });
  const attempt = { eventId: 2, at: NOW, state: 'success' as const, stateDetails: 'Delivered.', status: 200 };
  world.put('addonAttempts', { addon: 1, number: 1, ...attempt });
  putSignals(world);
  putPlans(world);
  world.put('preferences', { userId: 3, key: 'rows', value: 'compact', bytes: 9, updatedAt: NOW });
  const times = { createdAt: NOW, updatedAt: NOW };
  world.put('savedViews', { id: 1, userId: 3, name: 'All', screen: 'flags', query: '', bytes: 40, ...times });
  world.put('contextSets', { id: 1, userId: 3, name: 'Few', project: 'default', contexts: [], bytes: 2, ...times });
  for (const counter of ['savedViews', 'contextSets']) world.put('counters', { value: 1 }, counter);
  const steps = [{ stage: 'live' as const, enteredStageAt: NOW }];
  const completed = { stage: 'completed' as const, enteredStageAt: NOW, status: 'kept' as const };
  world.put('lifecycles', { feature: 'parent', steps: [...steps, completed] });
  world.put('lifecycles', { feature: 'archived', steps });
  world.put('applications', {
    appName: 'known',
    createdAt: NOW,
    createdBy: 'test',
    updatedAt: NOW,
    description: null,
    url: null,
    icon: null,
    color: null,
  });
  const code = { commit: 'abc', branch: 'main', link: null, reportedAt: NOW, reportedBy: 'test', bytes: 80 };
  world.put('codeRepositories', { name: 'acme/shop', ...code });
  const places = [{ path: 'a.ts', line: 1 }];
  for (const flagName of ['live', 'gone']) world.put('codeReferences', { repository: 'acme/shop', flagName, places });
  world.put('apiTokens', {
    secret: SECRET,
    tokenName: 'mine',
    type: 'client',
    environment: 'development',
    projects: ['default'],
    createdAt: NOW,
    expiresAt: null,
    seenAt: null,
    alias: null,
  });
  seedPeople(world);
  seedRequests(world);
  return world;
}

/** Two admins, a viewer who owns a project, a group that is a member of it, and custom roles. */
function seedPeople(world: Draft): void {
  for (const id of [1, 2, 3]) world.put('users', user(id, { rootRole: id < 3 ? ROLE_ID.admin : ROLE_ID.viewer }));
  const identity = { protocol: 'oidc', issuer: 'https://idp.example.com', subject: 'four' } as const;
  world.put('users', user(4, { passwordHash: PASSWORD_HASH, identities: [identity] }));
  world.put('users', user(5, { accountType: 'Service Account', username: 'service', email: null }));
  world.put('counters', { value: 5 }, 'users');
  for (const [id, userId] of [
    [1, 3],
    [2, 5],
  ] as const) {
    const rest = { description: `token ${id}`, expiresAt: '2030-01-01T00:00:00.000Z', createdAt: NOW, seenAt: null };
    world.put('personalTokens', { secret: hashedSecret(`user:${id}`), id, userId, ...rest });
  }
  world.put('counters', { value: 2 }, 'personalTokens');
  const link = { secret: hashedSecret('link'), userId: 3, createdBy: 'test', createdAt: NOW, expiresAt: LATER };
  world.put('passwordLinks', link);
  const signup = { secret: SIGNUP_SECRET, name: 'Team', enabled: true, createdAt: NOW, expiresAt: LATER };
  world.put('signupTokens', { ...signup, createdBy: 'test', users: [3] });
  for (const [text, userId] of [
    ['first', 3],
    ['second', 4],
  ] as const) {
    world.put('sessions', {
      secret: hashedSecret(text),
      userId,
      createdAt: NOW,
      expiresAt: '2030-01-01T00:00:00.000Z',
      userAgent: 'test',
    });
  }
  world.put('roles', customRole(1, 'custom', [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'staging' }]));
  world.put('roles', customRole(2, 'root-custom', [{ name: 'CREATE_SEGMENT' }]));
  world.put('counters', { value: 2 }, 'roles');
  putGroup(world, 1, [2, 3]);
  const ofScim = { name: 'scim', description: null, mappingsSSO: [], rootRole: null, createdBy: 'scim' };
  world.put('groups', { id: 2, ...ofScim, createdAt: NOW, scim: { externalId: 'g2' } });
  world.put('counters', { value: 2 }, 'groups');
  give(world, 'other', 'user', 3, [ROLE_ID.owner]);
  give(world, 'other', 'group', 1, [ROLE_ID.member]);
}

/** An environment with change requests, and three requests of user 3: one in review, one draft, and one scheduled that is due. */
function seedRequests(world: Draft): void {
  world.put('changeRequestConfigs', { ...REVIEWED, enabled: true, requiredApprovals: 1 });
  const by = { id: 3, name: 'user-3@example.org' };
  const input = { ...REVIEWED, names: ['live'], enabled: true, activateDisabledStrategies: false };
  const change = {
    id: 1,
    action: 'updateEnabled' as const,
    feature: 'live',
    segment: null,
    usesSegments: [],
    basis: null,
    command: 'switch-features',
    input,
    bytes: 100,
    createdBy: by,
    createdAt: NOW,
  };
  const request = {
    ...REVIEWED,
    title: 'a request',
    minApprovals: 1,
    changes: [change, { ...change, id: 2 }],
    approvals: [],
    rejections: [],
    comments: [],
    schedule: null,
    createdBy: by,
    createdAt: NOW,
    closedAt: null,
  };
  world.put('changeRequests', { ...request, id: 1, state: 'In review' });
  world.put('changeRequests', { ...request, id: 2, state: 'Draft' });
  const schedule = {
    scheduledAt: NOW,
    status: 'pending' as const,
    reason: null,
    by: systemCaller().author,
    user: null,
  };
  world.put('changeRequests', { ...request, id: 3, state: 'Scheduled', schedule });
  world.put('counters', { value: 3 }, 'changeRequests');
  world.put('counters', { value: 2 }, 'requestedChanges');
}

const REVIEWED = { project: 'default', environment: 'production' } as const;

const NEW_LINK = { secret: hashedSecret('new link'), expiresAt: LATER };
const NEW_TOKEN = {
  description: 'CI',
  expiresAt: '2030-01-01T00:00:00.000Z',
  secret: hashedSecret('user:new'),
};
const LOCATION = { project: 'default', featureName: 'live', environment: 'development' };
const PLANNED = { ...LOCATION, featureName: 'released' };
const PLAN = { ...PLANNED, planId: 'release' };
const WATCHED = { featureName: 'released', environment: 'development', planId: 'release' };
const TEMPLATE_MILESTONE = { templateId: 'template', milestoneId: 'first' };
const STRATEGY = { ...LOCATION, strategyId: 'strategy-development-1' };
const LINK = { id: 'link-1', url: 'https://example.org', title: null };
const TYPE = { title: null, description: 'x', parameters: [] };
const TAG = { type: 'simple', value: 'tag' };

/** For every command, by its name: an input that the seeded state accepts. */
export const ACCEPTED_INPUTS: Readonly<Record<string, unknown>> = {
  bootstrap: {},
  'create-api-token': {
    type: 'client',
    tokenName: 'new',
    environment: 'development',
    projects: ['default'],
    expiresAt: null,
    secret: 'default:development.new',
  },
  'adopt-api-token': {
    type: 'client',
    tokenName: 'adopted',
    environment: 'development',
    projects: ['default'],
    expiresAt: null,
    secret: 'default:development.v2_0123456789abcdefghijkl_x',
    selector: '0123456789abcdefghijkl',
  },
  'update-api-token': { secret: SECRET, expiresAt: NOW },
  'delete-api-token': { secret: SECRET },
  'issue-tokens': {
    tokens: [{ environment: 'development', projects: ['default'], secret: 'default:development.issued' }],
  },
  mirror: {
    scopes: [
      {
        environment: 'development',
        projects: ['*'],
        etag: '"1"',
        removed: null,
        features: [
          {
            name: 'mirrored',
            enabled: true,
            type: 'release',
            project: 'default',
            stale: null,
            strategies: [
              {
                name: 'default',
                parameters: { rollout: 50 },
                constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'], value: null }],
                segments: [1],
              },
            ],
            variants: [{ name: 'v', weight: 1000, payload: { type: 'string', value: 'x' } }],
            dependencies: [{ feature: 'parent', enabled: false }],
          },
        ],
        segments: [{ id: 1, name: 'mirrored', constraints: [] }],
      },
    ],
  },
  'mirror-tokens': {
    tokens: [
      { secret: 'default:development.mirrored', type: 'client', environment: 'development', projects: ['default'] },
    ],
    gone: ['default:development.gone'],
  },
  'warn-of-token-expiry': { secrets: [SECRET] },
  'mark-tokens-seen': { uses: [{ secret: SECRET, seenAt: NOW }] },
  'open-session': {
    userId: 4,
    passwordHash: PASSWORD_HASH,
    session: { secret: hashedSecret('third'), expiresAt: '2030-01-01T00:00:00.000Z', userAgent: 'test' },
  },
  'end-session': { secret: hashedSecret('first') },
  'end-other-sessions': {},
  'set-password': { userId: 3, passwordHash: PASSWORD_HASH },
  'change-own-password': { userId: 4, oldHash: PASSWORD_HASH, passwordHash: `${PASSWORD_HASH}A` },
  'create-password-link': { userId: 4, link: NEW_LINK },
  'use-password-link': { secret: hashedSecret('link'), passwordHash: PASSWORD_HASH },
  'create-signup-token': { name: 'Everybody', expiresAt: LATER, secret: 'b'.repeat(32) },
  'update-signup-token': { secret: SIGNUP_SECRET, enabled: false, expiresAt: LATER },
  'sign-up': { secret: SIGNUP_SECRET, email: 'new@example.org', name: 'New', passwordHash: PASSWORD_HASH },
  'create-personal-token': { userId: 3, ...NEW_TOKEN },
  'create-service-account-token': { userId: 5, ...NEW_TOKEN },
  'delete-personal-token': { userId: 3, id: 1 },
  'delete-service-account-token': { userId: 5, id: 2 },
  'mark-users-seen': {
    uses: [{ secret: hashedSecret('user:1'), seenAt: NOW }],
    wrong: [{ userId: 3, count: 2 }],
  },
  'create-service-account': { name: 'Release train', username: undefined, rootRole: ROLE_ID.editor },
  'update-service-account': { id: 5, name: 'Else', rootRole: ROLE_ID.viewer },
  'delete-service-account': { id: 5 },
  'configure-change-requests': { ...REVIEWED, enabled: true, requiredApprovals: 2 },
  'request-changes': {
    ...REVIEWED,
    changes: [
      { action: 'addStrategy', feature: 'live', payload: { name: 'default', segments: [1] } },
      { action: 'updateEnabled', feature: 'live', payload: { enabled: true } },
    ],
  },
  'edit-change': {
    project: 'default',
    id: 1,
    changeId: 1,
    change: { action: 'updateEnabled', payload: { enabled: false } },
  },
  'discard-change': { project: 'default', id: 1, changeId: 1 },
  'discard-change-request': { project: 'default', id: 2 },
  'rename-change-request': { project: 'default', id: 1, title: 'else' },
  'comment-change-request': { project: 'default', id: 1, text: 'why' },
  'move-change-request': { project: 'default', id: 1, state: 'Approved', comment: 'good', scheduledAt: undefined },
  'request-reviewers': { project: 'default', id: 1, reviewers: [1] },
  'apply-due-change-request': { id: 3 },
  'announce-applications': { applications: [{ appName: 'shop' }, { appName: 'till', projects: ['default'] }] },
  'update-application': { appName: 'known', description: 'Sells', url: undefined, color: null },
  'delete-application': { appName: 'known' },
  'replace-code-references': {
    repository: 'acme/shop',
    commit: 'def',
    branch: undefined,
    link: 'https://example.com/{path}',
    references: [{ flagName: 'plain', places: [{ path: 'b.ts', line: 2 }] }],
  },
  'delete-code-repository': { repository: 'acme/shop' },
  'create-context-field': { name: 'country', legalValues: [{ value: 'de', description: undefined }] },
  'update-context-field': { name: 'plan', description: null, sortOrder: 9 },
  'set-legal-value': { name: 'plan', legalValue: { value: 'bronze', description: 'x' } },
  'remove-legal-value': { name: 'plan', value: 'gold' },
  'delete-context-field': { name: 'plan' },
  'add-dependency': { project: 'default', child: 'live', parent: 'parent', enabled: true, variants: ['red'] },
  'remove-dependency': { project: 'default', child: 'child', parent: 'parent' },
  'remove-dependencies': { project: 'default', child: 'child' },
  'create-environment': { name: 'qa', type: 'test', enabled: undefined, sortOrder: 4 },
  'update-environment': { name: 'staging', sortOrder: 4 },
  'switch-environment': { name: 'staging', enabled: false },
  'sort-environments': { order: [{ name: 'staging', sortOrder: 1 }] },
  'delete-environment': { name: 'staging' },
  'copy-feature-environment': { ...LOCATION, targets: ['production'], parts: undefined },
  'clone-environment': { source: 'development', name: 'clone', type: 'test', projects: ['default'] },
  'record-export': { environment: 'development', features: ['live'] },
  'create-feature': { project: 'default', name: 'fresh', type: undefined, tags: [TAG] },
  'update-feature': { project: 'default', name: 'live', stale: true, description: null },
  'declare-feature': {
    project: 'default',
    name: 'live',
    description: 'Declared',
    type: 'string',
    manifest: { type: 'string', defaultValue: '"text"' },
  },
  'archive-declared-feature': { project: 'default', name: 'plain' },
  'patch-feature': { project: 'default', name: 'live', patch: [{ op: 'replace', path: '/stale', value: true }] },
  'mark-stale': { project: 'default', names: ['live', 'child'], stale: true },
  'clone-feature': { project: 'default', source: 'live', name: 'copy', replaceGroupId: true },
  'move-feature': { project: 'default', name: 'plain', newProject: 'other' },
  'archive-features': { project: 'default', names: ['parent', 'child'] },
  'revive-features': { project: 'default', names: ['archived'] },
  'delete-features': { project: 'default', names: ['archived'] },
  'revive-feature': { name: 'archived' },
  'delete-feature': { name: 'archived' },
  'switch-features': {
    project: 'default',
    names: ['live', 'child'],
    environment: 'production',
    enabled: true,
    activateDisabledStrategies: false,
  },
  'advance-lifecycles': { moves: [{ feature: 'live', stage: 'pre-live' }] },
  'complete-feature': { project: 'default', name: 'live', status: 'kept', statusValue: 'red' },
  'uncomplete-feature': { project: 'default', name: 'parent' },
  'add-tag': { featureName: 'live', tag: TAG },
  'update-tags': { featureName: 'live', addedTags: [TAG], removedTags: [] },
  'add-link': { project: 'default', featureName: 'live', url: 'https://example.org/x', title: null },
  'update-link': {
    project: 'default',
    featureName: 'parent',
    linkId: 'link-1',
    url: 'example.org',
    title: 'x',
  },
  'remove-link': { project: 'default', featureName: 'parent', linkId: 'link-1' },
  'update-tags-of-features': { project: 'default', names: ['live', 'child'], addedTags: [TAG], removedTags: [] },
  'create-tag': { type: 'simple', value: 'lonely' },
  'delete-tag': TAG,
  'remove-tag': { featureName: 'parent', tag: TAG },
  'take-over': {
    environments: [{ name: 'taken', type: 'production', enabled: true, protected: false, sortOrder: 7 }],
    projects: [
      {
        id: 'taken',
        name: 'Taken',
        description: null,
        mode: 'open',
        defaultStickiness: 'default',
        featureLimit: null,
        environments: ['taken'],
        createdAt: LATER,
        archivedAt: null,
        featureNaming: { pattern: 'taken.*', example: 'taken-1', description: null },
        linkTemplates: [{ title: null, urlTemplate: 'https://example.org/{{feature}}' }],
      },
    ],
    contextFields: [
      {
        name: 'taken',
        description: null,
        stickiness: false,
        sortOrder: 3,
        createdAt: LATER,
        project: null,
        legalValues: [{ value: 'gold', description: 'of gold' }],
      },
    ],
    tagTypes: [{ name: 'taken', description: null, icon: null, color: '#ffffff' }],
    tags: [{ type: 'taken', value: 'alone' }],
    strategyTypes: [
      {
        name: 'taken',
        title: null,
        description: null,
        deprecated: true,
        parameters: [{ name: 'of', type: 'list', description: '', required: true }],
      },
    ],
    segments: [
      {
        id: 900,
        name: 'taken',
        description: null,
        project: null,
        createdAt: LATER,
        createdBy: 'ann',
        constraints: [{ contextName: 'userId', operator: 'IN', values: ['1'] }],
      },
    ],
    segmentNames: [{ id: 12, name: 'taken' }],
    defaultStrategies: [
      {
        project: 'taken',
        environment: 'taken',
        strategy: {
          name: 'default',
          title: null,
          disabled: false,
          parameters: {},
          constraints: [],
          segments: [12],
          variants: [],
        },
      },
    ],
    features: [
      {
        name: 'taken-parent',
        project: 'taken',
        type: 'release',
        description: null,
        stale: false,
        impressionData: true,
        createdAt: LATER,
        archivedAt: null,
        createdBy: 'ann',
        dependencies: [],
        environments: [],
        tags: [],
        links: [],
      },
      {
        name: 'taken-child',
        project: 'taken',
        type: 'release',
        description: null,
        stale: false,
        impressionData: true,
        createdAt: LATER,
        archivedAt: null,
        createdBy: 'ann',
        dependencies: [{ feature: 'taken-parent', enabled: true, variants: ['red'] }],
        tags: [{ type: 'taken', value: 'gold' }],
        links: [{ id: 'link', url: 'https://example.org', title: 'more' }],
        keepsOthers: true,
        environments: [
          {
            environment: 'taken',
            enabled: true,
            strategies: [
              {
                id: 'one',
                name: 'taken',
                title: 'One',
                disabled: false,
                parameters: { of: 'a,b' },
                constraints: [{ contextName: 'taken', operator: 'IN', values: ['lead'] }],
                segments: [12],
                variants: [{ name: 'red', weight: 1_000, weightType: 'variable', stickiness: 'default' }],
              },
            ],
            variants: [
              {
                name: 'red',
                weight: 1_000,
                weightType: 'variable',
                stickiness: 'default',
                payload: { type: 'string', value: 'r' },
                overrides: [{ contextName: 'userId', values: ['7'] }],
              },
            ],
          },
        ],
      },
    ],
    apiTokens: [
      {
        secret: 'taken:taken.given',
        tokenName: 'taken',
        type: 'client',
        isBackend: true,
        environment: 'taken',
        projects: ['taken'],
        createdAt: LATER,
        expiresAt: null,
        alias: 'older',
      },
    ],
  },
  'import-features': {
    project: 'default',
    environment: 'development',
    contextFields: [{ name: 'new' }],
    tagTypes: [{ name: 'new' }],
    segments: [{ id: 7, name: 'segment-1' }],
    problems: [],
    flags: [
      {
        name: 'imported',
        type: undefined,
        description: null,
        stale: false,
        impressionData: true,
        setting: { enabled: true, variants: [] },
        tags: [TAG],
        dependencies: [],
        strategies: [
          {
            name: 'flexibleRollout',
            title: null,
            disabled: false,
            parameters: {},
            constraints: [],
            segments: [7],
            variants: [],
          },
        ],
      },
    ],
  },
  'favor-feature': { userId: 3, project: 'default', featureName: 'live', isFavorite: true },
  'favor-project': { userId: 3, project: 'other', isFavorite: true },
  'set-feature-type-lifetime': { id: 'release', lifetimeDays: 3 },
  'mark-potentially-stale': { names: ['live', 'child'] },
  'create-addon': { ...ADDON, lastEventId: 4 },
  'update-addon': { ...ADDON, id: 1, enabled: false, lastEventId: 4, keptFrom: null },
  'delete-addon': { id: 1 },
  'claim-addon': { id: 1, holder: 'process-1', leaseMs: 1_000 },
  'record-deliveries': {
    id: 1,
    holder: 'process-1',
    leaseMs: 1_000,
    cursor: 3,
    attempts: [{ eventId: 3, at: NOW, state: 'success', stateDetails: 'Delivered.', status: 200 }],
    failure: null,
  },
  'create-signal-endpoint': { name: 'monitor-3', description: null, enabled: true },
  'update-signal-endpoint': { id: 1, name: 'monitor-4', description: null, enabled: false },
  'switch-signal-endpoint': { id: 1, enabled: false },
  'delete-signal-endpoint': { id: 2 },
  'create-signal-token': { endpointId: 1, name: 'second', secret: hashedSecret('second signal') },
  'update-signal-token': { endpointId: 1, tokenId: 1, name: 'renamed' },
  'delete-signal-token': { endpointId: 1, tokenId: 1 },
  'receive-signal': { endpointId: 1, tokenId: 1, payload: '{"status":"firing"}' },
  'create-action-set': { ...ACTION_SET, name: 'Another' },
  'update-action-set': { ...ACTION_SET, id: 1, name: 'Renamed' },
  'switch-action-set': { project: 'default', id: 1, enabled: false },
  'delete-action-set': { project: 'default', id: 1 },
  'run-action': { run: 1, index: 0 },
  'record-action-failure': { run: 2, index: 0, details: 'The flag does not exist.' },
  'create-banner': { message: 'Maintenance at noon', link: 'dialog', dialog: '**Soon**' },
  'update-banner': { id: 1, sticky: true },
  'switch-banner': { id: 1, enabled: false },
  'delete-banner': { id: 1 },
  'set-preference': { userId: 3, key: 'theme', value: { dark: true } },
  'delete-preference': { userId: 3, key: 'rows' },
  'create-saved-view': { userId: 3, name: 'Mine', screen: 'flags', query: 'state=IS:stale' },
  'update-saved-view': { userId: 3, id: 1, name: 'Mine', screen: 'flags', query: '{}' },
  'delete-saved-view': { userId: 3, id: 1 },
  'create-context-set': { userId: 3, name: 'Staff', project: 'default', contexts: [{ userId: '7' }] },
  'update-context-set': { userId: 3, id: 1, contexts: [{ userId: '8' }] },
  'delete-context-set': { userId: 3, id: 1 },
  'see-splash': { userId: 3, splashId: 'welcome' },
  'give-feedback': { userId: 3, feedbackId: 'survey', neverShow: true, given: NOW },
  'set-maintenance': { enabled: true },
  'set-frontend-origins': { origins: ['https://app.example.com'] },
  'create-user': { name: 'New', email: 'new@example.org', rootRole: 3, passwordHash: 'hash' },
  'update-user': { id: 1, name: 'Else', rootRole: 3 },
  'remove-user-identities': { id: 4 },
  'delete-user': { id: 3 },
  'delete-users': { ids: [1, 3, 99] },
  'create-role': { name: 'fresh', permissions: [{ name: 'CREATE_FEATURE', environment: null }] },
  'update-role': { id: 6, name: 'else', permissions: [] },
  'delete-role': { id: 7 },
  'create-group': { name: 'fresh', users: [1, 2], mappingsSSO: ['engineers'] },
  'update-group': { id: 1, name: 'else', users: [1], rootRole: 3 },
  'delete-group': { id: 1 },
  'set-scim-settings': { enabled: true, defaultRootRole: 2 },
  'replace-scim-token': { secret: `sha256:${'a'.repeat(64)}` },
  'remove-scim-users': {},
  'create-scim-user': { user: { userName: 'new@example.org', emails: [{ value: 'other@example.org', type: 'work' }] } },
  'replace-scim-user': { id: 3, user: { userName: 'else', name: { givenName: 'Else' }, active: false } },
  'patch-scim-user': { id: 3, operations: [{ op: 'replace', path: 'displayName', value: 'Else' }] },
  'delete-scim-token': {},
  'delete-scim-user': { id: 3 },
  'create-scim-group': { group: { displayName: 'fresh', externalId: 'g' }, members: [1, 2] },
  'replace-scim-group': { id: 2, group: { displayName: 'else' }, members: [3] },
  'patch-scim-group': { id: 2, operations: [{ op: 'add', path: 'members', value: [{ value: '1' }] }] },
  'delete-scim-group': { id: 2 },
  'set-project-roles': { project: 'other', holder: 'user', holderId: 1, roles: [4, 6] },
  'change-project-role': { project: 'other', holder: 'user', holderId: 1, role: 5, verb: 'add' },
  'add-project-access': { project: 'default', users: [2, 3], groups: [1], roles: [5] },
  'set-project-access': { project: 'other', roles: [{ id: 4, users: [1], groups: [1] }] },
  'create-project': { name: 'New one', environments: ['development'] },
  'update-project': {
    id: 'other',
    name: 'Else',
    featureLimit: 3,
    linkTemplates: [{ title: null, urlTemplate: 'https://example.org/{{feature}}' }],
    featureNaming: { pattern: '[a-z]+', example: 'a', description: null },
  },
  'archive-project': { id: 'empty' },
  'revive-project': { id: 'away' },
  'delete-project': { id: 'empty' },
  'set-default-strategy': {
    project: 'default',
    environment: 'development',
    strategy: { name: 'flexibleRollout', parameters: { rollout: '50' }, segments: [2] },
  },
  'add-project-environment': { project: 'empty', environment: 'development' },
  'remove-project-environment': { project: 'default', environment: 'development' },
  'create-segment': { name: 'new', constraints: [{ contextName: 'userId', operator: 'IN', values: ['2'] }] },
  'update-segment': { id: 1, name: 'else', constraints: [], project: 'default' },
  'delete-segment': { id: 2 },
  'sign-on': {
    origin: { protocol: 'oidc' },
    attempt: 'a'.repeat(43),
    attemptEndsAt: '2027-01-01T00:00:00.000Z',
    email: 'new@example.com',
    name: null,
    groups: ['engineers'],
    identity: { protocol: 'oidc', issuer: 'https://idp.example.com', subject: 'one' },
    policy: { autoCreate: true, emailDomains: ['example.com'], rootRole: 'Editor', isFixed: true },
    session: { secret: `sha256:${'0'.repeat(64)}`, expiresAt: '2027-01-01T00:00:00.000Z', userAgent: 'x' },
  },
  'set-saml-settings': {
    enabled: true,
    entityId: 'idp',
    signOnUrl: 'https://idp.example.com',
    certificate: 'some',
    spCertificate: { sealed: 'v1.sealed' },
    defaultRootRole: 'Editor',
    autoCreate: undefined,
  },
  'set-oidc-settings': { discoverUrl: 'https://idp.example.com', clientId: 'burgee', secret: { sealed: 'v1.sealed' } },
  'set-password-settings': { disabled: true },
  'create-release-template': { name: 'Fast', milestones: [{ name: 'All', strategies: [{ name: 'default' }] }] },
  'update-release-template': { templateId: 'template', name: 'Faster' },
  'archive-release-template': { templateId: 'template' },
  'delete-release-template': { templateId: 'template' },
  'add-template-milestone': { templateId: 'template', milestone: { name: 'Third' } },
  'update-template-milestone': { ...TEMPLATE_MILESTONE, milestone: { name: 'Renamed', transitionCondition: null } },
  'remove-template-milestone': TEMPLATE_MILESTONE,
  'add-template-strategy': { ...TEMPLATE_MILESTONE, strategy: { name: 'default' } },
  'update-template-strategy': { ...TEMPLATE_MILESTONE, strategyId: 'first-strategy', changes: { title: 'x' } },
  'remove-template-strategy': { ...TEMPLATE_MILESTONE, strategyId: 'first-strategy' },
  'add-release-plan': { ...LOCATION, templateId: 'template' },
  'remove-release-plan': PLAN,
  'start-milestone': { ...PLAN, milestoneId: 'second' },
  'start-milestone-by-name': { ...PLANNED, milestone: 'second' },
  'pause-release-plan': { ...PLAN, reason: 'errors' },
  'pause-only-release-plan': { ...PLANNED, reason: 'errors' },
  'resume-release-plan': { ...PLAN, featureName: 'waiting' },
  'set-milestone-progression': { ...PLANNED, milestoneId: 'second', transitionCondition: { intervalMinutes: 5 } },
  'remove-milestone-progression': { ...PLANNED, milestoneId: 'first' },
  'update-plan-strategy': { ...PLANNED, strategyId: 'first-strategy', changes: { title: 'x' } },
  'set-safeguard': { ...PLAN, safeguard: { ...SAFEGUARD, labels: undefined, action: undefined } },
  'remove-safeguard': { ...PLAN, safeguardId: 'guard' },
  'progress-release-plan': { ...WATCHED, milestoneId: 'first' },
  'trip-safeguard': { ...WATCHED, safeguardId: 'guard', safeguard: SAFEGUARD, value: 6 },
  'add-strategy': { ...LOCATION, strategy: { name: 'flexibleRollout', title: undefined, segments: [2] } },
  'update-strategy': { ...STRATEGY, changes: { disabled: true } },
  'patch-strategy': { ...STRATEGY, patch: [{ op: 'replace', path: '/title', value: 'x' }] },
  'set-strategy-segments': { ...STRATEGY, segments: [2] },
  'remove-strategy': STRATEGY,
  'sort-strategies': { ...LOCATION, order: [{ id: 's2', sortOrder: -1 }] },
  'create-strategy-type': { name: 'fresh', ...TYPE },
  'update-strategy-type': { name: 'custom', ...TYPE },
  'delete-strategy-type': { name: 'unused' },
  'deprecate-strategy-type': { name: 'custom', deprecated: true },
  'create-tag-type': { name: 'fresh', color: '#00ff00' },
  'update-tag-type': { name: 'simple', icon: null },
  'delete-tag-type': { name: 'unused' },
  'set-variants': { ...LOCATION, environment: undefined, environments: ['development'], variants: [] },
  'set-variants-everywhere': {
    project: 'default',
    featureName: 'live',
    variants: [{ name: 'a', weight: 10 }],
  },
  'patch-variants': {
    ...LOCATION,
    patch: [{ op: 'add', path: '/-', value: { name: 'blue', weight: 0, weightType: 'variable' } }],
  },
};
