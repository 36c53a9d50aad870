import { SERVICE } from '../../base/asking/asker.ts';
import { sortedNames } from '../../base/lists/sorted.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { isServed } from '../../model/client-feature.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';
import { Chunk, type Fragment } from './chunk.ts';
import { type ClientFormat, featureFragment } from './fragment.ts';

/** Number of flags, or bytes, with which a chunk is built; and the maximum, above which it is split. One change compresses one chunk again. */
const CHUNK_FLAGS = 128;
const CHUNK_FLAGS_MAX = 256;
const CHUNK_BYTES = 192 * 1024;
const CHUNK_BYTES_MAX = 2 * CHUNK_BYTES;

/** A copy of this many bytes of a chunk takes about as long as the serialisation of one character. */
const COPIED_PER_CHARACTER = 32;

/**
 * The maximum work of one commit in its own turn of the event loop, for all partitions together: a number of flags, and a number of characters in
 * them. The copies of their chunks also count as characters. The remaining flags are updated when the list is requested.
 */
export class TurnBudget {
  #flags = 64;
  #chars = 128 * 1024;

  /** Reduces the budget. Returns false, and reduces nothing, when the budget is not enough. */
  take(flags: number, chars: number): boolean {
    if (flags > this.#flags || chars > this.#chars) return false;
    this.#flags -= flags;
    this.#chars -= chars;
    return true;
  }
}

/**
 * The flags that clients of one environment and one project get, in one format: sorted by name, in chunks. Each changed flag is updated separately.
 * Invariant: after the build, the concatenation of the chunks depends only on the state, not on the order of the changes.
 */
export class PartitionView {
  readonly environment: string;
  readonly project: string;
  readonly format: ClientFormat;
  readonly #state: State;
  #chunks: readonly Chunk[] = [];
  /** Segment id → number of served flags whose enabled strategies use it. */
  readonly #segmentUse = new Map<number, number>();
  readonly #segmentsOfFlag = new Map<string, readonly number[]>();
  #building: Promise<void> | undefined;
  /** While the view is not up to date: names of the flags that changed after the build, or after the start of the build. */
  #changedNames: Set<string> | undefined;
  /** Whether the view is up to date. */
  ready = false;

  constructor(state: State, environment: string, project: string, format: ClientFormat) {
    this.#state = state;
    this.environment = environment;
    this.project = project;
    this.format = format;
  }

  /** The current chunks. The array and its chunks are immutable; a change creates a new array. */
  get chunks(): readonly Chunk[] {
    return this.#chunks;
  }

  get segmentIds(): Iterable<number> {
    return this.#segmentUse.keys();
  }

  /** Whether any served flag may use the segment. Always true while the view is not up to date. */
  usesSegment(id: number): boolean {
    return !this.ready || this.#segmentUse.has(id);
  }

  /** Names of the flags of this project that use the segment. */
  flagsWithSegment(id: number): string[] {
    const names: string[] = [];
    for (const feature of this.#state.lookup('featuresBySegment', String(id)))
      if (feature.project === this.project) names.push(feature.name);
    return names;
  }

  /** The bytes of one flag; undefined when it is not served. */
  fragment(name: string): Uint8Array | undefined {
    return this.#chunks[this.#chunkIndexOf(name)]?.fragmentOf(name);
  }

  /** Builds the view in slices. Commits may be applied meanwhile: the flags that they change are updated at the end. */
  build(): Promise<void> {
    this.#building ??= this.#build();
    return this.#building;
  }

  /**
   * Call it when these flags were changed, added or removed. They are updated synchronously if the budget is enough, otherwise in slices when the
   * list is requested.
   */
  update(names: Iterable<string>, budget: TurnBudget): void {
    const pending = [...names];
    if (this.ready && budget.take(pending.length, 0) && budget.take(0, this.#charactersOf(pending))) {
      for (const name of pending) this.#updateFlag(name);
      return;
    }
    if (this.ready) {
      this.#changedNames = new Set();
      this.#building = undefined;
      this.ready = false;
    }
    // Before the first build `#changedNames` is undefined, and the build reads all flags anyway.
    for (const name of pending) this.#changedNames?.add(name);
  }

  #charactersOf(names: readonly string[]): number {
    let count = 0;
    for (const name of names) {
      const feature = this.#state.get('features', name);
      if (feature) count += charactersOf(feature, this.environment);
      const chunk = this.#chunks[this.#chunkIndexOf(name)];
      if (chunk) count += chunk.piece.lengthBytes / COPIED_PER_CHARACTER;
    }
    return count;
  }

  #updateFlag(name: string): void {
    const feature = this.#servedFeature(name);
    this.#countSegments(name, feature);
    const index = this.#chunkIndexOf(name);
    const chunk = this.#chunks[index];
    if (feature) this.#replaceChunk(index, withFlag(chunk, feature, this.#fragmentOf(feature)));
    else if (chunk) {
      const rest = chunk.without(name);
      if (rest !== chunk) this.#replaceChunk(index, rest ? [rest] : []);
    }
  }

