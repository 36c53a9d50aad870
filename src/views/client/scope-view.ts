import { createHash } from 'node:crypto';
import type { PreparedBody } from '../../base/prepared-answer.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Scope } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { gzipBody, identityBody } from '../payload/body.ts';
import { Piece, separated } from '../payload/piece.ts';
import type { ChangedNames } from './change-ring.ts';
import type { Chunk } from './chunk.ts';
import { DeltaAnswers } from './delta-answers.ts';
import type { ClientFormat } from './fragment.ts';
import { ListAnswers } from './list-answers.ts';
import { type ListChanges, type ListPosition, listChanges, type ShownList } from './list-changes.ts';
import { isBefore, type ListMoment, type Moment } from './list-moment.ts';
import type { PartitionView } from './partition-view.ts';
import { PickedFlags } from './picked-flags.ts';
import { askedOf, type ClientQuery, filtersFlags } from './query.ts';
import type { SegmentPieces } from './segment-pieces.ts';

/**
 * New pieces that a poll may compress by itself, and the bytes of them: of ordinary flags these take two milliseconds, of random text four. With more, it
 * waits for them to be done in slices.
 */
const INLINE_PIECES = 12;
const INLINE_BYTES = 192 * 1024;

/** Maximum number of new chunks that a poll filters synchronously, and of chunks that it hashes again: a few milliseconds at most, for large flags. */
const INLINE_CHUNKS_NEW = 4;
const INLINE_CHUNKS = 64;

/** Pieces above this size are compressed on another thread when the list is waited for anyway. */
const ASIDE_BYTES = 64 * 1024;

/** The JSON around flags and segments. The same pieces for all lists. */
const BEGINNING = { 1: Piece.ofText('{"version":1,"features":['), 2: Piece.ofText('{"version":2,"features":[') };
const SEGMENTS = Piece.ofText('],"segments":[');
const END = Piece.ofText(']}');

/** The flags of a scope at one moment, as immutable pieces: version 2 bytes by chunk, and the segments they use. */
export interface CapturedScope {
  /** The scope itself, as text: equal keys are equal scopes of one history. */
  readonly key: string;
  readonly environment: string;
  /** The scope's revision: equal ones are equal flags. */
  readonly revision: number;
  /** Sequence number of the state that was captured. */
  readonly seq: number;
  readonly chunks: readonly Chunk[];
  readonly segments: readonly Piece[];
  readonly flagCount: number;
}

/** What a list is made of: chunks, of these what is in the list, and the segments that they use. */
interface ListParts {
  readonly chunks: readonly Chunk[];
  readonly flags: readonly Piece[];
  readonly segments: readonly Piece[];
}

/** Where a scope view gets its parts. */
export interface PartitionSource {
  /** The partition, built or being built; undefined when the project does not have the environment. */
  partition(environment: string, project: string, format: ClientFormat): PartitionView;
  projects(): string[];
  /** What may differ for the scope since the revision; null when that is not known. */
  changedSince(revision: number, scope: Scope): ChangedNames | null;
}

/**
 * One payload: a scope, a query and a format, as the bytes of its answers. Its revision is the newest among its partitions, so it changes
 * when something visible in the scope changed and at no other time; the ETag is made of the revision and of what was asked.
 */
export class ScopeView {
  readonly #state: State;
  readonly #scope: Scope;
  /** Of the scope, what the query asks for: nothing outside it makes a difference to the list, or to its revision. */
  readonly #asked: Scope;
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
  readonly #picked: PickedFlags;
  #building: Promise<void> | undefined;
  /** Sequence number of the state at which `refresh` last looked. */
  #checkedSeq = -1;
  /** The generation of the state that this number counts in: the same number of another one is another state. */
  #generation: number;
  /** Names what was asked. */
  readonly queryHash: string;
  etag = '';
  /** The answers that hold these bytes. */
  readonly answers = new ListAnswers(this);
  /** Those to callers who ask for what has changed. */
  readonly delta = new DeltaAnswers(this);

