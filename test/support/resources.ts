import { expect } from 'vitest';
import type { CollectionName } from '../../src/state/collections.ts';
import { webhookTo } from './http/receiver.ts';
import { TEMPLATE } from './release-plans.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A kind of object that people create, read, list, change and delete: what the suites over all kinds need to know of it. */
export interface Resource {
  readonly collection: CollectionName;
  /** Its operations are those of this path and of the paths that begin with it. */
  readonly path: string;
  /** The parameters in the path. */
  readonly at?: Readonly<Record<string, string>>;
  /** The field that is the last part of its address, unless it is `id`. */
  readonly key?: 'name';
  /** The field whose text must be unique, unless it is `name`; null: none. */
  readonly unique?: 'id' | 'username' | null;
  /** The beginning of the types of its events; personal objects have none. */
  readonly event?: string;
  /** The field of an event that names it. */
  readonly place?: 'project' | 'environment';
  /** It belongs to the user who calls; an admin token has none. */
  readonly isPersonal?: true;
  /** A body that creates one, with every field that a person can set and that answers show. */
  readonly example: Fields;
  /** Fields that need not be sent, and what they are then. */
  readonly defaults: Fields;
  /** Fields that answers and events show in another way than they were sent. */
  readonly shown?: Fields;
  /** Fields that only the answer about one object has. */
  readonly onlyRead?: readonly string[];
  /** The answer to its creation has no address. */
  readonly hasNoLocation?: true;
  /** Fields that its events do not have. */
  readonly notAudited?: readonly string[];
  /** The fields of two changes, made one after the other. */
  readonly changes: readonly [Fields, Fields];
  /** A change replaces the whole object. */
  readonly isReplaced?: true;
  /** Its name is chosen by people, and no name is special. */
  readonly takesAnyName?: true;
  /** Fields that make the example invalid, each alone; undefined: the field is not sent. */
  readonly invalid: Readonly<Record<string, Fields>>;
  /** Operations that do not answer 404 for an object that does not exist. */
  readonly notMissing?: readonly string[];
}

const LONG = 'x'.repeat(101);
const beta = { contextName: 'userId', operator: 'IN', values: ['1', '2'] };
const constraint = (contextName: string, operator: string, rest: object) => ({
  constraints: [{ contextName, operator, ...rest }],
});

const CONTEXT_FIELD = {
  collection: 'contextFields',
  key: 'name',
  event: 'context-field',
  example: {
    name: 'tier',
    description: 'Plan',
    stickiness: true,
    sortOrder: 7,
    legalValues: [{ value: 'gold', description: 'Pays' }, { value: 'silver' }],
  },
  defaults: { description: null, stickiness: false, legalValues: [] },
  changes: [{ description: null, stickiness: false }, { legalValues: [{ value: 'bronze' }] }],
  invalid: {
    'no name': { name: undefined },
    'a name with a blank': { name: 'user id' },
    'a name that is too long': { name: LONG },
    'legal values that are no list': { legalValues: 'gold' },
    'a legal value without a value': { legalValues: [{ description: 'gold' }] },
    'an empty legal value': { legalValues: [{ value: '' }] },
    'a legal value twice': { legalValues: [{ value: 'a' }, { value: 'a' }] },
    'an invalid sort order': { sortOrder: 'first' },
  },
} as const;

