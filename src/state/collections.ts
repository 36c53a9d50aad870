import { assert } from '../base/assert.ts';
import type { ApiToken } from '../model/api-token.ts';
import type { Application } from '../model/application.ts';
import type { Banner } from '../model/banner.ts';
import {
  authorKey,
  type ChangeRequest,
  type ChangeRequestConfig,
  draftKey,
  featuresOf,
  isOpen,
  parentsOf,
  placeKey,
  requestBytes,
} from '../model/change-request.ts';
import type { ContextField } from '../model/context-field.ts';
import { type DefaultStrategy, defaultStrategyKey } from '../model/default-strategy.ts';
import type { Environment } from '../model/environment.ts';
import { type Favorite, favoredKey, favoriteKey } from '../model/favorite.ts';
import { type Feature, tagText } from '../model/feature.ts';
import type { FeatureTypeLifetime, StaleMark } from '../model/feature-type.ts';
import { type Feedback, feedbackKey } from '../model/feedback.ts';
import { type Group, type GroupMember, membershipKey } from '../model/group.ts';
import type { Lifecycle } from '../model/lifecycle.ts';
import type { MirroredScope } from '../model/mirrored-scope.ts';
import type { PasswordLink } from '../model/password-link.ts';
import type { PersonalToken } from '../model/personal-token.ts';
import type { Project } from '../model/project.ts';
import { scopeKey } from '../model/project-list.ts';
import { type ProjectRoles, projectRolesKey } from '../model/project-roles.ts';
import type { ReappliedMark } from '../model/reapplied-mark.ts';
import { ROLE_ID, type Role } from '../model/role.ts';
import type { Segment } from '../model/segment.ts';
import type { Session } from '../model/session.ts';
import type { Setting } from '../model/setting.ts';
import { identityKey, type SignOnSettings, type SpentAttempt } from '../model/sign-on.ts';
import type { SignupToken } from '../model/signup-token.ts';
import { type SeenSplash, splashKey } from '../model/splash.ts';
import type { StrategyType } from '../model/strategy-type.ts';
import type { Tag } from '../model/tag.ts';
import type { TagType } from '../model/tag-type.ts';
import { comparable, type User } from '../model/user.ts';
import { type Collection, collection, type KeysOf, keyedCollection, NO_KEYS } from './collection.ts';
import { contextNamesOf, customStrategyNamesOf, segmentIdsOf } from './feature-keys.ts';
import type { Standings } from './standings.ts';

/** A number that only grows, so that ids are never given twice, not even after the last entity was removed. */
export interface Counter {
  readonly value: number;
}

const EMPTY_KEY: readonly string[] = [''];

/**
 * Everything Burgee knows, by collection. Entities are immutable: a change replaces the whole entity. A resource's storage is stated here and
 * nowhere else: types, names, keys, indexes, the log, snapshots and replication derive from its line.
 *
 * Commands and views look entities up through indexes instead of walking collections, so that a write among 100,000 flags costs what it
 * touches. The order is the order of snapshots.
 */
