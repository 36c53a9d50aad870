import type { VisibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import type { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { AuditEvent } from '../../model/event.ts';
import type { StateReader } from '../../state/collections.ts';
import { projectsOf } from '../../state/named-projects.ts';
import { decodePast, type PartName, type PastPart } from '../../state/past.ts';
import type { EventColumns } from '../events/columns.ts';
import { decodeForSummary } from '../events/present.ts';
import type { EventQuery } from '../events/query.ts';
import { ReadingPace } from '../events/reading-pace.ts';
import { readingPast, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { changeOfPart, PartsBackwards } from './changes.ts';
import { belongsTo, type HistoryScope, isOfEntity, isVisible, needsAccess, segmentsOf } from './scope.ts';
import { nameOf, type ReadAt } from './subjects.ts';

interface HistoryPage {
  /** The commits as JSON, newest first: docs/use/history.md. */
  readonly entries: readonly string[];
  /** The revision before which the next page begins; null if the history ends here. */
  readonly next: number | null;
}

/** Maximum number of commits that are read for one page: not all of them concern a flag whose segments changed, or are of the wanted author. */
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
  /** Only commits of this time, both ends included; in milliseconds since the epoch. */
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  /** Only commits of this user. Those of others are read, too: the value after a change is the one before the next change. */
  readonly createdBy: number | undefined;
  readonly visible: VisibleProjects;
  readonly asker: Asker;
}

/** One page of a history, newest first. Changes in projects that the caller may not see are left out. */
export function historyPage(services: Services, request: HistoryRequest): Promise<HistoryPage | Rejection> {
  const { scope, asker } = request;
  return readingPast(services, asker, async () => {
    const read = await readCommits(services, request);
    const [newest] = read.commits;
    if (!newest) return { entries: [], next: null };
    const flags = new Set<string>(scope.of === 'feature' ? [scope.id] : []);
    await inSlices(addFlags(read.commits, flags), Slicer.of(asker));
    const isPastAccess = (name: PartName) => needsAccess(scope, name);
    const past = { at: String(newest.revision), path: '/before', flags: { names: flags }, isPastAccess, asker };
    return readPast(services, past, ({ reader }) => inSlices(pageInSteps(read, reader, request), Slicer.of(asker)));
  });
}

function* addFlags(commits: readonly ReadCommit[], names: Set<string>): Steps<void> {
  for (const { parts } of commits) {
    for (const { collection, key } of parts) {
      if (collection === 'features') names.add(key);
      yield;
    }
  }
}

function* pageInSteps(
  { commits, isComplete }: ReadCommits,
  reader: StateReader,
  request: HistoryRequest,
): Steps<HistoryPage> {
  const moment = new PartsBackwards(reader);
  const entries: string[] = [];
  let chars = 0;
  for (const commit of commits) {
    const entry = yield* entryText(commit, moment, reader, request);
    if (entry !== undefined) {
      chars += entry.length;
      if (entries.length > 0 && chars > PAGE_CHARS_MAX) return { entries, next: commit.revision + 1 };
      entries.push(entry);
    }
    if (entries.length >= request.limit && commit !== commits.at(-1)) return { entries, next: commit.revision };
  }
  return { entries, next: isComplete ? null : (commits.at(-1)?.revision ?? null) };
}

interface ReadCommits {
  readonly commits: readonly ReadCommit[];
  /** Whether the history has no older commits. */
  readonly isComplete: boolean;
}

/** The commits that may belong to the page, newest first. */
async function readCommits(services: Services, request: HistoryRequest): Promise<ReadCommits> {
  const { scope, limit, createdBy, asker } = request;
  const { eventIndex } = services;
  const columns = await eventIndex.upToDate();
  const { firstId, beforeId } = await rangeOf(columns, request);
  const moved =
    scope.of === 'project'
      ? await inSlices(columns.flagsOf('feature-project-change'), Slicer.of(asker))
      : new Set<string>();
  const { queries, isOther } = searchOf(scope, moved);
  const commits: ReadCommit[] = [];
  const isEach = scope.of === 'instance' || scope.of === 'segment' || scope.of === 'entity';
  const wantedMax = isEach ? limit + 1 : COMMITS_READ_MAX;
  const slicer = Slicer.of(asker);
  const pace = new ReadingPace();
  let [wanted, bytesRead] = [0, 0];
  for (const ids of columns.replacingIds(queries, beforeId, isOther)) {
    for (let at = 0; at < ids.length; ) {
      const batch = ids.slice(at, at + pace.eventsPerRead);
      at += batch.length;
      const entries = await eventIndex.read(batch);
      pace.recordRead(entries);
      for (const { id, bytes } of entries) {
        if (id < firstId) return { commits, isComplete: true };
        const added = await inSlices(addEvent(commits, bytes), slicer);
        if (added && isWanted(added, createdBy)) wanted++;
        bytesRead += bytes.length;
        if (slicer.spent) await slicer.pause();
        if (wanted <= wantedMax && commits.length <= COMMITS_READ_MAX && bytesRead < READ_BYTES_MAX) continue;
        // The last commit may have more events than were read.
        if (commits.length > 1) commits.pop();
        return { commits, isComplete: false };
      }
    }
    if (slicer.spent) await slicer.pause();
  }
  return { commits, isComplete: true };
}

const isWanted = ({ event }: ReadCommit, createdBy: number | undefined): boolean =>
  createdBy === undefined || event.createdByUserId === createdBy;

/** The ids of the events of the request: from `firstId` until before `beforeId`. Begins with the newest commit of the wanted author. */
async function rangeOf(columns: EventColumns, { before, fromMs, toMs, createdBy, asker }: HistoryRequest) {
  const { firstRecordedId, nextId } = columns;
  const firstId = Math.max(firstRecordedId, fromMs === undefined ? 0 : columns.firstIdAfterTime(fromMs - 1));
  const ends = [
    before === undefined ? nextId : columns.firstIdAfter(before - 1),
    toMs === undefined ? nextId : columns.firstIdAfterTime(toMs),
  ];
  if (createdBy !== undefined) {
    const page = { fromId: Math.min(...ends) - 1, limit: 1 };
    const { ids } = await inSlices(columns.find({ createdByUserId: [createdBy] }, page), Slicer.of(asker));
    const revision = ids[0] === undefined ? undefined : columns.revisionFrom(ids[0]);
    ends.push(revision === undefined ? firstId : columns.firstIdAfter(revision));
  }
  return { firstId, beforeId: Math.max(firstId, Math.min(...ends)) };
}

/** Returns the commit of the event if it is a new one. */
function* addEvent(commits: ReadCommit[], bytes: Uint8Array): Steps<ReadCommit | undefined> {
  const event = decodeForSummary(bytes);
  const { revision = 0, featureName, project } = event;
  let commit = commits.at(-1);
  const isNew = commit?.revision !== revision;
  if (commit === undefined || isNew) {
    commit = { revision, event, types: new Set(), parts: [] };
    commits.push(commit);
  }
  commit.types.add(event.type);
  for (const part of (yield* decodePast(bytes)) ?? []) {
    commit.parts.push({ ...part, project: part.key === featureName ? project : null });
    yield;
  }
  return isNew ? commit : undefined;
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
    case 'entity':
      return { queries: [], isOther: (name) => isOfEntity(scope, name) };
    case 'segment':
      return { queries: [], isOther: (name) => isSegment(name) && name.key === id };
    case 'environment':
      return { queries: [{ environment: id }], isOther: () => true };
    default:
      return { queries: [{ project: id }, { feature: [...moved] }], isOther: () => true };
  }
}

/**
 * The entry of a commit, as JSON; undefined if nothing of it belongs to the history, or if the caller may see nothing of it. Moves the parts to the moment
 * before the commit.
 */
function* entryText(
  commit: ReadCommit,
  moment: PartsBackwards,
  reader: StateReader,
  { scope, visible, createdBy }: HistoryRequest,
): Steps<string | undefined> {
  const { revision, event, types, parts } = commit;
  const after = new Map<PastPart, { readonly value: object | undefined; readonly project: string | null }>();
  const groups = new Map<string, object | undefined>();
  for (const part of parts) {
    const value = moment.get(part);
    after.set(part, { value, project: projectOfFlag(part, moment) });
    if (part.collection === 'groups') groups.set(part.key, value);
    yield;
  }
  const used = scope.of === 'feature' ? [segmentsOf(moment, scope.id)] : [];
  for (const part of parts) {
    moment.replace(part, part.before);
    yield;
  }
  if (!isWanted(commit, createdBy)) return undefined;
  if (scope.of === 'feature') used.push(segmentsOf(moment, scope.id));
  const isUsed = (segment: string) => used.some((ids) => ids.has(segment));
  // A group that the commit created is there only after it.
  const at: ReadAt = (collection, key) => moment.get({ collection, key, part: '' }) ?? groups.get(key);
  const changes: string[] = [];
  let chars = 0;
  let more = false;
  for (const part of parts) {
    yield;
    const { value, project } = after.get(part) ?? { value: undefined, project: null };
    const flagProjects = [project ?? part.project, projectOfFlag(part, moment), ...eventProjects(part)];
    const named = (entity: object) => nameOf(part, entity, reader, at);
    const change = changeOfPart(part, part.before, value, flagProjects[0] ?? flagProjects[1] ?? null, named);
    const { collection, before } = part;
    if (!change || !isVisible({ collection, before, after: value, flagProjects }, visible)) continue;
    if (!belongsTo(scope, part, change, flagProjects, isUsed)) continue;
    more = changes.length === CHANGES_MAX || chars > PAGE_CHARS_MAX;
    if (more) break;
    const text = JSON.stringify(change);
    chars += text.length;
    changes.push(text);
  }
  if (changes.length === 0) return undefined;
  const author = { id: event.createdByUserId, name: event.createdBy };
  const head = { revision, at: event.createdAt, author, reason: event.reason ?? null, types: [...types] };
  return `${JSON.stringify(head).slice(0, -1)},"changes":[${changes.join()}],"more":${more}}`;
}

/** An event about two projects names both. */
function eventProjects({ project }: LocatedPart): readonly string[] {
  return projectsOf(project);
}

function projectOfFlag({ collection, key }: PartName, moment: PartsBackwards): string | null {
  return collection === 'features' ? moment.projectOf(key) : null;
}