const TABLE: Readonly<Record<string, Resource>> = {
  'a tag type': {
    collection: 'tagTypes',
    path: '/api/admin/tag-types',
    key: 'name',
    takesAnyName: true,
    event: 'tag-type',
    example: { name: 'team', description: 'Who owns it', icon: null, color: '#00ff00' },
    defaults: { description: null, icon: null, color: null },
    changes: [{ icon: 'T' }, { color: null }],
    invalid: {
      'no name': { name: undefined },
      'a name of one character': { name: 'x' },
      'a name with a colon': { name: 'a:b' },
      'a name that is too long': { name: LONG.slice(50) },
      'an invalid color': { color: 'green' },
      'a description that is not a string': { description: {} },
    },
  },
  'a context field': {
    path: '/api/admin/context',
    ...CONTEXT_FIELD,
    takesAnyName: true,
    notMissing: ['getStrategiesByContextField'],
  },
  'a context field of a project': {
    path: '/api/admin/projects/:projectId/context',
    at: { projectId: 'default' },
    ...CONTEXT_FIELD,
    notMissing: ['getProjectStrategiesByContextField'],
  },
  'a segment': {
    collection: 'segments',
    path: '/api/admin/segments',
    isReplaced: true,
    event: 'segment',
    notMissing: ['getSegmentHistory'],
    example: { name: 'beta', description: 'Testers', constraints: [beta] },
    defaults: { description: null },
    changes: [{ description: 'Friends' }, { constraints: [{ ...beta, values: ['3'] }] }],
    invalid: {
      'no name': { name: undefined },
      'a blank name': { name: ' ' },
      'a name that is too long': { name: LONG },
      'no constraints': { constraints: undefined },
      'a constraint without fields': { constraints: [{}] },
      'a project that does not exist': { project: 'nowhere' },
      'an unknown operator': constraint('userId', 'LIKE', { values: [] }),
      'no number': constraint('age', 'NUM_GT', { value: 'old' }),
      'no date': constraint('currentTime', 'DATE_AFTER', { value: 'soon' }),
      'no version': constraint('v', 'SEMVER_EQ', { value: 'v1.0' }),
      'no expression': constraint('v', 'REGEX', { value: '(' }),
      'no address': constraint('ip', 'IN_CIDR', { values: ['10.0.0.0/99'] }),
    },
  },
  'a strategy type': {
    collection: 'strategyTypes',
    path: '/api/admin/strategies',
    key: 'name',
    isReplaced: true,
    event: 'strategy',
    example: {
      name: 'custom',
      title: 'T',
      description: 'd',
      parameters: [{ name: 'p', type: 'list', description: 'x', required: true }],
    },
    defaults: { title: null, description: null },
    changes: [{ description: 'e' }, { parameters: [] }],
    invalid: {
      'an invalid name': { name: 'a b' },
      'no parameters': { parameters: undefined },
      'an unknown type of a parameter': { parameters: [{ name: 'p', type: 'date' }] },
      'a parameter twice': { parameters: [{ name: 'p' }, { name: 'p' }] },
    },
  },
  'an environment': {
    collection: 'environments',
    path: '/api/admin/environments',
    key: 'name',
    takesAnyName: true,
    event: 'environment',
    place: 'environment',
    example: { name: 'staging', type: 'preproduction', sortOrder: 150, enabled: true },
    defaults: { sortOrder: 9999, enabled: true },
    changes: [{ type: 'test', fetchMode: 'streaming' }, { sortOrder: 151 }],
    invalid: {
      'no name': { name: undefined },
      'no type': { type: undefined },
      'an empty type': { type: '' },
      'a name that means all of them': { name: '*' },
      'a name with a slash': { name: 'a/b' },
      'a name with an emoji': { name: 'x🚀' },
      'a name that is too long': { name: LONG },
      'a sort order that is not an integer': { sortOrder: 1.5 },
      'a string for a boolean': { enabled: 'yes' },
      'an unknown way to get changes': { fetchMode: 'pushing' },
    },
  },
  'a project': {
    collection: 'projects',
    path: '/api/admin/projects',
    unique: 'id',
    takesAnyName: true,
    event: 'project',
    place: 'project',
    notMissing: ['addFavoriteProject', 'removeFavoriteProject', 'getFeatures'],
    example: { id: 'mobile', name: 'Mobile', description: 'Apps', mode: 'protected', featureLimit: 5 },
    defaults: { description: null, mode: 'open', featureLimit: null },
    changes: [{ name: 'Handheld' }, { description: null }],
    invalid: {
      'an id with a slash': { id: 'a/b' },
      'an id with a percent sign': { id: 'a%20b' },
      'an id that is an emoji': { id: '🚀' },
      'two dots as id': { id: '..' },
      'an id that means all of them': { id: '*' },
      'an id that is too long': { id: LONG },
      'no name': { name: undefined },
      'a blank name': { name: ' ' },
      'an unknown mode': { mode: 'secret' },
      'a description that is a number': { description: 7 },
      'a limit below 0': { featureLimit: -1 },
      'an environment that does not exist': { environments: ['nowhere'] },
      'environments that are not a list': { environments: 'production' },
    },
  },
  'a role': {
    collection: 'roles',
    path: '/api/admin/roles',
    isReplaced: true,
    event: 'role',
    hasNoLocation: true,
    example: { name: 'Releaser', description: 'Switches', type: 'custom' },
    defaults: { description: '', type: 'custom' },
    changes: [{ description: 'Switches flags' }, { description: '' }],
    invalid: {
      'an unknown permission': { permissions: [{ name: 'FLY' }] },
      'a permission that is special in JavaScript': { permissions: [{ name: '__proto__' }] },
      'the admin permission': { type: 'root-custom', permissions: [{ name: 'ADMIN' }] },
      'an instance permission in a project role': { permissions: [{ name: 'CREATE_PROJECT' }] },
      'a project permission with an environment': {
        permissions: [{ name: 'CREATE_FEATURE', environment: 'development' }],
      },
      'an environment permission without an environment': { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT' }] },
      'an unknown environment': { permissions: [{ name: 'UPDATE_FEATURE_ENVIRONMENT', environment: 'nowhere' }] },
      'a built-in type': { type: 'root' },
      'a blank name': { name: '  ' },
    },
  },
  'a group': {
    collection: 'groups',
    path: '/api/admin/groups',
    isReplaced: true,
    event: 'group',
    example: { name: 'Engineers', description: 'Builders', mappingsSSO: ['eng'], rootRole: 2 },
    defaults: { mappingsSSO: [] },
    changes: [{ description: 'Makers' }, { mappingsSSO: [] }],
    invalid: {
      'a blank name': { name: ' ' },
      'an unknown member': { users: [{ user: { id: 999 } }] },
      'a role of projects': { rootRole: 4 },
      'an unknown role': { rootRole: 99 },
    },
  },
  'a user': {
    collection: 'users',
    path: '/api/admin/user-admin',
    unique: 'username',
    event: 'user',
    example: { name: 'Ann', username: 'ann', rootRole: 2 },
    defaults: {},
    changes: [{ rootRole: 3 }, { name: 'Anna' }],
    invalid: {
      'an unknown name of a root role': { rootRole: 'Owner' },
      'a role of projects': { rootRole: 4 },
      'an unknown role': { rootRole: 99 },
      'neither email nor username': { username: undefined },
      'an empty username': { username: '' },
      'a blank username': { username: ' ' },
      'a username that begins with a blank': { username: ' a' },
      'an email without an @': { email: 'no-at' },
      'an email with a blank': { email: 'a b@c' },
      'an email without a name': { email: '@' },
      'an email without a host': { email: 'a@' },
      'an empty email': { email: '' },
    },
  },
  'a service account': {
    collection: 'users',
    path: '/api/admin/service-account',
    unique: 'username',
    event: 'service-account',
    example: { name: 'Release train', username: 'train', rootRole: 2 },
    defaults: {},
    changes: [{ name: 'Freight train' }, { rootRole: 3 }],
    invalid: {
      'neither name nor username': { name: undefined, username: undefined },
      'a role of projects': { rootRole: 5 },
    },
  },
  'a banner': {
    collection: 'banners',
    path: '/api/admin/banners',
    unique: null,
    event: 'banner',
    example: {
      message: 'Down at noon',
      enabled: false,
      variant: 'warning',
      sticky: true,
      icon: 'none',
      link: 'dialog',
      linkText: 'Why?',
      dialogTitle: 'Because',
      dialog: '# Repairs',
    },
    defaults: {
      enabled: true,
      variant: 'info',
      sticky: false,
      icon: null,
      link: null,
      linkText: 'More info',
      dialogTitle: 'More info',
      dialog: null,
    },
    changes: [{ message: 'Down at one', sticky: false }, { link: 'https://example.com/why' }],
    invalid: {
      'no message': { message: undefined },
      'an empty message': { message: '' },
      'a message that is too long': { message: 'x'.repeat(10_001) },
      'an unknown variant': { variant: 'loud' },
      'a number for a boolean': { enabled: 3 },
      'a link that runs something': { link: 'javascript:alert(1)' },
      'a link whose scheme is hidden': { link: 'java\tscript:alert(1)' },
      'a link with data in it': { link: 'data:text/html,<script>' },
      'a link that is too long': { link: `/${'x'.repeat(2_000)}` },
    },
  },
  'a signal endpoint': {
    collection: 'signalEndpoints',
    path: '/api/admin/signal-endpoints',
    isReplaced: true,
    event: 'signal-endpoint',
    example: { name: 'grafana', description: 'Alerts', enabled: true },
    defaults: { description: null, enabled: true },
    changes: [{ description: null }, { enabled: false }],
    invalid: { 'a name that does not fit into a path': { name: 'not a/name' } },
  },
  'an integration': {
    collection: 'addons',
    path: '/api/admin/addons',
    unique: null,
    isReplaced: true,
    event: 'addon-config',
    example: webhookTo('http://127.0.0.1:9/', { enabled: false, description: 'Nowhere', projects: ['default'] }),
    shown: { parameters: { url: '*****' } },
    defaults: { description: null, projects: [] },
    changes: [{ description: null }, { events: ['segment-created'] }],
    invalid: {
      'an unknown provider': { provider: 'pigeon' },
      'an unknown event': { events: ['no-such-event'] },
      'an unknown project': { projects: ['nowhere'] },
      'an unknown environment': { environments: ['nowhere'] },
    },
  },
  'a release template': {
    collection: 'releasePlanTemplates',
    path: '/api/admin/release-plan-templates',
    unique: null,
    isReplaced: true,
    event: 'release-plan-template',
    hasNoLocation: true,
    example: { ...TEMPLATE, milestones: [{ name: 'Ten' }, { name: 'All' }] },
    shown: { milestones: [expect.objectContaining({ name: 'Ten' }), expect.objectContaining({ name: 'All' })] },
    notAudited: ['milestones'],
    defaults: { description: null },
    changes: [{ name: 'More careful' }, { description: 'All first' }],
    invalid: { 'no name': { name: undefined }, 'a milestone without a name': { milestones: [{}] } },
  },
  'a release template of a project': {
    collection: 'releasePlanTemplates',
    path: '/api/admin/projects/:projectId/release-plan-templates',
    at: { projectId: 'default' },
    unique: null,
    isReplaced: true,
    event: 'release-plan-template',
    hasNoLocation: true,
    example: { ...TEMPLATE, milestones: [{ name: 'Ten' }, { name: 'All' }] },
    shown: { milestones: [expect.objectContaining({ name: 'Ten' }), expect.objectContaining({ name: 'All' })] },
    notAudited: ['milestones'],
    defaults: { description: null },
    changes: [{ name: 'More careful' }, { description: 'All first' }],
    invalid: { 'no name': { name: undefined }, 'a milestone without a name': { milestones: [{}] } },
  },
  'a saved view': {
    collection: 'savedViews',
    path: '/api/admin/user/views',
    isReplaced: true,
    isPersonal: true,
    example: { name: 'Stale', screen: 'flags', query: 'state=IS:stale' },
    defaults: {},
    changes: [{ query: '{"a":1}' }, { query: '' }],
    invalid: { 'no screen': { screen: undefined }, 'a query that is too long': { query: 'x'.repeat(4_001) } },
  },
  'a context set': {
    collection: 'contextSets',
    path: '/api/admin/user/contexts',
    isPersonal: true,
    onlyRead: ['contexts'],
    example: { name: 'Staff', project: null, contexts: [{ userId: '1', properties: { country: 'NO' } }] },
    defaults: { project: null },
    changes: [{ name: 'All staff' }, { contexts: [{ appName: 'web', plan: 'pro' }] }],
    invalid: {
      'no contexts': { contexts: undefined },
      'too many contexts': { contexts: Array.from({ length: 1_001 }, (_, index) => ({ userId: String(index) })) },
      'too many bytes': { contexts: [{ userId: 'x'.repeat(500_001 - '[{"userId":""}]'.length) }] },
    },
  },
};

/** The kinds, each with words for it. */
export const RESOURCES = Object.entries(TABLE).map(([what, resource]) => ({ what, ...resource }));
