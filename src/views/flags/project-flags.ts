import { searchName, sortedNames } from '../../base/lists/sorted.ts';
import { inSlices, type Slicer } from '../../base/yield-control.ts';
import { isServed } from '../../model/client-feature.ts';
import type { Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';
import type { FlagCell } from './flag-cell.ts';
import { FlagChunk } from './flag-chunk.ts';

/** Number of cells with which a chunk is created, and the maximum, above which it is split. A change copies one chunk. */
const CHUNK_FLAGS = 64;
const CHUNK_FLAGS_MAX = 128;

/**
 * The served flags of one project in one environment, sorted by name. Chunks are immutable: a reader keeps seeing the flags of the moment at which it
 * read `chunks`. Few changes are applied synchronously; many changes are only recorded, and applied in slices by `build`.
 */
export class ProjectFlags {
  readonly #state: State;
  readonly #environment: string;
  readonly #project: string;
  readonly #makeCell: (feature: Feature) => FlagCell;
  #chunks: readonly FlagChunk[] = [];
  /** Names of the flags that may have changed since the chunks were updated. */
  readonly #staleNames = new Set<string>();
  /** False while any flag may have changed: then all flags must be checked. */
  #areAllChecked = false;
  /** Number of calls of `markAllStale`. A check of all flags is not valid if another call came in between. */
  #markings = 0;
  #building: Promise<void> | undefined;

  constructor(state: State, environment: string, project: string, makeCell: (feature: Feature) => FlagCell) {
    this.#state = state;
    this.#environment = environment;
    this.#project = project;
    this.#makeCell = makeCell;
  }

  /** The current flags. Valid only when `ready` is true. */
  get chunks(): readonly FlagChunk[] {
    return this.#chunks;
  }

  /** Whether the chunks are up to date. */
  get ready(): boolean {
    return this.#areAllChecked && this.#staleNames.size === 0;
  }

  /** Call it when these flags were changed, added or removed. If they are few, they are updated synchronously. */
  change(names: ReadonlySet<string>): void {
    const isFew = this.ready && names.size <= CHUNK_FLAGS;
    for (const name of names) {
      if (isFew) this.#update(name);
      else this.#staleNames.add(name);
    }
  }

  /** Marks all flags as possibly changed. `build` then reuses the cells of unchanged flags. */
  markAllStale(): void {
    this.#areAllChecked = false;
    this.#staleNames.clear();
    this.#markings++;
  }

  /** Updates the flags. They are up to date at some moment before the promise resolves; concurrent callers wait for the same work. */
  build(slicer: Slicer): Promise<void> {
    this.#building ??= this.#build(slicer).finally(() => {
      this.#building = undefined;
    });
    return this.#building;
  }

  /** The flag with this name; undefined when it is not served. */
  find(name: string): FlagCell | undefined {
    const { cells } = this.#chunks[this.#chunkIndexOf(name)] ?? { cells: [] };
    return cells[searchName(cells.length, (index) => (cells[index] as FlagCell).name, name)];
  }

  async #build(slicer: Slicer): Promise<void> {
    while (!this.ready) {
      if (!this.#areAllChecked) await this.#checkAll(slicer);
      for (const name of this.#staleNames) {
        this.#staleNames.delete(name);
        this.#update(name);
        if (slicer.spent) await slicer.pause();
      }
    }
  }

  /** Checks all flags. Afterwards `#staleNames` contains the flags that changed meanwhile. */
  async #checkAll(slicer: Slicer): Promise<void> {
    const markings = this.#markings;
    const names = await inSlices(sortedNames(this.#names()), slicer);
    const chunks: FlagChunk[] = [];
    for (let start = 0; start < names.length; start += CHUNK_FLAGS) {
      const cells = names.slice(start, start + CHUNK_FLAGS).flatMap((name) => this.#cellOf(name) ?? []);
      if (cells.length > 0) chunks.push(new FlagChunk(cells));
      if (slicer.spent) await slicer.pause();
      if (markings !== this.#markings) return;
    }
    this.#chunks = chunks;
    this.#areAllChecked = true;
  }

  *#names(): Generator<string> {
    for (const { name } of this.#state.lookup('featuresByProject', this.#project)) yield name;
  }

  #update(name: string): void {
    const before = this.find(name);
    const cell = this.#cellOf(name);
    if (cell === before) return;
    const index = this.#chunkIndexOf(name);
    const cells = [...(this.#chunks[index]?.cells ?? [])];
    const found = searchName(cells.length, (at) => (cells[at] as FlagCell).name, name);
    if (found >= 0) cells.splice(found, 1, ...(cell ? [cell] : []));
    else if (cell) cells.splice(-1 - found, 0, cell);
    const half = cells.length > CHUNK_FLAGS_MAX ? cells.length >>> 1 : cells.length;
    const runs = [cells.slice(0, half), cells.slice(half)].filter((run) => run.length > 0);
    this.#chunks = this.#chunks.toSpliced(index, 1, ...runs.map((run) => new FlagChunk(run)));
  }

  /** The current cell of the flag: the existing one if the flag and its segments have not changed. Undefined if the flag is not served. */
  #cellOf(name: string): FlagCell | undefined {
    const feature = this.#state.get('features', name);
    const project = this.#state.get('projects', this.#project);
    const known = this.find(name);
    const isServedHere = feature?.project === this.#project && isServed(feature, project, this.#environment);
    if (isServedHere && known?.feature === feature && known.hasSegmentsOf(this.#state)) return known;
    if (known) known.isReplaced = true;
    if (!isServedHere) return undefined;
    return this.#makeCell(feature);
  }

  /** Index of the chunk for the name, whether or not it contains the name: the last chunk whose first name is not after it. */
  #chunkIndexOf(name: string): number {
    const firstName = (index: number) => this.#chunks[index]?.cells[0]?.name ?? '';
    const found = searchName(this.#chunks.length, firstName, name);
    return found >= 0 ? found : Math.max(0, -2 - found);
  }
}
