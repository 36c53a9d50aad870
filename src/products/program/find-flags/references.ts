import { ProgramError } from '../subcommand.ts';
import type { FoundName } from './scan-text.ts';

/** A place in the code that uses a name. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly isCall: boolean;
}

/** The uses of one name. */
interface Uses {
  /** The number of places. */
  count: number;
  /** The first places. */
  readonly places: Place[];
}

/** As many places as a service stores for a name. */
const PLACES_OF_NAME_MAX = 1_000;
/** After so many places, only the first place of each name is kept. */
const PLACES_MAX = 500_000;

/** More different names are no names of flags: a pattern of `--call` is too wide. */
const NAMES_MAX = 100_000;

/** The names that code uses. Its size is bounded: beyond the bounds, places are only counted. */
export class References {
  readonly byName = new Map<string, Uses>();
  #kept = 0;

  /** @throws ProgramError */
  add(path: string, { name, line, isCall }: FoundName): void {
    let uses = this.byName.get(name);
    if (!uses) {
      if (this.byName.size >= NAMES_MAX) throw new ProgramError(`the code uses more than ${NAMES_MAX} names of flags`);
      uses = { count: 0, places: [] };
      this.byName.set(name, uses);
    }
    uses.count++;
    if (uses.places.length >= (this.#kept < PLACES_MAX ? PLACES_OF_NAME_MAX : 1)) return;
    uses.places.push({ path, line, isCall });
    this.#kept++;
  }

  /** The number of places. */
  get count(): number {
    let count = 0;
    for (const uses of this.byName.values()) count += uses.count;
    return count;
  }

  /** At most `placesMax` places: if there are more, each name keeps its first ones. */
  fitting(placesMax: number): { readonly flagName: string; readonly places: readonly Omit<Place, 'isCall'>[] }[] {
    let most = PLACES_OF_NAME_MAX;
    const total = () => {
      let sum = 0;
      for (const { places } of this.byName.values()) sum += Math.min(places.length, most);
      return sum;
    };
    while (most > 1 && total() > placesMax) most = Math.floor(most / 2);
    return Array.from(this.byName, ([flagName, { places }]) => ({
      flagName,
      places: places.slice(0, most).map(({ path, line }) => ({ path, line })),
    }));
  }
}
