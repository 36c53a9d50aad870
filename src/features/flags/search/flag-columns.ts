import { searchName, sortedNames } from '../../../base/lists/sorted.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type Feature, tagText } from '../../../model/feature.ts';
import { TextBlocks } from './text-blocks.ts';
import { grown, Numbering, ValueColumn } from './value-column.ts';

const [CAPACITY_MIN, CAPACITY_FACTOR] = [1_024, 1.5];

/** Number of slots that are numbered in one step. */
const STEP_SLOTS = 16_384;

/** Values of a flag that the flag itself does not contain. */
interface StoredElsewhere {
  readonly stage: string;
  /** The last use in any environment of the flag's project, also if it was before the flag was created; -Infinity without a use. */
  readonly seenMs: number;
}

/**
 * What searches need of all flags, by column. Each flag has a slot, which is its index in every column. A search reads only the columns that it
 * needs, in the order of the slots.
 */
export class FlagColumns {
  /** All slots are below this one. */
  length = 0;
  readonly features: (Feature | undefined)[] = [];
  readonly texts = new TextBlocks(this.features);
  readonly projects = new ValueColumn<string>();
  readonly types = new ValueColumn<string>();
  readonly creators = new ValueColumn<string>();
  readonly stages = new ValueColumn<string>();
  /** Names of the environments in which the flag is on. */
  readonly enabledIn = new ValueColumn<readonly string[]>();
  /** Ids. */
  readonly segments = new ValueColumn<readonly number[]>();
  /** Numbers in `tagTexts`. */
  readonly tags = new ValueColumn<readonly number[]>();
  readonly tagTexts = new Numbering<string>();
  archived = new Uint8Array(0);
  stale = new Uint8Array(0);
  createdMs = new Float64Array(0);
  seenMs = new Float64Array(0);
  /** Position in the order of the names; -1: the slot is empty. */
  ranks = new Int32Array(0);
  /** The slots in the order of the names. */
  order = new Int32Array(0);
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  /** Slots that are not in `order` yet. */
  #added: number[] = [];
  /** Empty slots that are still in `order`. */
  #removed: number[] = [];

  /** Number of flags. */
  get size(): number {
    return this.#slots.size;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  names(): IterableIterator<string> {
    return this.#slots.keys();
  }

  put(feature: Feature, { stage, seenMs }: StoredElsewhere): void {
    const slot = this.#slots.get(feature.name) ?? this.#newSlot(feature.name);
    const { project, type, createdBy, environments, tags } = feature;
    this.features[slot] = feature;
    this.texts.changed(slot);
    this.projects.set(slot, project, () => project);
    this.types.set(slot, type, () => type);
    const creator = String(createdBy.id);
    this.creators.set(slot, creator, () => creator);
    this.stages.set(slot, stage, () => stage);
    const enabled = environments.filter((one) => one.enabled).map((one) => one.environment);
    this.enabledIn.set(slot, enabled.sort().join(), () => enabled);
    const segments = segmentIds(feature);
    this.segments.set(slot, segments.join(), () => segments);
    this.#putTags(slot, tags.length === 0 ? NO_TEXTS : [...new Set(tags.map(tagText))].sort());
    this.archived[slot] = feature.archived ? 1 : 0;
    this.stale[slot] = feature.stale ? 1 : 0;
    this.createdMs[slot] = Date.parse(feature.createdAt);
    this.seenMs[slot] = seenMs;
  }

  remove(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.features[slot] = undefined;
    this.texts.changed(slot);
    this.#releaseTags(this.tags.clear(slot));
    for (const column of this.#valueColumns()) column.clear(slot);
    this.ranks[slot] = -1;
    this.#removed.push(slot);
  }

  /** Updates the order of the names after flags were added or removed. Only the new names are sorted. */
  *sort(): Steps<void> {
    if (this.#added.length === 0 && this.#removed.length === 0) return;
    const { ranks, features } = this;
    const nameOf = (slot: number) => (features[slot] as Feature).name;
    const kept = this.#removed.length === 0 ? this.order : this.order.filter((slot) => (ranks[slot] as number) >= 0);
    const names = yield* sortedNames(this.#added.flatMap((slot) => features[slot]?.name ?? []));
    const added = names.map((name) => this.#slots.get(name) as number);
    const order = new Int32Array(kept.length + added.length);
    let from = 0;
    let at = 0;
    for (const [index, slot] of added.entries()) {
      const to = -1 - searchName(kept.length, (at) => nameOf(kept[at] as number), nameOf(slot));
      if (to > from) order.set(kept.subarray(from, to), at);
      at += to - from;
      order[at++] = slot;
      from = to;
      if (index % 64 === 0) yield;
    }
    order.set(kept.subarray(from), at);
    for (let rank = 0; rank < order.length; rank++) {
      ranks[order[rank] as number] = rank;
      if (rank % STEP_SLOTS === 0) yield;
    }
    this.order = order;
    this.#added = [];
    for (const slot of this.#removed) this.#free.push(slot);
    this.#removed = [];
  }

  #newSlot(name: string): number {
    const slot = this.#free.pop() ?? this.length++;
    if (slot >= this.ranks.length) this.#grow();
    this.#slots.set(name, slot);
    this.#added.push(slot);
    this.ranks[slot] = -1;
    return slot;
  }

  #grow(): void {
    const capacity = Math.max(CAPACITY_MIN, Math.ceil(this.ranks.length * CAPACITY_FACTOR));
    for (const column of this.#valueColumns()) column.grow(capacity);
    this.archived = grown(this.archived, new Uint8Array(capacity));
    this.stale = grown(this.stale, new Uint8Array(capacity));
    this.createdMs = grown(this.createdMs, new Float64Array(capacity));
    this.seenMs = grown(this.seenMs, new Float64Array(capacity));
    this.ranks = grown(this.ranks, new Int32Array(capacity));
  }

  #valueColumns() {
    const { projects, types, creators, stages, enabledIn, segments, tags } = this;
    return [projects, types, creators, stages, enabledIn, segments, tags];
  }

  #putTags(slot: number, texts: readonly string[]): void {
    const key = texts.length === 0 ? '' : JSON.stringify(texts);
    const dropped = this.tags.set(slot, key, () => texts.map((text) => this.tagTexts.acquire(text, () => text)));
    this.#releaseTags(dropped);
  }

  #releaseTags(numbers: readonly number[] = []): void {
    for (const number of numbers) this.tagTexts.release(number);
  }
}

const NO_TEXTS: readonly string[] = [];

function segmentIds({ environments }: Feature): readonly number[] {
  const ids = new Set<number>();
  for (const { strategies } of environments)
    for (const { segments } of strategies) for (const id of segments) ids.add(id);
  return [...ids].sort((left, right) => left - right);
}
