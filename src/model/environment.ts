/** An environment, as stored. Collection `environments`, key: the name. */
export interface Environment {
  readonly name: string;
  /** development, test, preproduction, production, or any text. */
  readonly type: string;
  readonly enabled: boolean;
  /** A protected environment cannot be deleted. */
  readonly protected: boolean;
  /** Lower appears higher in lists. */
  readonly sortOrder: number;
}
