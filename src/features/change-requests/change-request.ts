import { createHash } from 'node:crypto';
import { collection, NO_KEYS } from '../../model/collection.ts';
import type { Author } from '../../model/primitives.ts';

/** Whether changes in one environment of a project must be reviewed. Collection `changeRequestConfigs`, key: `locationKey`. */
export interface ChangeRequestConfig {
  readonly project: string;
  readonly environment: string;
  readonly enabled: boolean;
  /** Number of required approvals if the review is enabled. */
  readonly requiredApprovals: number;
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
  'archiveFeature',
  'addDependency',
  'deleteDependency',
  'updateSegment',
  'deleteSegment',
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** One change of a change request: a command that is stored as data until it is applied (docs/decisions/commands-as-data.md). */
export interface RequestedChange {
  /** Never reused. */
  readonly id: number;
  readonly action: ChangeAction;
  /** The flag that it changes; null if it changes a segment. */
  readonly feature: string | null;
  /** The segment that it changes, with its name at the time of the request; null if it changes a flag. */
  readonly segment: { readonly id: number; readonly name: string } | null;
  /** Ids of segments that a strategy would use. */
  readonly usesSegments: readonly number[];
  /** Name and input of the command. */
  readonly command: string;
  readonly input: unknown;
  /** The fingerprint of the value that it replaces, at the time of the request; null if it replaces nothing. */
  readonly basis: string | null;
  /** Size of the input as JSON. */
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

/** When a change request is to be applied, or why it was not. */
export interface Schedule {
  /** When it is to be applied, or when that was last tried. */
  readonly scheduledAt: string;
  readonly status: (typeof SCHEDULE_STATUSES)[number];
  /** Null while it is pending. */
  readonly reason: string | null;
  /** Who scheduled it: it is applied in their name. */
  readonly by: Author;
  /** The key of that user; null when it was an admin token. */
  readonly user: string | null;
}

/** Changes that are made together, or not at all, once they have been approved. Collection `changeRequests`, key: the id as text. */
export interface ChangeRequest {
  readonly id: number;
  readonly title: string;
  readonly project: string;
  readonly environment: string;
  readonly state: ChangeRequestState;
  /** Set when the request is sent to review. */
  readonly minApprovals: number;
  /** In the order in which they are made. */
  readonly changes: readonly RequestedChange[];
  readonly approvals: readonly Verdict[];
  readonly rejections: readonly Verdict[];
  readonly comments: readonly RequestComment[];
  /** Ids of the users who were asked to review it. Left out if there is none, and in requests that were stored by older versions. */
  readonly reviewers?: readonly number[];
  /** Not null when it is scheduled. */
  readonly schedule: Schedule | null;
  readonly createdBy: Author;
  readonly createdAt: string;
  /** When it was applied, cancelled or rejected. */
  readonly closedAt: string | null;
}

/** Whether it can still be applied. */
export function isOpen({ state }: Pick<ChangeRequest, 'state'>): boolean {
  return state !== 'Applied' && state !== 'Cancelled' && state !== 'Rejected';
}

/** Bytes of a change or a comment in addition to its text: names, ids, times. */
const PART_BYTES = 256;
/** As `PART_BYTES`, for a request with its title and its verdicts. There are never more verdicts than required approvals. */
const FRAME_BYTES = 1_024;

const knownBytes = new WeakMap<ChangeRequest, number>();

/**
 * Approximate size of the request: its changes and comments. An integer that never changes for a stored request, so that sums of it
 * (`StateReader.sum`) are the same on every replica, independent of how the replica got its state.
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

/** Whether any change of it affects every environment of the project. */
export function isWide({ changes }: Pick<ChangeRequest, 'changes'>): boolean {
  return changes.some(({ action }) => WIDE.has(action));
}

/** The key of one environment of a project. Names contain no line break. */
export function locationKey(project: string, environment: string): string {
  return `${project}\n${environment}`;
}

/** The key of the open draft of a person or token: at most one in each environment. */
export function draftKey(project: string, environment: string, author: Author): string {
  return `${locationKey(project, environment)}\n${authorKey(author)}`;
}

/** Users are distinguished by their ids. Admin tokens share one id and are distinguished by their names. */
function authorKey({ id, name }: Author): string {
  return id > 0 ? String(id) : `${id}:${name}`;
}

export function isSameAuthor(one: Author, other: Author): boolean {
  return authorKey(one) === authorKey(other);
}

/** The names of the flags that it changes, each once. */
export function featuresOf({ changes }: Pick<ChangeRequest, 'changes'>): string[] {
  return [...new Set(changes.flatMap(({ feature }) => feature ?? []))];
}

/** The flag to which the change adds or removes a dependency; null if the change concerns no dependency, or all of them. */
export function parentOf({ action, input }: Pick<RequestedChange, 'action' | 'input'>): string | null {
  if (action !== 'addDependency' && action !== 'deleteDependency') return null;
  return (input as { readonly parent?: string }).parent ?? null;
}

/** The names of the parent flags in its dependency changes, each once. */
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
 * Fingerprint of the changes of the request and their order. It changes if a change is added, edited or discarded, and stays the same for anything
 * else. It is computed from what is stored, so that it is the same on every replica and exists for requests that older versions stored.
 */
export function changesVersion({ changes }: Pick<ChangeRequest, 'changes'>): string {
  return fingerprint(changes.map(changeVersion));
}

/** A hash with which a value can be compared later, without storing the value. */
export function fingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 22);
}

const EMPTY_KEY: readonly string[] = [''];

export const changeRequestConfigs = collection({
  schema: 1,
  key: (config: ChangeRequestConfig) => locationKey(config.project, config.environment),
  indexes: {
    configsByProject: ({ project }) => [project],
    /** Only enabled ones. */
    protectedByProject: ({ enabled, project }) => (enabled ? [project] : NO_KEYS),
    /** All enabled ones, under the empty key. */
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
    drafts: ({ state, project, environment, createdBy }) =>
      state === 'Draft' ? [draftKey(project, environment, createdBy)] : NO_KEYS,
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

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly changeRequestConfigs: typeof changeRequestConfigs;
    readonly changeRequests: typeof changeRequests;
  }
}
