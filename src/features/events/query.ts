import { maySeeNamed, type ReadableProjects } from '../../access/visibility.ts';
import type { AuditEvent } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';
import { projectsOf } from '../../state/named-projects.ts';

/** One value, or a list of values of which one must match. An empty list matches nothing. */
type AnyOf<T> = T | readonly T[];

/** The filters of a search. A filter that is left out matches every event. */
export interface EventQuery {
  readonly types?: readonly string[] | undefined;
  readonly project?: AnyOf<string> | undefined;
  readonly environment?: AnyOf<string> | undefined;
  readonly feature?: AnyOf<string> | undefined;
  readonly createdBy?: string | undefined;
  readonly createdByUserId?: AnyOf<number> | undefined;
  readonly ids?: ReadonlySet<number> | undefined;
  /** Only events with smaller ids. */
  readonly beforeId?: number | undefined;
  /** `any`: events of older versions, which have no revision, do not match. */
  readonly revisions?: ReadonlySet<number> | 'any' | undefined;
  /** Milliseconds since the epoch: `fromMs` is inclusive, `toMs` exclusive. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** The projects that the caller may see: events that name another project do not match. See `ReadersQuery`. */
  readonly readable?: ReadableProjects | undefined;
}

/** The filters of a search for a caller. */
export interface ReadersQuery extends EventQuery {
  /**
   * Required, so that no search forgets it: `readableProjects(state, caller)`. Null for work of the service, or for numbers that name nothing.
   */
  readonly readable: ReadableProjects;
}

/** Where a page of results begins, and how long it is. */
export interface PageRange {
  /** Newer events are not on the page. */
  readonly fromId: number;
  readonly limit: number;
  /** Number of matching events, from `fromId` downwards, that are skipped before the page begins. */
  readonly skip?: number;
}

export function listOf<T>(values: AnyOf<T>): readonly T[] {
  return Array.isArray(values) ? values : [values as T];
}

/** When an event happened, in milliseconds; 0 when its time cannot be parsed. */
export function eventTimeMs({ createdAt }: Pick<AuditEvent, 'createdAt'>): number {
  return Math.max(0, Date.parse(createdAt) || 0);
}

/** Whether the fields of an event match. The projects that its data names are checked by `projectsInData`. */
export function eventMatches(event: EventHead, query: EventQuery): boolean {
  const { types, project, environment, feature, createdBy, createdByUserId } = query;
  const { ids, beforeId, revisions, fromMs, toMs, readable } = query;
  const timeMs = eventTimeMs(event);
  return (
    (types === undefined || types.includes(event.type)) &&
    isAnyOf(project, event.project) &&
    isAnyOf(environment, event.environment) &&
    isAnyOf(feature, event.featureName) &&
    (createdBy === undefined || event.createdBy === createdBy) &&
    isAnyOf(createdByUserId, event.createdByUserId) &&
    (ids === undefined || ids.has(event.id)) &&
    (beforeId === undefined || event.id < beforeId) &&
    (revisions === undefined || isRevisionOf(revisions, event.revision ?? 0)) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (!readable || maySeeNamed(readable, projectsOf(event.project)))
  );
}

function isAnyOf<T>(wanted: AnyOf<T> | undefined, value: T | null): boolean {
  return wanted === undefined || (value !== null && listOf(wanted).includes(value));
}

/** `revision`: 0 if the event has none. */
export function isRevisionOf(revisions: ReadonlySet<number> | 'any', revision: number): boolean {
  return revisions === 'any' ? revision > 0 : revisions.has(revision);
}
