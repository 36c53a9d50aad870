import { collection, NO_KEYS } from './collection.ts';
export interface LegalValue {
  readonly value: string;
  readonly description?: string;
}

/** A context field people can constrain on, as stored. Collection `contextFields`, key: the name. */
export interface ContextField {
  readonly name: string;
  readonly description: string | null;
  readonly stickiness: boolean;
  readonly sortOrder: number;
  readonly legalValues: readonly LegalValue[];
  readonly createdAt: string;
  /** The project that it is of. Left out: it is for all of them. */
  readonly project?: string;
}

export const contextFields = collection({
  schema: 1,
  key: (field: ContextField) => field.name,
  indexes: { contextFieldsByProject: ({ project }) => (project === undefined ? NO_KEYS : [project]) },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly contextFields: typeof contextFields;
  }
}
