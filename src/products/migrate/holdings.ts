import type { Imported, ImportedKind } from '../../features/import-export/instance/input.ts';
import { noPeople, type People } from './people.ts';

/** The name of an object that is not imported or that the import changes, and the reason, as text for users. */
export interface Note {
  readonly about: string;
  readonly text: string;
}

/** An environment of a project where changes need a review before they are applied. */
export interface Protection {
  readonly project: string;
  readonly environment: string;
  readonly requiredApprovals: number;
}

/** Something in the source that is not imported: a flag that Burgee cannot represent, or a token whose secret the source does not show. */
export interface Omission {
  readonly kind: 'features' | 'apiTokens';
  readonly name: string;
  readonly reason: string;
  /** What the source shows of the secret of a token. */
  readonly shown?: string;
}

/** All data that is read from a source, in the form for the target. */
export type Holdings = {
  readonly [K in ImportedKind]: Imported<K>[];
} & {
  /** Ids and names of segments in the source. */
  readonly segmentNames: { readonly id: number; readonly name: string }[];
  readonly people: People;
  readonly protections: Protection[];
  readonly notes: Note[];
  /** They are listed among the objects that were not imported. */
  readonly omissions: Omission[];
};

export function noHoldings(): Holdings {
  return {
    environments: [],
    projects: [],
    contextFields: [],
    tagTypes: [],
    tags: [],
    strategyTypes: [],
    segments: [],
    defaultStrategies: [],
    features: [],
    apiTokens: [],
    featureTypes: [],
    frontendOrigins: [],
    banners: [],
    addons: [],
    favorites: [],
    segmentNames: [],
    people: noPeople(),
    protections: [],
    notes: [],
    omissions: [],
  };
}
