import { createHash } from 'node:crypto';
import { SERVICE } from '../../base/asking/asker.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import type { PreparedBody } from '../../base/prepared-answer.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Scope } from '../../model/caller.ts';
import type { FetchMode } from '../../model/fetch-mode.ts';
import type { State } from '../../state/state.ts';
import { gzipBody, identityBody } from '../payload/body.ts';
import { commaSeparated, Piece } from '../payload/piece.ts';
import type { ChangedNames } from './change-ring.ts';
import type { Chunk } from './chunk.ts';
import { compress, isTooMuch } from './compressing.ts';
import { DeltaAnswers } from './delta-answers.ts';
import { FlagSelection } from './flag-selection.ts';
import type { ClientFormat } from './fragment.ts';
import { ListAnswers } from './list-answers.ts';
import { type ListChanges, type ListPosition, listChanges, type ShownList } from './list-changes.ts';
import { isBefore, type ListMoment, type Moment } from './list-moment.ts';
import type { PartitionView } from './partition-view.ts';
import { type ClientQuery, filtersFlags, requestedScope } from './query.ts';
import type { SegmentPieces } from './segment-pieces.ts';

/**
 * Maximum number of new chunks that a poll filters synchronously, and of all chunks whose digests it hashes synchronously: at most a few milliseconds
 * for large flags.
 */
const INLINE_CHUNKS_NEW = 4;
const INLINE_CHUNKS = 64;

/** The JSON around flags and segments. All lists share these pieces. */
const BEGINNING = { 1: Piece.ofText('{"version":1,"features":['), 2: Piece.ofText('{"version":2,"features":[') };
const SEGMENTS = Piece.ofText('],"segments":[');
const END = Piece.ofText(']}');

/** The flags of a scope at one moment, as immutable pieces: chunks of version 2 flags, and the segments that they use. */
export interface CapturedScope {
  /** The scope as text, with the mark of its history. Equal keys mean equal scopes of the same history. */
  readonly key: string;
  readonly environment: string;
  /** The scope's revision. For equal keys, equal revisions mean equal flags. */
  readonly revision: number;
  /** Sequence number of the state that was captured. */
  readonly seq: number;
  readonly chunks: readonly Chunk[];
  readonly segments: readonly Piece[];
  readonly flagCount: number;
}

/** The parts of a list: all chunks, the pieces of the flags that the list contains, and the pieces of the segments that they use. */
interface ListParts {
  readonly chunks: readonly Chunk[];
  readonly flags: readonly Piece[];
  readonly segments: readonly Piece[];
}

/** The source of the partitions of a scope view. */
export interface PartitionSource {
  /** The partition. It may not be built yet. */
  partition(environment: string, project: string, format: ClientFormat): PartitionView;
  projects(): string[];
  /** The flags and segments of the scope that may have changed since the revision. Null when they are not known or too many. */
  changedSince(revision: number, scope: Scope): ChangedNames | null;
}

/**
 * The payload of one scope, query and format, as the bytes of its answers. Its revision is the newest revision of its partitions, so it changes only
 * when a visible part of the scope changes. The ETag contains the revision and a hash of the scope, the query and the format.
 */
export class ScopeView {
  readonly #state: State;
  readonly #scope: Scope;
  /** The part of the scope that the query requests. Data outside it changes neither the list nor its revision. */
  readonly #requestedScope: Scope;
  readonly #query: ClientQuery;
  readonly #format: ClientFormat;
  readonly #source: PartitionSource;
  readonly #segments: SegmentPieces;
  #scopeKey: string | undefined;
  #revision = -1;
  #shown: ShownList = { position: { revision: 0, mark: '' }, flags: [], segments: [] };
  #pieces: readonly Piece[] = [];
  #identity: PreparedBody | undefined;
  #gzip: PreparedBody | undefined;
  readonly #selection: FlagSelection;
  #building: Promise<void> | undefined;
  /** Sequence number of the state at the last `refresh`. */
  #checkedSeq = -1;
  /** Generation of the state at the last `refresh`. The same sequence number with another generation is a different content. */
  #generation: number;
  /** Hash of the scope, the query and the format. */
  readonly queryHash: string;
  etag = '';
  /** Whether polling SDKs of the scope are asked to open streams. Valid after `refresh`, so that a poll looks up nothing. */
  asksForStreams = false;
  readonly #defaultFetchMode: FetchMode | undefined;
  /** The answers with the whole list. */
  readonly answers = new ListAnswers(this);
  /** The answers for callers that request changes. */
  readonly delta = new DeltaAnswers(this);

