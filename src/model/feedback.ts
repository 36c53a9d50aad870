/** What a user made of being asked for their opinion (contract: Feedback). Collection `feedback`, key: `feedbackKey`. */
export interface Feedback {
  readonly userId: number;
  /** What they were asked about. */
  readonly feedbackId: string;
  /** They do not want to be asked again. */
  readonly neverShow: boolean;
  /** When they answered; null when they have not. */
  readonly given: string | null;
}

export function feedbackKey(userId: number, feedbackId: string): string {
  return `${userId}/${feedbackId}`;
}