export const COLLECTIONS = {
  projects: collection({
    schema: 1,
    key: (project: Project) => project.id,
    indexes: { projectsByEnvironment: ({ environments }) => environments },
  }),
  environments: collection({ schema: 1, key: (environment: Environment) => environment.name }),
  defaultStrategies: collection({
    schema: 1,
    key: ({ project, environment }: DefaultStrategy) => defaultStrategyKey(project, environment),
    indexes: {
      defaultStrategiesByProject: ({ project }) => [project],
      defaultStrategiesBySegment: ({ strategy }) => strategy.segments.map(String),
      defaultStrategiesByType: ({ strategy }) => [strategy.name],
    },
  }),
  features: collection({
    schema: 1,
    key: (feature: Feature) => feature.name,
    indexes: {
      featuresByProject: (feature) => [feature.project],
      featuresBySegment: segmentIdsOf,
      featuresByCustomStrategy: customStrategyNamesOf,
      featuresByParent: ({ dependencies }) =>
        dependencies.length === 0 ? NO_KEYS : dependencies.map((dependency) => dependency.feature),
      /** Of users alone. */
      featuresByCreator: ({ createdBy: { id } }) => (id > 0 ? [String(id)] : NO_KEYS),
      /** The archived ones among `featuresByProject`. */
      archivedByProject: (feature) => (feature.archived ? [feature.project] : NO_KEYS),
      /** All of them, under the empty key. */
      archivedFeatures: (feature) => (feature.archived ? EMPTY_KEY : NO_KEYS),
      featuresByTag: ({ tags }) => (tags.length === 0 ? NO_KEYS : tags.map(tagText)),
      /** By the fields that constraints of its strategies name. */
      featuresByContextField: contextNamesOf,
      /** Flags that depend on others, by project. */
      childrenByProject: ({ project, dependencies }) => (dependencies.length === 0 ? NO_KEYS : [project]),
      featuresByTagType: ({ tags }) => (tags.length === 0 ? NO_KEYS : [...new Set(tags.map((tag) => tag.type))]),
    },
  }),
  featureTypes: collection({ schema: 1, key: (type: FeatureTypeLifetime) => type.id }),
  staleMarks: collection({ schema: 1, key: (mark: StaleMark) => mark.feature }),
  lifecycles: collection({ schema: 1, key: (lifecycle: Lifecycle) => lifecycle.feature }),
  segments: collection({
    schema: 1,
    key: (segment: Segment) => String(segment.id),
    indexes: {
      segmentsByName: ({ name }) => [name],
      segmentsByProject: ({ project }) => (project === null ? NO_KEYS : [project]),
    },
  }),
  changeRequestConfigs: collection({
    schema: 1,
    key: (config: ChangeRequestConfig) => placeKey(config.project, config.environment),
    indexes: {
      configsByProject: ({ project }) => [project],
      /** Those that are enabled. */
      protectedByProject: ({ enabled, project }) => (enabled ? [project] : NO_KEYS),
      /** All of those, under the empty key. */
      protectedEnvironments: ({ enabled }) => (enabled ? EMPTY_KEY : NO_KEYS),
    },
  }),
  changeRequests: collection({
    schema: 1,
    key: (request: ChangeRequest) => String(request.id),
    indexes: {
      requestsByProject: ({ project }) => [project],
      openRequestsByProject: (request) => (isOpen(request) ? [request.project] : NO_KEYS),
      closedRequestsByProject: (request) => (isOpen(request) ? NO_KEYS : [request.project]),
      /** All of those that are open, under the empty key. */
      openRequests: (request) => (isOpen(request) ? EMPTY_KEY : NO_KEYS),
      /** All of those that are closed, under the empty key. */
      closedRequests: (request) => (isOpen(request) ? NO_KEYS : EMPTY_KEY),
      /** Those that are open, by the flags that they change. */
      requestsByFeature: (request) => (isOpen(request) ? featuresOf(request) : NO_KEYS),
      /** Those that are open, by the flags that others would depend on, or would no more. */
      requestsByParent: (request) => (isOpen(request) ? parentsOf(request) : NO_KEYS),
      /** Those that are open, by the segments that they change or that their strategies use. */
      requestsBySegment: (request) => (isOpen(request) ? segmentKeysOf(request) : NO_KEYS),
      drafts: ({ state, project, environment, createdBy }) =>
        state === 'Draft' ? [draftKey(project, environment, createdBy)] : NO_KEYS,
      draftsByAuthor: ({ state, createdBy }) => (state === 'Draft' ? [authorKey(createdBy)] : NO_KEYS),
      /** Those that wait for their time, under the empty key. */
      pendingSchedules: ({ schedule }) => (schedule?.status === 'pending' ? EMPTY_KEY : NO_KEYS),
      pendingSchedulesByUser: ({ schedule }) =>
        schedule?.status === 'pending' && schedule.user !== null ? [schedule.user] : NO_KEYS,
    },
    weigh: requestBytes,
  }),
  contextFields: collection({
    schema: 1,
    key: (field: ContextField) => field.name,
    indexes: { contextFieldsByProject: ({ project }) => (project === undefined ? NO_KEYS : [project]) },
  }),
  tags: collection({ schema: 1, key: (tag: Tag) => tagText(tag), indexes: { tagsByType: ({ type }) => [type] } }),
  tagTypes: collection({ schema: 1, key: (type: TagType) => type.name }),
  strategyTypes: collection({ schema: 1, key: (type: StrategyType) => type.name }),
  apiTokens: collection({
    schema: 1,
    key: (token: ApiToken) => token.secret,
    indexes: {
      tokensByName: ({ tokenName }) => [tokenName],
      tokensByEnvironment: ({ environment }) => [environment],
      tokensByProject: ({ projects }) => projects,
    },
  }),
  applications: collection({ schema: 1, key: (application: Application) => application.appName }),
  signOnSettings: collection({ schema: 1, key: (settings: SignOnSettings) => settings.protocol }),
  spentAttempts: collection({ schema: 1, key: (attempt: SpentAttempt) => attempt.id }),
  settings: collection({ schema: 1, key: (setting: Setting) => setting.name }),
  banners: collection({ schema: 1, key: (banner: Banner) => String(banner.id) }),
  surplusMarks: collection({ schema: 1, key: (mark: ReappliedMark) => mark.id }),
  counters: keyedCollection<Counter>({ schema: 1 }),
  users: collection({
    schema: 1,
    key: (user: User) => String(user.id),
    indexes: {
      usersByEmail: ({ email }) => (email === null ? NO_KEYS : [comparable(email)]),
      usersByUsername: ({ username }) => (username === null ? NO_KEYS : [comparable(username)]),
      usersByRootRole: ({ rootRole }) => [String(rootRole)],
      usersByIdentity: ({ identities }) => identities?.map(identityKey) ?? NO_KEYS,
    },
  }),
  roles: collection({
    schema: 1,
    key: (role: Role) => String(role.id),
    indexes: {
      rolesByName: ({ name }) => [name],
      rolesByEnvironment: ({ permissions }) => [
        ...new Set(permissions.flatMap(({ environment }) => (environment === undefined ? NO_KEYS : [environment]))),
      ],
    },
  }),
  groups: collection({
    schema: 1,
    key: (group: Group) => String(group.id),
    indexes: {
      groupsByName: ({ name }) => [name],
      groupsByMapping: ({ mappingsSSO }) => mappingsSSO,
      groupsByRootRole: ({ rootRole }) => (rootRole === null ? NO_KEYS : [String(rootRole)]),
    },
  }),
  groupMembers: collection({
    schema: 1,
    key: (member: GroupMember) => membershipKey(member.groupId, member.userId),
    indexes: {
      membersByGroup: ({ groupId }) => [String(groupId)],
      membershipsByUser: ({ userId }) => [String(userId)],
    },
  }),
  projectRoles: collection({
    schema: 1,
    key: (held: ProjectRoles) => projectRolesKey(held.project, held.holder, held.holderId),
    indexes: {
      rolesByProject: ({ project }) => [project],
      projectsByUser: ({ holder, holderId }) => (holder === 'user' ? [String(holderId)] : NO_KEYS),
      projectsByGroup: ({ holder, holderId }) => (holder === 'group' ? [String(holderId)] : NO_KEYS),
      holdersByRole: ({ roles }) => roles.map(String),
      ownersByProject: ({ project, roles }) => (roles.includes(ROLE_ID.owner) ? [project] : NO_KEYS),
    },
  }),
  sessions: collection({
    schema: 1,
    key: (session: Session) => session.secret,
    indexes: { sessionsByUser: ({ userId }) => [String(userId)] },
  }),
  passwordLinks: collection({
    schema: 1,
    key: (link: PasswordLink) => link.secret,
    indexes: { passwordLinksByUser: ({ userId }) => [String(userId)] },
  }),
  signupTokens: collection({ schema: 1, key: (token: SignupToken) => token.secret }),
  personalTokens: collection({
    schema: 1,
    key: (token: PersonalToken) => token.secret,
    indexes: {
      personalTokensByUser: ({ userId }) => [String(userId)],
      personalTokensById: ({ id }) => [String(id)],
    },
  }),
  favorites: collection({
    schema: 1,
    key: ({ userId, kind, name }: Favorite) => favoriteKey(userId, kind, name),
    indexes: {
      favoritesByUser: ({ userId }) => [String(userId)],
      /** Of everybody, by what is marked. */
      favoritesOf: ({ kind, name }) => [favoredKey(kind, name)],
    },
  }),
  seenSplashes: collection({
    schema: 1,
    key: ({ userId, splashId }: SeenSplash) => splashKey(userId, splashId),
    indexes: { seenSplashesByUser: ({ userId }) => [String(userId)] },
  }),
  feedback: collection({
    schema: 1,
    key: ({ userId, feedbackId }: Feedback) => feedbackKey(userId, feedbackId),
    indexes: { feedbackByUser: ({ userId }) => [String(userId)] },
  }),
  mirroredScopes: collection({ schema: 1, key: (scope: MirroredScope) => scopeKey(scope) }),
};

