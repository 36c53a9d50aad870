import { fingerprint } from '../base/json-hash.ts';
import { collection, NO_KEYS } from './collection.ts';
import type { Author } from './primitives.ts';

/** Whether changes in one environment of a project must be reviewed. Collection `changeRequestConfigs`, key: `locationKey`. */
export interface ChangeRequestConfig {
  readonly project: string;
  readonly environment: string;
  readonly enabled: boolean;
  /** Number of required approvals if the review is enabled. */
  readonly requiredApprovals: number;
  /** Safeguards of flags switch them off without a review. Missing: they open change requests. */
  readonly safeguardsSkipReview?: true;
}

export const REQUIRED_APPROVALS_MAX = 10;

export const CHANGE_REQUEST_STATES = [
  'Draft',
  'In review',
  'Approved',
  'Scheduled',
  'Applied',
  'Cancelled',
  'Rejected',
] as const;
export type ChangeRequestState = (typeof CHANGE_REQUEST_STATES)[number];

/** Kinds of changes, with the names that Unleash's pages use for them. */
export const CHANGE_ACTIONS = [
  'updateEnabled',
  'addStrategy',
  'updateStrategy',
  'deleteStrategy',
  'reorderStrategy',
  'patchVariant',
  'addReleasePlan',
  'deleteReleasePlan',
  'startMilestone',
  'changeMilestoneProgression',
  'deleteMilestoneProgression',
  'updateMilestoneStrategy',
  'changeSafeguard',
  'deleteSafeguard',
  'archiveFeature',
  'addDependency',
  'deleteDependency',
  'updateSegment',
  'deleteSegment',
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** One change of a change request: a command that is stored as data until it is applied (docs/decisions/commands-as-data.md). */
export interface RequestedChange {
  /** A number that no later change gets. */
  readonly id: number;
  readonly action: ChangeAction;
  /** Name of the changed flag; null if the change concerns a segment. */
  readonly feature: string | null;
  /** The changed segment, with its name at the time of the request; null if the change concerns a flag. */
  readonly segment: { readonly id: number; readonly name: string } | null;
  /** Ids of the segments that the added or changed strategy would use; empty for other changes. */
  readonly usesSegments: readonly number[];
  /** Name and input of the command. */
  readonly command: string;
  readonly input: unknown;
  /** Fingerprint of the value that the change replaces, computed when the change was requested; null if the change replaces no value. */
  readonly basis: string | null;
  /** Size of the input as JSON, in bytes. */
  readonly bytes: number;
  readonly createdBy: Author;
  readonly createdAt: string;
}

/** One approval or rejection. */
export interface Verdict {
  readonly by: Author;
  readonly at: string;
}

interface RequestComment {
  /** Unique in the change request. */
  readonly id: number;
  readonly text: string;
  readonly by: Author;
  readonly at: string;
}

export const SCHEDULE_STATUSES = ['pending', 'failed', 'suspended'] as const;

/** The time at which a change request is to be applied, or the reason why it was not applied. */
export interface Schedule {
  /** When the request is to be applied; after a failed attempt, the time of that attempt. */
  readonly scheduledAt: string;
  readonly status: (typeof SCHEDULE_STATUSES)[number];
  /** Why the request was not applied; null while the schedule is pending. */
  readonly reason: string | null;
  /** The user or token that scheduled the request. The request is applied in their name. */
  readonly by: Author;
  /** Key of the user who scheduled the request; null if an admin token scheduled it. */
  readonly user: string | null;
}

/** Changes that are made together, or not at all, once they have been approved. Collection `changeRequests`, key: the id as text. */
export interface ChangeRequest {
  readonly id: number;
  readonly title: string;
  readonly project: string;
  readonly environment: string;
  readonly state: ChangeRequestState;
  /** Number of required approvals, computed when the changes were last edited or the request was sent to review. */
  readonly minApprovals: number;
  /** The changes, in the order in which they are made. */
  readonly changes: readonly RequestedChange[];
  readonly approvals: readonly Verdict[];
  readonly rejections: readonly Verdict[];
  readonly comments: readonly RequestComment[];
  /** Ids of the users who were asked to review the request. Undefined if no user was asked, and in requests that older versions stored. */
  readonly reviewers?: readonly number[];
  /** Null if the request is not scheduled. */
  readonly schedule: Schedule | null;
  readonly createdBy: Author;
  readonly createdAt: string;
  /** When the request was applied, cancelled or rejected; null while it is open. */
  readonly closedAt: string | null;
}

/** Whether the request can still be applied: it is not applied, cancelled or rejected. */
export function isOpen({ state }: Pick<ChangeRequest, 'state'>): boolean {
  return state !== 'Applied' && state !== 'Cancelled' && state !== 'Rejected';
}

/** Assumed size of the names, ids and times of a change or a comment, in bytes. */
const PART_BYTES = 256;
/** Assumed size of a request without its changes and comments, in bytes. It includes the verdicts: never more than the required approvals. */
const FRAME_BYTES = 1_024;

const knownBytes = new WeakMap<ChangeRequest, number>();

/**
 * Approximate size of the request with its changes and comments, in bytes. The size is an integer and never changes for a stored request. Therefore
 * its sums (`StateReader.sum`) are the same on every replica, whether the replica read a snapshot or the log.
 */
export function requestBytes(request: ChangeRequest): number {
  const known = knownBytes.get(request);
  if (known !== undefined) return known;
  let bytes = FRAME_BYTES;
  for (const change of request.changes) bytes += PART_BYTES + change.bytes;
  for (const { text } of request.comments) bytes += PART_BYTES + Buffer.byteLength(text);
  knownBytes.set(request, bytes);
  return bytes;
}

/** Actions that affect more than one environment. */
const WIDE: ReadonlySet<ChangeAction> = new Set([
  'archiveFeature',
  'addDependency',
  'deleteDependency',
  'updateSegment',
  'deleteSegment',
]);

/** Whether any change of the request affects every environment of the project. */
export function isWide({ changes }: Pick<ChangeRequest, 'changes'>): boolean {
  return changes.some(({ action }) => WIDE.has(action));
}

/** The key of one environment of a project. Names contain no line break. */
export function locationKey(project: string, environment: string): string {
  return `${project}\n${environment}`;
}

/** The key of the change requests in the state Draft of one author in one environment. There may be several (docs/use/change-requests.md). */
export function draftKey(project: string, environment: string, author: Author): string {
  return `${locationKey(project, environment)}\n${authorKey(author)}`;
}

/** Users are distinguished by their ids. Admin tokens share one id and are distinguished by their names. */
export function authorKey({ id, name }: Author): string {
  return id > 0 ? String(id) : `${id}:${name}`;
}

export function isSameAuthor(one: Author, other: Author): boolean {
  return authorKey(one) === authorKey(other);
}

/** The names of the flags that the request changes, without duplicates. */
export function featuresOf({ changes }: Pick<ChangeRequest, 'changes'>): string[] {
  return [...new Set(changes.flatMap(({ feature }) => feature ?? []))];
}

/** The parent flag of the dependency that the change adds or deletes; null if the change concerns no dependency, or all dependencies. */
export function parentOf({ action, input }: Pick<RequestedChange, 'action' | 'input'>): string | null {
  if (action !== 'addDependency' && action !== 'deleteDependency') return null;
  return (input as { readonly parent?: string }).parent ?? null;
}

/** The names of the parent flags in the dependency changes of the request, without duplicates. */
export function parentsOf({ changes }: Pick<ChangeRequest, 'changes'>): string[] {
  return [...new Set(changes.flatMap((change) => parentOf(change) ?? []))];
}

const knownVersions = new WeakMap<RequestedChange, string>();

/** Fingerprint of the change, 22 characters. */
export function changeVersion(change: RequestedChange): string {
  let version = knownVersions.get(change);
  if (version === undefined) {
    version = fingerprint([change.id, change.command, change.input]);
    knownVersions.set(change, version);
  }
  return version;
}

/**
 * Fingerprint of the changes of the request and their order. It changes only if a change is added, edited or discarded. It is
 * computed from the stored changes. Therefore it is the same on every replica, and requests that older versions stored have it too.
 */
export function changesVersion({ changes }: Pick<ChangeRequest, 'changes'>): string {
  return fingerprint(changes.map(changeVersion));
}

const EMPTY_KEY: readonly string[] = [''];

export const changeRequestConfigs = collection({
  schema: 1,
  key: (config: ChangeRequestConfig) => locationKey(config.project, config.environment),
  past: 'whole',
  indexes: {
    configsByProject: ({ project }) => [project],
    /** Enabled configurations, by project. */
    protectedByProject: ({ enabled, project }) => (enabled ? [project] : NO_KEYS),
    /** All enabled configurations, under the empty key. */
    protectedEnvironments: ({ enabled }) => (enabled ? EMPTY_KEY : NO_KEYS),
  },
});

export const changeRequests = collection({
  schema: 1,
  key: (request: ChangeRequest) => String(request.id),
  indexes: {
    requestsByProject: ({ project }) => [project],
    openRequestsByProject: (request) => (isOpen(request) ? [request.project] : NO_KEYS),
    closedRequestsByProject: (request) => (isOpen(request) ? NO_KEYS : [request.project]),
    /** All open requests, under the empty key. */
    openRequests: (request) => (isOpen(request) ? EMPTY_KEY : NO_KEYS),
    /** All closed requests, under the empty key. */
    closedRequests: (request) => (isOpen(request) ? NO_KEYS : EMPTY_KEY),
    /** Open requests, by the flags that they change. */
    requestsByFeature: (request) => (isOpen(request) ? featuresOf(request) : NO_KEYS),
    /** Open requests, by the parent flags in their dependency changes. */
    requestsByParent: (request) => (isOpen(request) ? parentsOf(request) : NO_KEYS),
    /** Open requests, by the segments that they change or that their strategies use. */
    requestsBySegment: (request) => (isOpen(request) ? segmentKeysOf(request) : NO_KEYS),
    /** Requests in the state Draft, by `draftKey`. */
    drafts: ({ state, project, environment, createdBy }) =>
      state === 'Draft' ? [draftKey(project, environment, createdBy)] : NO_KEYS,
    /** Requests in the state Draft, by `authorKey`. */
    draftsByAuthor: ({ state, createdBy }) => (state === 'Draft' ? [authorKey(createdBy)] : NO_KEYS),
    /** Requests with a pending schedule, under the empty key. */
    pendingSchedules: ({ schedule }) => (schedule?.status === 'pending' ? EMPTY_KEY : NO_KEYS),
    pendingSchedulesByUser: ({ schedule }) =>
      schedule?.status === 'pending' && schedule.user !== null ? [schedule.user] : NO_KEYS,
  },
  weigh: requestBytes,
});

function segmentKeysOf({ changes }: ChangeRequest): readonly string[] {
  const keys = new Set<string>();
  for (const { segment, usesSegments } of changes) {
    if (segment) keys.add(String(segment.id));
    for (const id of usesSegments) keys.add(String(id));
  }
  return [...keys];
}

declare module './collection.ts' {
  interface CollectionTable {
    readonly changeRequestConfigs: typeof changeRequestConfigs;
    readonly changeRequests: typeof changeRequests;
  }
}
