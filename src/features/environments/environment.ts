import { collection } from '../../model/collection.ts';

/** An environment, as stored. Collection `environments`, key: the name. */
export interface Environment {
  readonly name: string;
  /** development, test, preproduction, production, or any text. */
  readonly type: string;
  readonly enabled: boolean;
  /** A protected environment cannot be deleted. */
  readonly protected: boolean;
  /** Lists show environments with a lower value first. */
  readonly sortOrder: number;
}

export const environments = collection({ schema: 1, key: (environment: Environment) => environment.name });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly environments: typeof environments;
  }
}