type Stated = typeof COLLECTIONS;

export type CollectionName = keyof Stated;

/** Name → entity. */
export type Collections = {
  readonly [C in CollectionName]: Stated[C] extends Collection<infer E, string, 'own' | 'given'> ? E : never;
};

export type Entity = Collections[CollectionName];

export const COLLECTION_NAMES = Object.keys(COLLECTIONS) as readonly CollectionName[];

/** Collections whose entities are put with a key. They cannot be walked in a draft: it could not tell which of them it has changed. */
export type GivenKeyName = {
  [C in CollectionName]: Stated[C]['keyOf'] extends null ? C : never;
}[CollectionName];

export type OwnKeyName = Exclude<CollectionName, GivenKeyName>;

type IndexOf<C extends CollectionName> = keyof Stated[C]['indexes'] & string;

export type IndexName = { [C in CollectionName]: IndexOf<C> }[CollectionName];

/** The collection that an index is of. */
export type IndexedName<I extends IndexName> = {
  [C in CollectionName]: I extends IndexOf<C> ? C : never;
}[CollectionName];

/** An index as those see it that work on any of them. */
interface IndexEntry {
  readonly name: IndexName;
  readonly collection: CollectionName;
  readonly keysOf: KeysOf<Entity>;
  /** Null where entities of the collection weigh nothing. */
  readonly weigh: ((entity: Entity) => number) | null;
}

