import { collection } from '../../model/collection.ts';
/** A stored setting of the instance. It applies to every process that uses the store. Collection `settings`, key: the name. */
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
