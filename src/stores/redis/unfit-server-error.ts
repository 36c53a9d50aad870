/** The server cannot be used as it is. If `isLasting` is true, an operator must change something. If it is false, a failover may be under way. */
export class UnfitServerError extends Error {
  override readonly name = 'UnfitServerError';
  readonly isLasting: boolean;

  constructor(message: string, isLasting: boolean) {
    super(message);
    this.isLasting = isLasting;
  }
}
