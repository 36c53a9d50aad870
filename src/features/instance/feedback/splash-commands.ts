import Type from 'typebox';
import { command } from '../../../engine/command.ts';
import { NAME_LENGTH_MAX } from '../../../model/primitives.ts';
import { deletedUserProblem } from '../../people/deleted-user.ts';
import { UserId } from '../../people/users/commands.ts';
import { type SeenSplash, splashKey } from './splash.ts';

/** The id of a splash screen. Any text is accepted, because only pages know which splash screens exist. */
export const SplashId = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });

/** Records that a user has seen a splash screen. Idempotent. */
export const recordSeenSplash = command({
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
