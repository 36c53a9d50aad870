import { collection } from '../../../model/collection.ts';
/** Whether a user gave feedback on a question, or does not want to be asked (contract: Feedback). Collection `feedback`, key: `feedbackKey`. */
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

export const feedback = collection({
  schema: 1,
  key: ({ userId, feedbackId }: Feedback) => feedbackKey(userId, feedbackId),
  indexes: { feedbackByUser: ({ userId }) => [String(userId)] },
});

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly feedback: typeof feedback;
  }
}
