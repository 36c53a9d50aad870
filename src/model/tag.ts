/**
 * A tag that is there whether or not a flag has it, as stored. Collection `tags`, key: `tagText`. Those that flags have need no entity: they are
 * there because a flag has them.
 */
export interface Tag {
  readonly type: string;
  readonly value: string;
}
