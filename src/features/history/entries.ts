import type { VisibleProjects } from '../../access/visibility.ts';
import type { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { AuditEvent } from '../../model/event.ts';
import { decodePast, type PartName, type PastPart } from '../../state/past.ts';
import { decodeForSummary } from '../events/present.ts';
import type { EventQuery } from '../events/query.ts';
import { ReadingPace } from '../events/reading-pace.ts';
import { readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { changeOfPart, type HistoryChange, PartsBackwards } from './changes.ts';
import { belongsTo, type HistoryScope, isVisible, segmentsOf } from './scope.ts';

/** A commit in a history. */
interface HistoryEntry {
  readonly revision: number;
  readonly at: string;
  readonly author: { readonly id: number | null; readonly name: string };
  readonly reason: string | null;
  /** Types of its events. */
  readonly types: readonly string[];
  readonly changes: readonly HistoryChange[];
  /** Whether it made more changes than are listed. */
  readonly more: boolean;
}

interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** The revision before which the next page begins; null if the history ends here. */
  readonly next: number | null;
}

/** Maximum number of commits that are read for one page: not all of them concern a flag whose segments changed. */
const COMMITS_READ_MAX = 500;
/** Maximum size of the events that are read for one page. */
const READ_BYTES_MAX = 16_000_000;
/** Maximum number of changes of one commit that are listed. */
const CHANGES_MAX = 100;
/** Maximum length of a page, in characters of JSON. */
const PAGE_CHARS_MAX = 4_000_000;

/** A commit as the audit log has it. */
interface ReadCommit {
  readonly revision: number;
  readonly event: AuditEvent;
  readonly types: Set<string>;
  readonly parts: LocatedPart[];
}

/** A replaced part, with the project of the event if the event is about the flag of the part. */
interface LocatedPart extends PastPart {
  readonly project: string | null;
}

interface HistoryRequest {
  readonly scope: HistoryScope;
  readonly limit: number;
  /** Only commits before this revision; undefined for the newest. */
  readonly before: number | undefined;
  readonly visible: VisibleProjects;
  readonly holder: string;
}

/** One page of a history, newest first. Changes in projects that the caller may not see are left out. @throws StoreError */
export async function historyPage(services: Services, request: HistoryRequest): Promise<HistoryPage | Rejection> {
  const { commits, isComplete } = await readCommits(services, request);
  const [newest] = commits;
  if (!newest) return { entries: [], next: null };
  const flags = new Set<string>();
  for (const { parts } of commits)
    for (const { collection, key } of parts) if (collection === 'features') flags.add(key);
  if (request.scope.of === 'feature') flags.add(request.scope.id);
  const past = { at: String(newest.revision), path: '/before', flags: { names: [...flags] }, holder: request.holder };
  return readPast(services, past, async ({ reader }) => {
    const slicer = Slicer.of(request.holder);
    const moment = new PartsBackwards(reader);
    const entries: HistoryEntry[] = [];
    let chars = 0;
    for (const commit of commits) {
      const entry = entryOf(commit, moment, request);
      if (slicer.spent) await slicer.pause();
      if (entry) {
        chars += JSON.stringify(entry).length;
        if (entries.length > 0 && chars > PAGE_CHARS_MAX) return { entries, next: commit.revision + 1 };
        entries.push(entry);
      }
      if (entries.length >= request.limit && commit !== commits.at(-1)) return { entries, next: commit.revision };
    }
    return { entries, next: isComplete ? null : (commits.at(-1)?.revision ?? null) };
  });
}

/** The commits that may belong to the page, newest first. */
async function readCommits(services: Services, { scope, limit, before }: HistoryRequest) {
  const { eventIndex } = services;
  const columns = await eventIndex.upToDate();
  const beforeId = Math.max(
    columns.firstRecordedId,
    before === undefined ? columns.nextId : columns.firstIdAfter(before - 1),
  );
  const moved = scope.of === 'project' ? await inSlices(columns.flagsOf('feature-project-change')) : new Set<string>();
  const { queries, isOther } = searchOf(scope, moved);
  const commits: ReadCommit[] = [];
  const commitsMax = scope.of === 'instance' || scope.of === 'segment' ? limit + 1 : COMMITS_READ_MAX;
  const slicer = new Slicer();
  const pace = new ReadingPace();
  let bytesRead = 0;
  for (const ids of columns.replacingIds(queries, beforeId, isOther)) {
    for (let at = 0; at < ids.length; ) {
      const batch = ids.slice(at, at + pace.eventsPerRead);
      at += batch.length;
      const entries = await eventIndex.read(batch);
      pace.recordRead(entries);
      for (const { id, bytes } of entries) {
        if (id < columns.firstRecordedId) return { commits, isComplete: true };
        addEvent(commits, decodeForSummary(bytes), decodePast(bytes) ?? []);
        bytesRead += bytes.length;
        if (slicer.spent) await slicer.pause();
        if (commits.length <= commitsMax && bytesRead < READ_BYTES_MAX) continue;
        // The last commit may have more events than were read.
        if (commits.length > 1) commits.pop();
        return { commits, isComplete: false };
      }
    }
    if (slicer.spent) await slicer.pause();
  }
  return { commits, isComplete: true };
}

function addEvent(commits: ReadCommit[], event: AuditEvent, parts: readonly PastPart[]): void {
  const revision = event.revision ?? 0;
  const { featureName, project } = event;
  const located = parts.map((part) => ({ ...part, project: part.key === featureName ? project : null }));
  const last = commits.at(-1);
  if (last?.revision === revision) {
    last.types.add(event.type);
    last.parts.push(...located);
  } else commits.push({ revision, event, types: new Set([event.type]), parts: located });
}

/**
 * The events that may belong to a history: those that match one of the queries, and those with another replaced part that `isOther` accepts. `moved`: the
 * flags that were moved. Of the parts of a history, every change must be read: the value after a change is the one before the next change.
 */
function searchOf(
  scope: HistoryScope,
  moved: ReadonlySet<string>,
): { readonly queries: readonly EventQuery[]; readonly isOther: (name: PartName) => boolean } {
  if (scope.of === 'instance') return { queries: [{}], isOther: () => true };
  const { id } = scope;
  const isSegment = ({ collection }: PartName) => collection === 'segments';
  switch (scope.of) {
    case 'feature': {
      const isFlag = ({ collection, key }: PartName) => collection === 'features' && key === id;
      return { queries: [{ feature: id }], isOther: (name) => isFlag(name) || isSegment(name) };
    }
    case 'segment':
      return { queries: [], isOther: (name) => isSegment(name) && name.key === id };
    case 'environment':
      return { queries: [{ environment: id }], isOther: () => true };
    default:
      return { queries: [{ project: id }, { feature: [...moved] }], isOther: () => true };
  }
}

/** The entry of a commit; undefined if nothing of it belongs to the history, or if the caller may see nothing of it. Moves the parts before it. */
function entryOf(
  { revision, event, types, parts }: ReadCommit,
  moment: PartsBackwards,
  { scope, visible }: HistoryRequest,
): HistoryEntry | undefined {
  const after = new Map(parts.map((part) => [part, moment.get(part)]));
  const usedAfter = scope.of === 'feature' ? segmentsOf(moment, scope.id) : undefined;
  const projectsAfter = new Map(parts.map((part) => [part, projectOfFlag(part, moment)]));
  for (const part of parts) moment.replace(part, part.before);
  const usedBefore = scope.of === 'feature' ? segmentsOf(moment, scope.id) : undefined;
  const isUsed = (key: string) => usedAfter?.has(key) === true || usedBefore?.has(key) === true;
  const changes: HistoryChange[] = [];
  let more = false;
  for (const part of parts) {
    const flagProjects = [projectsAfter.get(part) ?? part.project, projectOfFlag(part, moment), ...eventProjects(part)];
    const change = changeOfPart(part, part.before, after.get(part), flagProjects[0] ?? flagProjects[1] ?? null);
    const { collection, before } = part;
    if (!change || !isVisible({ collection, before, after: after.get(part), flagProjects }, visible)) continue;
    if (!belongsTo(scope, part, change, flagProjects, isUsed)) continue;
    if (changes.length < CHANGES_MAX) changes.push(change);
    else more = true;
  }
  if (changes.length === 0) return undefined;
  return {
    revision,
    at: event.createdAt,
    author: { id: event.createdByUserId, name: event.createdBy },
    reason: event.reason ?? null,
    types: [...types],
    changes,
    more,
  };
}

/** An event about two projects names both. */
function eventProjects({ project }: LocatedPart): readonly string[] {
  return project?.split(',') ?? [];
}

function projectOfFlag({ collection, key }: PartName, moment: PartsBackwards): string | null {
  return collection === 'features' ? moment.projectOf(key) : null;
}
