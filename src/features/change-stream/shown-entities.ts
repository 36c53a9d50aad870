import type { AppliedChange } from '../../state/state.ts';
import { type Shown, shownAs } from '../shared/shown-entity.ts';

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

/**
 * The entities that the stream names for one change: none, one, or two if the change moved the entity to another project. Callers who see only one of
 * the two projects are sent the entity for that project.
 */
export function touchedBy({ collection, before, after }: AppliedChange): readonly TouchedEntity[] {
  const shown = shownAs(collection);
  if (!shown || shown.isHidden?.(before, after)) return [];
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
