import Type from 'typebox';
import { command } from '../../../engine/command.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable } from '../../../model/primitives.ts';
import { deletedUserProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { type Feedback, feedbackKey } from './feedback.ts';
import { type SeenSplash, splashKey } from './splash.ts';

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

/** The id of a splash screen. Any text is accepted, because only pages know which splash screens exist. */
export const SplashId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

/** Records that a user has seen a splash screen. Idempotent. */
export const seeSplash = command({
  name: 'see-splash',
  input: Type.Object({ userId: UserId, splashId: SplashId }),
  decide({ draft }, { userId, splashId }) {
    const problem = deletedUserProblem(draft, userId);
    if (problem) return problem;
    const known = draft.get('seenSplashes', splashKey(userId, splashId));
    if (known) return known;
    const seen: SeenSplash = { userId, splashId };
    draft.put('seenSplashes', seen);
    return seen;
  },
});