  async #build(): Promise<void> {
    const slicer = Slicer.of(SERVICE);
    if (!this.#changedNames) {
      this.#changedNames = new Set();
      this.#chunks = await this.#buildChunks(slicer);
    }
    for (const name of this.#changedNames) {
      this.#changedNames.delete(name);
      this.#updateFlag(name);
      if (slicer.spent) await slicer.pause();
    }
    this.#changedNames = undefined;
    this.ready = true;
  }

  async #buildChunks(slicer: Slicer): Promise<readonly Chunk[]> {
    const chunks: Chunk[] = [];
    let fragments: Fragment[] = [];
    let lengthBytes = 0;
    for (const name of await inSlices(sortedNames(this.#names()), slicer)) {
      const feature = this.#servedFeature(name);
      this.#countSegments(name, feature);
      if (feature) {
        const bytes = this.#fragmentOf(feature);
        fragments.push([feature, bytes]);
        lengthBytes += bytes.byteLength;
      }
      if (fragments.length === CHUNK_FLAGS || lengthBytes > CHUNK_BYTES) {
        chunks.push(Chunk.of(fragments));
        fragments = [];
        lengthBytes = 0;
      }
      if (slicer.spent) await slicer.pause();
    }
    if (fragments.length > 0) chunks.push(Chunk.of(fragments));
    return chunks;
  }

  *#names(): Generator<string> {
    for (const { name } of this.#state.lookup('featuresByProject', this.project)) yield name;
  }

  #servedFeature(name: string): Feature | undefined {
    const feature = this.#state.get('features', name);
    if (feature?.project !== this.project) return undefined;
    return isServed(feature, this.#state.get('projects', this.project), this.environment) ? feature : undefined;
  }

  #fragmentOf(feature: Feature): Buffer {
    const segmentOf = (id: number) => this.#state.get('segments', String(id));
    return Buffer.from(featureFragment(feature, this.environment, this.format, segmentOf));
  }

  #replaceChunk(index: number, replacements: readonly Chunk[]): void {
    this.#chunks = [...this.#chunks.slice(0, index), ...replacements, ...this.#chunks.slice(index + 1)];
  }

  /** Index of the chunk for the name, whether or not it contains the name: the last chunk whose first name is not after it. */
  #chunkIndexOf(name: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#chunks[middle]?.firstName ?? '') <= name) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #countSegments(name: string, feature: Feature | undefined): void {
    for (const id of this.#segmentsOfFlag.get(name) ?? []) {
      const uses = (this.#segmentUse.get(id) ?? 0) - 1;
      if (uses > 0) this.#segmentUse.set(id, uses);
      else this.#segmentUse.delete(id);
    }
    const ids = feature ? activeSegments(feature, this.environment) : [];
    if (ids.length === 0) this.#segmentsOfFlag.delete(name);
    else this.#segmentsOfFlag.set(name, ids);
    for (const id of ids) this.#segmentUse.set(id, (this.#segmentUse.get(id) ?? 0) + 1);
  }
}

/** The chunk with the flag in it, as several chunks if it has become too large. */
function withFlag(chunk: Chunk | undefined, feature: Feature, bytes: Uint8Array): readonly Chunk[] {
  if (!chunk) return [Chunk.of([[feature, bytes]])];
  return splitWhereLarge(chunk.with(feature, bytes));
}

function splitWhereLarge(chunk: Chunk): readonly Chunk[] {
  const isLarge = chunk.size > CHUNK_FLAGS_MAX || (chunk.size > 1 && chunk.piece.lengthBytes > CHUNK_BYTES_MAX);
  return isLarge ? chunk.split().flatMap(splitWhereLarge) : [chunk];
}

/**
 * Number of characters in the parts of a flag that may be long. The segments that version 1 contains are not counted, because they have their own
 * limit.
 */
function charactersOf(feature: Feature, environment: string): number {
  let count = feature.description?.length ?? 0;
  const { strategies, variants } = featureEnvironment(feature, environment);
  for (const { parameters, constraints } of strategies) {
    for (const name in parameters) count += parameters[name]?.length ?? 0;
    for (const { values, value } of constraints) {
      count += value?.length ?? 0;
      for (const each of values ?? []) count += each.length;
    }
  }
  for (const { payload, overrides } of variants) {
    count += payload?.value.length ?? 0;
    for (const { values } of overrides ?? []) for (const each of values) count += each.length;
  }
  return count;
}

/** Ids of the segments that SDKs need to evaluate the flag, without duplicates. */
function activeSegments(feature: Feature, environment: string): readonly number[] {
  const ids = new Set<number>();
  for (const entry of feature.environments) {
    if (entry.environment !== environment) continue;
    for (const strategy of entry.strategies) if (!strategy.disabled) for (const id of strategy.segments) ids.add(id);
  }
  return [...ids];
}
