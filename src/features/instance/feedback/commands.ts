import Type from 'typebox';
import { command } from '../../../engine/command.ts';
import { DateTime, NAME_LENGTH_MAX, Nullable } from '../../../model/primitives.ts';
import { goneProblem } from '../../people/own-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { supplied } from '../../shared/supplied.ts';
import { type Feedback, feedbackKey } from './feedback.ts';
import { type SeenSplash, splashKey } from './splash.ts';

/** Any text: only pages know which questions exist. */
export const FeedbackId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

export const FeedbackChanges = {
  neverShow: Type.Optional(Type.Boolean({ description: 'They do not want to be asked again' })),
  given: Type.Optional(Nullable(DateTime)),
};

/** Stores that a user gave feedback, or does not want to. Properties that are left out stay as they are. */
export const giveFeedback = command({
  name: 'give-feedback',
  input: Type.Object({ userId: UserId, feedbackId: FeedbackId, ...FeedbackChanges }),
  decide({ draft }, { userId, feedbackId, ...rest }) {
    const gone = goneProblem(draft, userId);
    if (gone) return gone;
    const before = draft.get('feedback', feedbackKey(userId, feedbackId));
    const changes = supplied(FeedbackChanges, rest) as Partial<Feedback>;
    const after: Feedback = { userId, feedbackId, neverShow: false, given: null, ...before, ...changes };
    draft.put('feedback', after);
    return after;
  },
});

/** Any text: only pages know which splash screens exist. */
export const SplashId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

/** Records that a user has seen a splash screen. Idempotent. */
export const seeSplash = command({
  name: 'see-splash',
  input: Type.Object({ userId: UserId, splashId: SplashId }),
  decide({ draft }, { userId, splashId }) {
    const gone = goneProblem(draft, userId);
    if (gone) return gone;
    const known = draft.get('seenSplashes', splashKey(userId, splashId));
    if (known) return known;
    const seen: SeenSplash = { userId, splashId };
    draft.put('seenSplashes', seen);
    return seen;
  },
});
