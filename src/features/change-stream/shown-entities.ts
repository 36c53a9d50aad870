import { isSameJson } from '../../base/same-json.ts';
import type { Feature } from '../../model/feature.ts';
import type { CollectionName, Collections } from '../../state/collections.ts';
import type { AppliedChange } from '../../state/state.ts';

/** An entity that a commit created, changed or deleted, as the stream names it. */
export interface TouchedEntity {
  readonly type: string;
  readonly id: string;
  /** The project that contains it; null if it belongs to no project. */
  readonly project: string | null;
  /** The environments in which it changed; empty if the change concerns all environments or none. */
  readonly environments: readonly string[];
  /** Only admins are sent the entity. Other callers are sent it if they see its project. */
  readonly isForAdmins: boolean;
}

type Named<E> = (entity: E) => {
  readonly id: string | number;
  readonly project?: string | null | undefined;
  readonly environments?: readonly string[];
};

interface Shown<E> {
  readonly type: string;
  readonly named: Named<E>;
  readonly isForAdmins?: true | ((entity: E) => boolean);
  /** The environments in which the entity changed. Without it, those that `named` returns. */
  readonly environments?: (before: E | undefined, after: E | undefined) => readonly string[];
  /** Leaves the change out. */
  readonly isHidden?: (before: E | undefined, after: E | undefined) => boolean;
}

/**
 * How the stream names the entities of each collection; null if their changes are not sent. These are changes that happen without a change by a
 * person (counters, usage), personal data (sessions, favorites), and secrets. A collection that is missing here does not compile.
 */
const SHOWN: { readonly [C in CollectionName]: Shown<Collections[C]> | null } = {
  features: {
    type: 'feature',
    named: ({ name, project }) => ({ id: name, project }),
    environments: changedEnvironments,
  },
  segments: { type: 'segment', named: ({ id, project }) => ({ id, project }) },
  projects: { type: 'project', named: ({ id }) => ({ id, project: id }) },
  projectRoles: { type: 'project', named: ({ project }) => ({ id: project, project }) },
  environments: { type: 'environment', named: ({ name }) => ({ id: name, environments: [name] }) },
  contextFields: { type: 'context-field', named: ({ name, project }) => ({ id: name, project }) },
  strategyTypes: { type: 'strategy', named: ({ name }) => ({ id: name }) },
  defaultStrategies: {
    type: 'project',
    named: ({ project, environment }) => ({ id: project, project, environments: [environment] }),
  },
  changeRequests: {
    type: 'change-request',
    named: ({ id, project, environment }) => ({ id, project, environments: [environment] }),
    // Only its author and admins may see a change request in the state Draft.
    isHidden: (before, after) => (after ?? before)?.state === 'Draft',
  },
  changeRequestConfigs: {
    type: 'project',
    named: ({ project, environment }) => ({ id: project, project, environments: [environment] }),
  },
  tagTypes: { type: 'tag-type', named: ({ name }) => ({ id: name }) },
  tags: { type: 'tag-type', named: ({ type }) => ({ id: type }) },
  featureTypes: { type: 'feature-type', named: ({ id }) => ({ id }) },
  banners: { type: 'banner', named: ({ id }) => ({ id }) },
  addons: { type: 'addon', named: ({ id }) => ({ id }), isForAdmins: true },
  addonDeliveries: null,
  addonAttempts: null,
  signalEndpoints: { type: 'signal-endpoint', named: ({ id }) => ({ id }) },
  signals: null,
  actionSets: { type: 'action-set', named: ({ id, project }) => ({ id, project }) },
  actionRuns: null,
  releasePlanTemplates: { type: 'release-plan-template', named: ({ id, project }) => ({ id, project }) },
  groups: { type: 'group', named: ({ id }) => ({ id }) },
  groupMembers: { type: 'group', named: ({ groupId }) => ({ id: groupId }) },
  codeRepositories: { type: 'code-repository', named: ({ name }) => ({ id: name }) },
  users: {
    type: 'user',
    named: ({ id }) => ({ id }),
    isForAdmins: true,
    isHidden: (before, after) =>
      isSameBut({ seenAt: null, loginAttempts: 0, passwordHash: null, identities: [] }, before, after),
  },
  roles: { type: 'role', named: ({ id }) => ({ id }), isForAdmins: true },
  apiTokens: {
    type: 'api-token',
    named: ({ tokenName }) => ({ id: tokenName }),
    isForAdmins: true,
    isHidden: (before, after) => isSameBut({ seenAt: null, expiryWarning: undefined }, before, after),
  },
  settings: {
    type: 'setting',
    named: ({ name }) => ({ id: name }),
    // Maintenance concerns everybody who wants to change something (GET /api/admin/ui-config).
    isForAdmins: ({ name }) => name !== 'maintenance',
  },
  signOnSettings: null,
  signupTokens: null,
  scimSettings: null,
  scimTokens: null,
  passwordLinks: null,
  personalTokens: null,
  sessions: null,
  spentAttempts: null,
  favorites: null,
  feedback: null,
  seenSplashes: null,
  preferences: null,
  savedViews: null,
  contextSets: null,
  applications: null,
  // Each report changes its repository too.
  codeReferences: null,
  lifecycles: null,
  staleMarks: null,
  counters: null,
  mirroredScopes: null,
  surplusMarks: null,
  adoptedTokens: null,
};

/**
 * The entities that the stream names for one change: none, one, or two if the change moved the entity to another project. Callers who see only one of
 * the two projects are sent the entity for that project.
 */
export function touchedBy({ collection, before, after }: AppliedChange): readonly TouchedEntity[] {
  const shown = SHOWN[collection] as Shown<object> | null;
  if (shown === null || shown.isHidden?.(before, after)) return [];
  const { type, named } = shown;
  const environments = shown.environments?.(before, after);
  const projects = new Set<string | null>();
  const touched: TouchedEntity[] = [];
  for (const entity of [after, before]) {
    if (entity === undefined) continue;
    const { id, project = null, environments: own = [] } = named(entity);
    if (projects.has(project)) continue;
    projects.add(project);
    const isForAdmins = isOnlyForAdmins(shown, entity);
    touched.push({ type, id: String(id), project, environments: environments ?? own, isForAdmins });
  }
  return touched;
}

function isOnlyForAdmins<E>({ isForAdmins }: Shown<E>, entity: E): boolean {
  return typeof isForAdmins === 'function' ? isForAdmins(entity) : isForAdmins === true;
}

/** Whether the change concerns nothing but `fields`, which change when somebody signs on or a token is used. */
function isSameBut<E extends object>(fields: Partial<E>, before: E | undefined, after: E | undefined): boolean {
  return before !== undefined && after !== undefined && isSameJson({ ...before, ...fields }, { ...after, ...fields });
}

/** The environments in which the flag has other settings than before. */
function changedEnvironments(before: Feature | undefined, after: Feature | undefined): readonly string[] {
  if (before === undefined || after === undefined) return [];
  if (before.environments === after.environments) return [];
  const known = new Map(before.environments.map((settings) => [settings.environment, settings]));
  const changed: string[] = [];
  for (const settings of after.environments) {
    if (!isSameJson(known.get(settings.environment), settings)) changed.push(settings.environment);
    known.delete(settings.environment);
  }
  return [...changed, ...known.keys()];
}