  constructor(
    state: State,
    scope: Scope,
    query: ClientQuery,
    format: ClientFormat,
    source: PartitionSource,
    segments: SegmentPieces,
  ) {
    this.#state = state;
    this.#generation = state.generation;
    this.#scope = scope;
    this.#asked = askedOf(scope, query);
    this.#query = query;
    this.#picked = new PickedFlags(query);
    this.#format = format;
    this.#source = source;
    this.#segments = segments;
    this.queryHash = queryHash(scope, query, format);
  }

  /** Whether the view shows the state as it is now. All a poll asks when nothing has changed: two numbers. */
  get fresh(): boolean {
    return this.#checkedSeq === this.#state.seq;
  }

  /** Whether this list was ever requested. */
  get wasUsed(): boolean {
    return this.etag !== '';
  }

  /** Brings the view in step with the state. Undefined when that is done; a promise when it takes more than a poll may take. */
  refresh(): Promise<void> | undefined {
    if (this.fresh || this.#tryRefresh()) return undefined;
    return this.#refreshInSlices(this.#state);
  }

  /** The list as it is. Valid after `refresh`. */
  get identity(): PreparedBody {
    this.#identity ??= identityBody(this.#pieces);
    return this.#identity;
  }

  /** The same as one gzip member. Valid after `refresh`. */
  get gzip(): PreparedBody {
    this.#gzip ??= gzipBody(this.#pieces);
    return this.#gzip;
  }

  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** What the list is made of. Valid after `refresh`. */
  get shown(): ShownList {
    return this.#shown;
  }

  /** Whether a flag may come into the list, or leave it, without a new revision: by its tags. */
  get hasSilentChanges(): boolean {
    return this.#query.tags !== null;
  }

  /** The parts that the list is made of, of one moment. */
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
   * What has changed since `from`; nothing when nothing has, null when the whole list is needed: the position is of another history, or too
   * long ago, too much has changed, or the list has to be built first.
   */
  changesSince(from: ListPosition): ListChanges | null {
    if (this.hasSilentChanges) return null;
    const { position } = this;
    if (from.revision > position.revision || this.#state.revisions.mark(from.revision) !== from.mark) return null;
    // Whether it is built or not: what clients see of it is the same.
    if (from.revision === position.revision) return { position, segments: [], flags: [] };
    const partitions = this.#partitions();
    if (partitions.some((partition) => !partition.ready)) return null;
    const changed = this.#source.changedSince(from.revision, this.#asked);
    const list = { state: this.#state, query: this.#query, partitions, segments: this.#segments, position };
    return changed && listChanges(changed, list);
  }

  /** All of the scope, not a hash: a worker that took one for another would answer with flags that the caller may not see. */
  #captureKey(): string {
    const { environment, projects } = this.#scope;
    this.#scopeKey ??= JSON.stringify([environment, projects && [...projects].sort()]);
    return `${this.#scopeKey}${behind(this.#state.revisions.mark(this.#currentRevision()))}`;
  }

  /** False when that takes longer than a poll may take: parts are missing, much is to be compressed, or many flags are to be looked at. */
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
    if (filtered && (chunks.length > INLINE_CHUNKS || this.#picked.countNew(chunks) > INLINE_CHUNKS_NEW)) return false;
    const flags = filtered ? chunks.flatMap((chunk) => this.#picked.pieces(chunk)) : chunks.map(({ piece }) => piece);
    const segments = this.#segmentPieces(partitions);
    if (isMuch(flags, segments)) return false;
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
    // All of one moment; chunks and pieces never change, so the work on them may take as long as it takes.
    const moment = this.#momentOf(this.#currentRevision());
    const segments = this.#segmentPieces(partitions);
    const chunks = partitions.flatMap((partition) => partition.chunks);
    const filtered = filtersFlags(this.#query);
    const slicer = new Slicer();
    // Many lists may be asked for in one turn of the loop: each waits for its own.
    await slicer.pause();
    const flags: Piece[] = [];
    for (const chunk of chunks) {
      const pieces = filtered ? this.#picked.pieces(chunk) : [chunk.piece];
      flags.push(...pieces);
      // Also where nothing is picked: looking costs, too.
      if (slicer.spent) await slicer.pause();
      for (const piece of pieces) await compress(piece, slicer);
    }
    for (const piece of segments) await compress(piece, slicer);
    this.#adopt({ chunks, flags, segments }, moment);
  }

  /** The partitions of the scope as it is now, if all of them are built. */
  #builtPartitions(): readonly PartitionView[] | undefined {
    const partitions = this.#partitions();
    return partitions.every((partition) => partition.ready) ? partitions : undefined;
  }

  /** When this is called, another state may have replaced theirs: they have to be read again. */
  async #buildPartitions(): Promise<void> {
    for (const partition of this.#partitions()) if (!partition.ready) await partition.build();
  }

  /** With the mark of then: a state that has replaced it has another one, also for the same number. */
  #momentOf(revision: number): ListMoment {
    const { seq, generation } = this.#state;
    return { seq, generation, revision, mark: this.#state.revisions.mark(revision) };
  }

  #adopt({ chunks, flags, segments }: ListParts, moment: ListMoment): void {
    if (isBefore(moment, this.#checked)) return;
    const { revision, mark } = moment;
    this.#checkedSeq = moment.seq;
    this.#generation = moment.generation;
    // What a filter picks can also change with what clients do not see (tags), without a new revision: such answers are compared by content.
    const hash = filtersFlags(this.#query) ? `${this.queryHash}${this.#picked.contentHash(chunks)}` : this.queryHash;
    // A filtered list of version 1 holds nothing but what the hash covers; version 2 also contains the revision.
    const isContentAlone = this.#format === 1 && filtersFlags(this.#query);
    const etag = isContentAlone ? `W/"${hash}"` : `W/"${hash}:${revision}${behind(mark)}"`;
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
    const { projects } = this.#asked;
    if (projects === null) return this.#source.projects();
    const names = [...projects].sort();
    // A project that was deleted since the request is left out: its partition still exists.
    return this.#query.projects ? names.filter((project) => this.#state.get('projects', project)) : names;
  }

  #currentRevision(): number {
    const { environment, projects } = this.#asked;
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
    const pieces = [BEGINNING[this.#format], ...separated(flags)];
    if (this.#format === 1) return [...pieces, END];
    const meta = { revisionId: revision, etag, queryHash: this.queryHash };
    const tail = `],"query":${JSON.stringify(this.#queryEcho())},"meta":${JSON.stringify(meta)}}`;
    return [...pieces, SEGMENTS, ...separated(segments), Piece.ofText(tail)];
  }

  #queryEcho(): Record<string, unknown> {
    const { projects, environment } = this.#scope;
    const { namePrefix, tags, projects: asked } = this.#query;
    return {
      environment,
      ...((projects !== null || asked !== null) && { project: this.#projects() }),
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
function behind(mark: string): string {
  return mark === '' ? '' : `.${mark}`;
}

/** Whether compressing what is new among the pieces takes longer than a poll may take. */
function isMuch(...lists: readonly (readonly Piece[])[]): boolean {
  let count = 0;
  let bytes = 0;
  for (const pieces of lists) {
    for (const piece of pieces) {
      const { uncompressedBytes } = piece;
      if (uncompressedBytes === 0) continue;
      count++;
      bytes += uncompressedBytes;
    }
  }
  return count > INLINE_PIECES || bytes > INLINE_BYTES;
}

async function compress(piece: Piece, slicer: Slicer): Promise<void> {
  if (piece.uncompressedBytes > ASIDE_BYTES) await piece.deflateAside();
  else void piece.deflated;
  if (slicer.spent) await slicer.pause();
}

/** Names what was asked: the same on every replica and after every restart. */
function queryHash(scope: Scope, query: ClientQuery, format: ClientFormat): string {
  const projects = scope.projects === null ? null : [...scope.projects].sort();
  return createHash('sha256')
    .update(JSON.stringify([scope.environment, projects, query.projects, query.namePrefix, query.tags, format]))
    .digest('hex')
    .slice(0, 8);
}
