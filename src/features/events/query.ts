import type { AuditEvent } from '../../model/event.ts';
import type { EventHead } from '../../state/commit.ts';

/** The project of events of API tokens that reach all projects. */
export const ALL_PROJECTS = '*';

/** One value, or any of several; of none, nothing matches. */
type AnyOf<T> = T | readonly T[];

/** What an event has to match; what is left out matches every event. */
export interface EventQuery {
  readonly types?: readonly string[] | undefined;
  readonly project?: AnyOf<string> | undefined;
  readonly environment?: AnyOf<string> | undefined;
  readonly feature?: AnyOf<string> | undefined;
  readonly createdBy?: string | undefined;
  readonly createdByUserId?: AnyOf<number> | undefined;
  readonly ids?: ReadonlySet<number> | undefined;
  /** Milliseconds since the epoch: from then on, and before then. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  /** Projects whose events the caller may read, beside the events of no project and those of all (`*`); null for all. */
  readonly readable?: ReadonlySet<string> | null | undefined;
}

/** A page of found events: where it begins, and how long it is. */
export interface PageRange {
  /** The newest id that is on it. */
  readonly fromId: number;
  readonly limit: number;
  /** How many of those before are left out. */
  readonly skip?: number;
}

export function listOf<T>(values: AnyOf<T>): readonly T[] {
  return Array.isArray(values) ? values : [values as T];
}

/** When an event happened, in milliseconds; 0 where that cannot be read. */
export function eventTimeMs({ createdAt }: Pick<AuditEvent, 'createdAt'>): number {
  return Math.max(0, Date.parse(createdAt) || 0);
}

/** Whether an event matches. */
export function eventMatches(event: EventHead, query: EventQuery): boolean {
  const { types, project, environment, feature, createdBy, createdByUserId, ids, fromMs, toMs, readable } = query;
  const timeMs = eventTimeMs(event);
  return (
    (types === undefined || types.includes(event.type)) &&
    isAnyOf(project, event.project) &&
    isAnyOf(environment, event.environment) &&
    isAnyOf(feature, event.featureName) &&
    (createdBy === undefined || event.createdBy === createdBy) &&
    isAnyOf(createdByUserId, event.createdByUserId) &&
    (ids === undefined || ids.has(event.id)) &&
    (fromMs === undefined || timeMs >= fromMs) &&
    (toMs === undefined || timeMs < toMs) &&
    (!readable || event.project === null || event.project === ALL_PROJECTS || readable.has(event.project))
  );
}

function isAnyOf<T>(wanted: AnyOf<T> | undefined, value: T | null): boolean {
  return wanted === undefined || (value !== null && listOf(wanted).includes(value));
}