const INDEXES: ReadonlyMap<string, IndexEntry> = gatherIndexes();

export function indexEntry(name: IndexName): IndexEntry {
  const entry = INDEXES.get(name);
  assert(entry, `no index ${name}`);
  return entry;
}

export function indexesOf(name: CollectionName): readonly IndexEntry[] {
  return [...INDEXES.values()].filter((entry) => entry.collection === name);
}

/** The key an entity is stored under. `given` is for those that do not know theirs. */
export function keyFor(name: CollectionName, entity: Entity, given: string | undefined): string {
  const { keyOf } = COLLECTIONS[name] as Collection<Entity, string, 'own'> | Collection<Entity, string, 'given'>;
  const key = keyOf === null ? given : keyOf(entity);
  assert(key !== undefined, `an entity of ${name} was put without a key`);
  return key;
}

function gatherIndexes(): ReadonlyMap<string, IndexEntry> {
  const indexes = new Map<string, IndexEntry>();
  for (const collectionName of COLLECTION_NAMES) {
    const stated: Readonly<Record<string, unknown>> = COLLECTIONS[collectionName].indexes;
    const weigh = COLLECTIONS[collectionName].weigh as IndexEntry['weigh'];
    for (const [name, keysOf] of Object.entries(stated)) {
      assert(!indexes.has(name), `two indexes are named ${name}`);
      const entry = { name: name as IndexName, collection: collectionName, keysOf: keysOf as KeysOf<Entity>, weigh };
      indexes.set(name, entry);
    }
  }
  return indexes;
}

function segmentKeysOf({ changes }: ChangeRequest): readonly string[] {
  const keys = new Set<string>();
  for (const { segment, usesSegments } of changes) {
    if (segment) keys.add(String(segment.id));
    for (const id of usesSegments) keys.add(String(id));
  }
  return [...keys];
}

/** Reading, the same over the live state and over a draft of it. */
export interface StateReader {
  /** What was worked out of who holds which roles. */
  readonly standings: Standings;
  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined;
  values<C extends OwnKeyName>(collection: C): Iterable<Collections[C]>;
  /** The entities that `index` holds under `key`; no particular order. */
  lookup<I extends IndexName>(index: I, key: string): Iterable<Collections[IndexedName<I>]>;
  /** How many entities the collection holds. */
  size(collection: CollectionName): number;
  /** How many entities `index` holds under `key`. */
  count(index: IndexName, key: string): number;
  /** What those entities weigh together; the collection says what one does. */
  sum(index: IndexName, key: string): number;
}
