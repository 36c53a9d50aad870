import { collection } from '../../model/collection.ts';
/** A choice that is part of what is stored, so that every process on it follows it. Collection `settings`, key: the name. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

export const settings = collection({ schema: 1, key: (setting: Setting) => setting.name });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly settings: typeof settings;
  }
}
