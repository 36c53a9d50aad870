import { collection } from '../../../model/collection.ts';
/** Whether a user gave feedback on a question, or does not want to be asked (contract: Feedback). Collection `feedback`, key: `feedbackKey`. */
export interface Feedback {
  readonly userId: number;
  /** Id of the question. Only pages know which questions exist. */
  readonly feedbackId: string;
  /** Whether the user does not want to be asked again. */
  readonly neverShow: boolean;
  /** When the user answered; null if the user has not answered. */
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
