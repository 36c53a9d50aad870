import Type from 'typebox';
import { command } from '../../../engine/command.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable } from '../../../model/primitives.ts';
import { deletedUserProblem } from '../../people/deleted-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { type Feedback, feedbackKey } from './feedback.ts';

/** The id of a question. Any text is accepted, because only pages know which questions exist. */
export const FeedbackId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

export const FeedbackChanges = {
  neverShow: Type.Optional(Type.Boolean({ description: 'Whether the user does not want to be asked again' })),
  given: Type.Optional(Nullable(DateTime)),
};

/** Stores that a user gave feedback, or does not want to give feedback. Properties that are left out do not change. */
export const giveFeedback = command({
  name: 'give-feedback',
  input: Type.Object({ userId: UserId, feedbackId: FeedbackId, ...FeedbackChanges }),
  decide({ draft }, { userId, feedbackId, ...rest }) {
    const problem = deletedUserProblem(draft, userId);
    if (problem) return problem;
    const before = draft.get('feedback', feedbackKey(userId, feedbackId));
    const changes = suppliedFields(FeedbackChanges, rest) as Partial<Feedback>;
    const after: Feedback = { userId, feedbackId, neverShow: false, given: null, ...before, ...changes };
    draft.put('feedback', after);
    return after;
  },
});
