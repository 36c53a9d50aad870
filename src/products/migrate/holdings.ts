import type { Taken, TakenKind } from '../../features/import-export/instance/input.ts';
import { nobody, type People } from './people.ts';

/** Something that is not brought over, or not as it was, and why. */
export interface Note {
  readonly about: string;
  readonly text: string;
}

/** An environment of a project where changes are reviewed before they are made. */
export interface Protection {
  readonly project: string;
  readonly environment: string;
  readonly requiredApprovals: number;
}

/** All that is read of a source, as it is to be in the target. */
export type Holdings = {
  readonly [K in TakenKind]: Taken<K>[];
} & {
  /** What segments are called there, by their ids there. */
  readonly segmentNames: { readonly id: number; readonly name: string }[];
  readonly people: People;
  readonly protections: Protection[];
  readonly notes: Note[];
  /** Flags that cannot be said here, by name, and why. */
  readonly untaken: Note[];
};

export function noHoldings(): Holdings {
  return {
    ...{ environments: [], projects: [], contextFields: [], tagTypes: [], tags: [], strategyTypes: [] },
    ...{
      segments: [],
      defaultStrategies: [],
      features: [],
      apiTokens: [],
      featureTypes: [],
      frontendOrigins: [],
      banners: [],
      favorites: [],
      segmentNames: [],
      people: nobody(),
      protections: [],
      notes: [],
      untaken: [],
    },
  };
}
