import { maySeeNamed, type VisibleProjects } from '../../access/visibility.ts';
import type { FeatureEnvironment } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { projectsNamedIn } from '../../state/named-projects.ts';
import type { PartName } from '../../state/past.ts';
import { recordedAs } from '../shared/recorded.ts';
import type { HistoryChange } from './changes.ts';
import { shownId } from './subjects.ts';

/** What a history is about. */
export type HistoryScope =
  | { readonly of: 'instance' }
  | { readonly of: 'project' | 'environment' | 'feature' | 'segment'; readonly id: string }
  | { readonly of: 'entity'; readonly type: string; readonly id: string };

/**
 * The scope that a caller gets: a flag in a project that the caller may not see is as one that never was. Otherwise, the answer would tell that it
 * exists, and which segments it uses.
 */
export function seenScope(scope: HistoryScope, reader: StateReader, visible: VisibleProjects): HistoryScope {
  const flag = scope.of === 'feature' ? reader.get('features', scope.id) : undefined;
  return flag && !visible.has(flag.project) ? { of: 'feature', id: NO_FLAG } : scope;
}

/** No flag has this name. */
const NO_FLAG = '';

/** The scope of the history of one object. */
export function scopeOf(type: string, id: string): HistoryScope {
  if (type === 'project' || type === 'environment' || type === 'feature' || type === 'segment') return { of: type, id };
  return { of: 'entity', type, id };
}

/** Whether the part belongs to the object. The members of a group belong to the group. */
export function isOfEntity(
  { type, id }: { readonly type: string; readonly id: string },
  { collection, key }: Pick<PartName, 'collection' | 'key'>,
): boolean {
  if (collection === 'groupMembers' && type === 'group') return key.startsWith(`${id}:`);
  const isNamed = key === id || shownId({ collection, key }) === id;
  return isNamed && recordedAs(collection)?.type === type;
}

/**
 * Whether the history can list changes of this role, group, member or project role. The others are not read: there can be a million of them.
 */
export function needsAccess(scope: HistoryScope, name: PartName): boolean {
  if (scope.of === 'project') return name.collection === 'projectRoles' && name.key.endsWith(`:${scope.id}`);
  return scope.of === 'instance' || (scope.of === 'entity' && isOfEntity(scope, name));
}

/** A part before and after a change, with the projects that contained its flag. */
interface ChangedPart {
  readonly collection: string;
  readonly before: object | undefined;
  readonly after: object | undefined;
  readonly flagProjects: readonly (string | null)[];
}

/**
 * Whether the caller may see the change. What moved from one project to another is shown only to callers who see both. A flag whose project is not known
 * is shown only to callers who see all projects.
 */
export function isVisible({ collection, before, after, flagProjects }: ChangedPart, visible: VisibleProjects): boolean {
  if (visible.isAll) return true;
  if (collection === 'features') {
    const known = flagProjects.filter((project) => project !== null);
    return known.length > 0 && maySeeNamed(visible, known);
  }
  return [before, after].every((value) => {
    const own = projectIn(collection, value);
    return maySeeNamed(visible, own === null ? [] : [own]) && maySeeNamed(visible, projectsNamedIn(value));
  });
}

/** The project that contains an entity other than a flag, or the flag as a whole; null if none does. */
export function projectIn(collection: string, value: object | undefined): string | null {
  const { id, project } = (value ?? {}) as { readonly id?: string; readonly project?: string | null };
  return (collection === 'projects' ? id : project) ?? null;
}

/** Whether the change belongs to the history. `isUsed`: whether the flag of the history uses the segment. */
export function belongsTo(
  scope: HistoryScope,
  { collection, key }: PartName,
  { project, environment }: HistoryChange,
  flagProjects: readonly (string | null)[],
  isUsed: (segment: string) => boolean,
): boolean {
  switch (scope.of) {
    case 'instance':
      return true;
    case 'project':
      return project === scope.id || flagProjects.includes(scope.id);
    case 'environment':
      return environment === scope.id;
    case 'entity':
      return isOfEntity(scope, { collection, key });
    case 'segment':
      return collection === 'segments' && key === scope.id;
    default:
      return collection === 'features' ? key === scope.id : collection === 'segments' && isUsed(key);
  }
}

/** The ids of the segments that the flag uses at that moment. */
export function segmentsOf(moment: { get(name: PartName): object | undefined }, flag: string): ReadonlySet<string> {
  const base = moment.get({ collection: 'features', key: flag, part: '' });
  const { environments = [] } = (base ?? {}) as { readonly environments?: readonly string[] };
  const ids = new Set<string>();
  for (const part of environments) {
    const settings = moment.get({ collection: 'features', key: flag, part }) as FeatureEnvironment | undefined;
    for (const { segments } of settings?.strategies ?? []) for (const id of segments) ids.add(String(id));
  }
  return ids;
}
