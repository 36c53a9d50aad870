import type { EventHead } from '../../state/commit.ts';
import type { PartName } from '../../state/past.ts';
import { CHUNK_EVENTS } from './column.ts';

const FLAG = 1;
const SETTINGS = 2;
const OTHERS = 4;

/**
 * The parts of entities that the events of one chunk replaced. Most events replace only a part of the flag that they are about: they need one byte. The
 * other parts are kept with their names.
 */
export class ReplacedParts {
  readonly #kinds = new Uint8Array(CHUNK_EVENTS);
  readonly #others = new Map<number, readonly PartName[]>();

  set(slot: number, { featureName, environment }: EventHead, names: readonly PartName[]): void {
    let kinds = 0;
    const others = names.filter(({ collection, key, part }) => {
      const isOwn = collection === 'features' && key === featureName && (part === '' || part === environment);
      if (isOwn) kinds |= part === '' ? FLAG : SETTINGS;
      return !isOwn;
    });
    if (others.length > 0) {
      kinds |= OTHERS;
      this.#others.set(slot, others);
    }
    this.#kinds[slot] = kinds;
  }

  /** Whether the event replaced any part. */
  hasAny(slot: number): boolean {
    return this.#kinds[slot] !== 0;
  }

  /** Whether the event replaced a part of the flag itself: everything that is not a setting of one environment. */
  hasFlag(slot: number): boolean {
    return ((this.#kinds[slot] as number) & FLAG) !== 0;
  }

  /** Whether the event replaced the settings of its flag in its environment. */
  hasSettings(slot: number): boolean {
    return ((this.#kinds[slot] as number) & SETTINGS) !== 0;
  }

  /** The replaced parts that the fields of the event do not name. */
  others(slot: number): readonly PartName[] {
    return this.#others.get(slot) ?? NONE;
  }

  /** The slots from `start` to before `stop` whose events replaced a part that their fields do not name and that `isWanted` accepts. */
  *slotsOfOthers(start: number, stop: number, isWanted: (name: PartName) => boolean): Generator<number, void, void> {
    for (const [slot, names] of this.#others) if (slot >= start && slot < stop && names.some(isWanted)) yield slot;
  }
}

const NONE: readonly PartName[] = [];
