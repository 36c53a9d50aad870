import type { Asker } from '../../base/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { CollectionName, Collections, Entity, IndexName } from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import type { FixedState } from '../../state/fixed-state.ts';
import { decodePast, type PartName, partKey, withParts } from '../../state/past.ts';
import { EVENTS_READ_MAX } from '../../stores/store.ts';
import type { EventColumns, ReplacedIn } from '../events/columns.ts';
import type { WantedFlags } from '../events/event-chunk.ts';
import type { Services } from '../services.ts';

/** Maximum number of parts that may differ from now. Each is read from the store, and kept in memory while the answer is created. */
const PARTS_MAX = 100_000;

/** The indexes of flags that answers about the past read. An answer must not build them: 100,000 flags may have changed. */
const INDEXED: readonly IndexName[] = ['featuresByProject', 'featuresByParent', 'featuresBySegment'];

/** The parts that were replaced after a revision, as they were at that revision. */
export class ReadParts {
  readonly columns: EventColumns;
  readonly revision: number;
  readonly #index: Services['eventIndex'];
  readonly #wanted: WantedFlags;
  readonly #before = new Map<string, { readonly name: PartName; readonly value: object | undefined }>();
  #nextId: number;
  /** The result of the last `appliedTo`. */
  #applied: { readonly on: FixedState; readonly draft: Draft } | undefined;

  constructor({ eventIndex }: Services, columns: EventColumns, revision: number, wanted: WantedFlags) {
    this.columns = columns;
    this.revision = revision;
    this.#index = eventIndex;
    this.#wanted = wanted;
    this.#nextId = columns.firstIdAfter(revision);
  }

  /** Number of parts that differ from now. */
  get size(): number {
    return this.#before.size;
  }

  /** Reads the parts that events before `endId` replaced. Parts that are known already are older, and stay. */
  async readTo(endId: number, asker: Asker): Promise<Rejection | undefined> {
    const slicer = Slicer.of(asker);
    const found = await inSlices(this.columns.firstReplacements(this.#nextId, this.#wanted, PARTS_MAX), slicer);
    if (!found) return TOO_MUCH;
    const missing = await inSlices(this.#byEvent(found), slicer);
    if (this.#before.size + found.size > PARTS_MAX) return TOO_MUCH;
    const ids = [...missing.keys()];
    for (let at = 0; at < ids.length; at += EVENTS_READ_MAX) {
      for (const { id, bytes } of await this.#index.read(ids.slice(at, at + EVENTS_READ_MAX))) {
        await inSlices(this.#take(bytes, missing.get(id) ?? []), slicer);
      }
    }
    this.#nextId = endId;
    return undefined;
  }

  /** The parts that are not known yet, by the event in which they are stored. */
  *#byEvent(found: ReadonlyMap<string, ReplacedIn>): Steps<ReadonlyMap<number, ReplacedIn[]>> {
    const missing = new Map<number, ReplacedIn[]>();
    for (const [key, replaced] of found) {
      yield;
      if (this.#before.has(key)) continue;
      const others = missing.get(replaced.id);
      if (others) others.push(replaced);
      else missing.set(replaced.id, [replaced]);
    }
    return missing;
  }

  *#take(bytes: Uint8Array, wanted: readonly ReplacedIn[]): Steps<void> {
    const values = new Map<string, object | undefined>();
    for (const part of (yield* decodePast(bytes)) ?? []) {
      values.set(partKey(part), part.before);
      yield;
    }
    for (const { name } of wanted) {
      const key = partKey(name);
      this.#before.set(key, { name, value: values.get(key) });
      yield;
    }
  }

  /** The state to which the parts were last applied. */
  get appliedOn(): FixedState | undefined {
    return this.#applied?.on;
  }

  /** The state with these parts. */
  *appliedTo(state: FixedState): Steps<Draft> {
    if (this.#applied?.on === state) return this.#applied.draft;
    const draft = new Draft(state, INDEXED);
    const entities = new Map<CollectionName, Map<string, Map<string, object | undefined>>>();
    for (const { name, value } of this.#before.values()) {
      mapIn(mapIn(entities, name.collection), name.key).set(name.part, value);
      yield;
    }
    for (const [collection, byKey] of entities) {
      for (const [key, parts] of byKey) {
        const current = state.get(collection, key) as Entity | undefined;
        const past = withParts(collection, current, parts);
        if (past) draft.put(collection as 'features', past as Collections['features']);
        else if (current) draft.remove(collection, key);
        yield;
      }
    }
    this.#applied = { on: state, draft };
    return draft;
  }
}

function mapIn<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let map = maps.get(key);
  if (!map) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}

const TOO_MUCH = new Rejection(
  'PayloadTooLargeError',
  `More than ${PARTS_MAX} settings differ from now. Ask for one project, for one flag, or for a later moment.`,
);

/** Number of moments that are kept, and of their parts in total: some megabytes. */
const [KEPT_MAX, KEPT_PARTS_MAX] = [4, 20_000];

/**
 * What the last reads of the past have read. A person who looks at a moment makes many requests about it: only the first one reads the store, the
 * others read the events since then.
 */
export class KeptReads {
  /** The latest read last. */
  readonly #reads = new Map<string, ReadParts>();

  /** Takes the read out: only one request may use it at a time. Undefined if it is not kept, or if the events were loaded anew since then. */
  take(name: string, columns: EventColumns): ReadParts | undefined {
    const read = this.#reads.get(name);
    this.#reads.delete(name);
    return read?.columns === columns ? read : undefined;
  }

  /** Keeps the read, and drops the oldest ones. A read that is too large is dropped. */
  keep(name: string, read: ReadParts): void {
    this.#reads.delete(name);
    this.#reads.set(name, read);
    let parts = 0;
    for (const { size } of this.#reads.values()) parts += size;
    for (const [oldest, { size }] of this.#reads) {
      if (parts <= KEPT_PARTS_MAX && this.#reads.size <= KEPT_MAX) break;
      this.#reads.delete(oldest);
      parts -= size;
    }
  }
}