  constructor(
    state: State,
    scope: Scope,
    query: ClientQuery,
    format: ClientFormat,
    source: PartitionSource,
    segments: SegmentPieces,
    defaultFetchMode?: FetchMode,
  ) {
    this.#state = state;
    this.#generation = state.generation;
    this.#scope = scope;
    this.#requestedScope = requestedScope(scope, query);
    this.#query = query;
    this.#selection = new FlagSelection(query);
    this.#format = format;
    this.#source = source;
    this.#segments = segments;
    this.#defaultFetchMode = defaultFetchMode;
    this.queryHash = queryHash(scope, query, format);
  }

  /** Whether the view is up to date. If nothing has changed, a poll only does this comparison of two numbers. */
  get fresh(): boolean {
    return this.#checkedSeq === this.#state.seq;
  }

  /** Whether this list was ever requested. */
  get wasUsed(): boolean {
    return this.etag !== '';
  }

  /**
   * Updates the view to the current state. Returns undefined if it is already done, or a promise if it takes longer than a poll may take
   * synchronously.
   */
  refresh(): Promise<void> | undefined {
    if (this.fresh) return undefined;
    this.asksForStreams = this.fetchMode === 'streaming';
    if (this.#tryRefresh()) return undefined;
    return this.#refreshInSlices(this.#state);
  }

  /** The uncompressed list. Valid after `refresh`. */
  get identity(): PreparedBody {
    this.#identity ??= identityBody(this.#pieces);
    return this.#identity;
  }

  /** The list as one gzip member. Valid after `refresh`. */
  get gzip(): PreparedBody {
    this.#gzip ??= gzipBody(this.#pieces);
    return this.#gzip;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** The pieces of the list. Valid after `refresh`. */
  get shown(): ShownList {
    return this.#shown;
  }

  /** Whether a flag can enter or leave the list without a new revision. This happens when the query filters by tags. */
  get hasSilentChanges(): boolean {
    return this.#query.tags !== null;
  }

  /** How SDKs of the scope are asked to get changes; undefined if they do what they are configured for. */
  get fetchMode(): FetchMode | undefined {
    return this.#state.get('environments', this.#scope.environment)?.fetchMode ?? this.#defaultFetchMode;
  }

  /** The chunks and segments of the list, all from one moment. */
  async capture(): Promise<CapturedScope> {
    let partitions = this.#builtPartitions();
    for (; !partitions; partitions = this.#builtPartitions()) await this.#buildPartitions();
    const chunks = partitions.flatMap((partition) => partition.chunks);
    return {
      key: this.#captureKey(),
      environment: this.#scope.environment,
      revision: this.#currentRevision(),
      seq: this.#state.seq,
      chunks,
      segments: this.#segmentPieces(partitions),
      flagCount: chunks.reduce((count, chunk) => count + chunk.size, 0),
    };
  }

  get position(): ListPosition {
    const revision = this.#currentRevision();
    return { revision, mark: this.#state.revisions.mark(revision) };
  }

  /**
   * The changes since `from`, empty if nothing has changed. Null when the whole list is needed: the position is of another history or too old, too
   * much has changed, or the list must be built first.
   */
  changesSince(from: ListPosition): ListChanges | null {
    if (this.hasSilentChanges) return null;
    const { position } = this;
    if (from.revision > position.revision || this.#state.revisions.mark(from.revision) !== from.mark) return null;
    // This does not depend on whether the list is built: at the same position clients already have the current content.
    if (from.revision === position.revision) return { position, segments: [], flags: [] };
    const partitions = this.#partitions();
    if (partitions.some((partition) => !partition.ready)) return null;
    const changed = this.#source.changedSince(from.revision, this.#requestedScope);
    const list = { state: this.#state, query: this.#query, partitions, segments: this.#segments, position };
    return changed && listChanges(changed, list);
  }

  /** The key contains the whole scope, not a hash: if two scopes had the same key, a worker could answer with flags that the caller may not see. */
  #captureKey(): string {
    const { environment, projects } = this.#scope;
    this.#scopeKey ??= JSON.stringify([environment, projects && [...projects].sort()]);
    return `${this.#scopeKey}${markSuffix(this.#state.revisions.mark(this.#currentRevision()))}`;
  }

  /** Returns false when the update takes longer than a poll may take: partitions are not built, or there is too much to compress or to filter. */
  #tryRefresh(): boolean {
    const revision = this.#currentRevision();
    if (revision === this.#revision && this.#generation === this.#state.generation && !this.hasSilentChanges) {
      this.#checkedSeq = this.#state.seq;
      return true;
    }
    const partitions = this.#builtPartitions();
    if (!partitions) return false;
    const chunks = partitions.flatMap((partition) => partition.chunks);
    const filtered = filtersFlags(this.#query);
    if (filtered && (chunks.length > INLINE_CHUNKS || this.#selection.countNew(chunks) > INLINE_CHUNKS_NEW))
      return false;
    const flags = filtered
      ? chunks.flatMap((chunk) => this.#selection.pieces(chunk))
      : chunks.map(({ piece }) => piece);
    const segments = this.#segmentPieces(partitions);
    if (isTooMuch(flags, segments)) return false;
    this.#adopt({ chunks, flags, segments }, this.#momentOf(revision));
    return true;
  }

  /** Resolves when the view shows this moment of the state or a later one. Concurrent callers wait for the same work. */
  async #refreshInSlices({ seq, generation }: Moment): Promise<void> {
    while (isBefore(this.#checked, { seq, generation })) {
      this.#building ??= this.#build().finally(() => {
        this.#building = undefined;
      });
      await this.#building;
    }
  }

  get #checked(): Moment {
    return { seq: this.#checkedSeq, generation: this.#generation };
  }

  async #build(): Promise<void> {
    let partitions = this.#builtPartitions();
    for (; !partitions; partitions = this.#builtPartitions()) await this.#buildPartitions();
    // All parts are from one moment. Chunks and pieces are immutable, so the work on them may take several turns of the event loop.
    const moment = this.#momentOf(this.#currentRevision());
    const segments = this.#segmentPieces(partitions);
    const chunks = partitions.flatMap((partition) => partition.chunks);
    const filtered = filtersFlags(this.#query);
    const slicer = Slicer.of(SERVICE);
    // Many lists may be requested in one turn of the event loop, so each of them continues in a later turn.
    await slicer.pause();
    const flags: Piece[] = [];
    for (const chunk of chunks) {
      const pieces = filtered ? this.#selection.pieces(chunk) : [chunk.piece];
      pushAll(flags, pieces);
      // Checked also if no flag is selected, because filtering takes time too.
      if (slicer.spent) await slicer.pause();
      for (const piece of pieces) await compress(piece, slicer);
    }
    for (const piece of segments) await compress(piece, slicer);
    this.#adopt({ chunks, flags, segments }, moment);
  }

  /** The current partitions of the scope; undefined when any of them is not built. */
  #builtPartitions(): readonly PartitionView[] | undefined {
    const partitions = this.#partitions();
    return partitions.every((partition) => partition.ready) ? partitions : undefined;
  }

  /** Builds the partitions of the scope. Another state may replace the current one meanwhile, so the caller must read the partitions again. */
  async #buildPartitions(): Promise<void> {
    for (const partition of this.#partitions()) if (!partition.ready) await partition.build();
  }

  /** The moment contains the current mark, because a state that replaces this one has another mark for the same revision. */
  #momentOf(revision: number): ListMoment {
    const { seq, generation } = this.#state;
    return { seq, generation, revision, mark: this.#state.revisions.mark(revision) };
  }

  #adopt({ chunks, flags, segments }: ListParts, moment: ListMoment): void {
    if (isBefore(moment, this.#checked)) return;
    const { revision, mark } = moment;
    this.#checkedSeq = moment.seq;
    this.#generation = moment.generation;
    // The selected flags can also change without a new revision, through their tags, which clients do not see. So the ETag of a filtered list
    // contains a hash of its content.
    const hash = filtersFlags(this.#query) ? `${this.queryHash}${this.#selection.contentHash(chunks)}` : this.queryHash;
    // The hash covers the whole content of a filtered version 1 list. A version 2 list also contains the revision.
    const isHashEnough = this.#format === 1 && filtersFlags(this.#query);
    const etag = isHashEnough ? `W/"${hash}"` : `W/"${hash}:${revision}${markSuffix(mark)}"`;
    this.#revision = revision;
    if (etag === this.etag) return;
    this.#shown = { position: { revision, mark }, flags, segments };
    this.#pieces = this.#payload(flags, segments, revision, etag);
    this.#identity = undefined;
    this.#gzip = undefined;
    this.answers.forget();
    this.delta.forget();
    this.etag = etag;
  }

  #projects(): readonly string[] {
    const { projects } = this.#requestedScope;
    if (projects === null) return this.#source.projects();
    const names = [...projects].sort();
    // A project that was deleted since the request is left out: its partition still exists.
    return this.#query.projects ? names.filter((project) => this.#state.get('projects', project)) : names;
  }

  #currentRevision(): number {
    const { environment, projects } = this.#requestedScope;
    if (projects === null) return this.#state.revisions.environment(environment);
    let newest = 0;
    // Includes deleted projects: the revision must not decrease when a project is deleted.
    for (const project of projects) newest = Math.max(newest, this.#state.revisions.partition(environment, project));
    return newest;
  }

  #partitions(): PartitionView[] {
    return this.#projects().map((project) => this.#source.partition(this.#scope.environment, project, this.#format));
  }

  #payload(flags: readonly Piece[], segments: readonly Piece[], revision: number, etag: string): readonly Piece[] {
    const pieces = [BEGINNING[this.#format], ...commaSeparated(flags)];
    if (this.#format === 1) return [...pieces, END];
    const meta = { revisionId: revision, etag, queryHash: this.queryHash };
    const tail = `],"query":${JSON.stringify(this.#queryEcho())},"meta":${JSON.stringify(meta)}}`;
    return [...pieces, SEGMENTS, ...commaSeparated(segments), Piece.ofText(tail)];
  }

  #queryEcho(): Record<string, unknown> {
    const { projects, environment } = this.#scope;
    const { namePrefix, tags, projects: queryProjects } = this.#query;
    return {
      environment,
      ...((projects !== null || queryProjects !== null) && { project: this.#projects() }),
      ...(namePrefix !== null && { namePrefix }),
      ...(tags !== null && { tag: tags.map(({ type, value }) => [type, value]) }),
      inlineSegmentConstraints: false,
    };
  }

  #segmentPieces(partitions: readonly PartitionView[]): Piece[] {
    const ids = new Set<number>();
    for (const partition of partitions) for (const id of partition.segmentIds) ids.add(id);
    return [...ids].sort((left, right) => left - right).flatMap((id) => this.#segments.piece(id) ?? []);
  }
}

/** The mark as a suffix of a revision, so that both together identify the content. */
function markSuffix(mark: string): string {
  return mark === '' ? '' : `.${mark}`;
}

/** Hash of the scope, the query and the format. It is the same on every replica and after every restart. */
function queryHash(scope: Scope, query: ClientQuery, format: ClientFormat): string {
  const projects = scope.projects === null ? null : [...scope.projects].sort();
  return createHash('sha256')
    .update(JSON.stringify([scope.environment, projects, query.projects, query.namePrefix, query.tags, format]))
    .digest('hex')
    .slice(0, 8);
}
