/** A choice that is part of what is stored, so that every process on it follows it. Collection `settings`, key: the name. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}
