/** A user has seen a splash screen. Collection `seenSplashes`, key: `splashKey`. */
export interface SeenSplash {
  readonly userId: number;
  readonly splashId: string;
}

export function splashKey(userId: number, splashId: string): string {
  return `${userId}/${splashId}`;
}
