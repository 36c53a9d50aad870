import type { CollectionName } from '../../state/collections.ts';
import type { PartName } from '../../state/past.ts';

/** How answers name the entities with a recorded past. */
export const HISTORY_TYPES = {
  features: 'feature',
  segments: 'segment',
  projects: 'project',
  environments: 'environment',
  contextFields: 'context-field',
  strategyTypes: 'strategy',
  defaultStrategies: 'default-strategy',
  changeRequestConfigs: 'change-request-settings',
  featureTypes: 'feature-type',
  tagTypes: 'tag-type',
  tags: 'tag',
  banners: 'banner',
  roles: 'role',
  groups: 'group',
  groupMembers: 'group-member',
  projectRoles: 'project-access',
} as const satisfies { readonly [C in CollectionName]?: string };

export type HistoryType = (typeof HISTORY_TYPES)[keyof typeof HISTORY_TYPES];

/** An entity, or its settings in one environment, as answers name it. */
export interface HistorySubject {
  readonly type: HistoryType;
  readonly id: string;
  /** The project that contains it; null if it belongs to none. */
  readonly project: string | null;
  readonly environment: string | null;
}

/** The fields by which an entity is located. */
interface Located {
  readonly id?: string | number;
  readonly project?: string | null;
  readonly environment?: string;
}

/** `value`: the part of the entity, before or after the change. `flagProject`: the project of the flag, if it is a part of a flag. */
export function subjectOf(
  { collection, key, part }: PartName,
  value: object,
  flagProject: string | null,
): HistorySubject {
  const type = HISTORY_TYPES[collection as keyof typeof HISTORY_TYPES];
  const { project = null, environment = null } = value as Located;
  if (collection === 'features') return { type, id: key, project: flagProject, environment: part === '' ? null : part };
  if (collection === 'projects') return { type, id: key, project: key, environment: null };
  if (collection === 'environments') return { type, id: key, project: null, environment: key };
  return { type, id: shownId({ collection, key }), project, environment };
}

/** The id of an entity in histories: its key, or its project if it is the settings of a project in one environment. */
export function shownId({ collection, key }: Pick<PartName, 'collection' | 'key'>): string {
  const isOfProject = collection === 'defaultStrategies' || collection === 'changeRequestConfigs';
  return isOfProject ? (/^[^/\n]+/.exec(key)?.[0] ?? key) : key;
}
