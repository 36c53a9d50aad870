/** A kind of tag, as stored. Collection `tagTypes`, key: the name. */
export interface TagType {
  readonly name: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly color: string | null;
}
