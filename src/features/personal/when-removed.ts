import type { WhenRemoved } from '../../engine/command.ts';
import { endSharingWith } from './contexts/commands.ts';
import { preferenceKey } from './preferences/preference.ts';

export const whenRemoved: WhenRemoved = {
  project: endSharingWith,
  user({ draft }, { id: userId }) {
    const key = String(userId);
    for (const preference of [...draft.lookup('preferencesByUser', key)])
      draft.remove('preferences', preferenceKey(userId, preference.key));
    for (const { id } of [...draft.lookup('savedViewsByUser', key)]) draft.remove('savedViews', String(id));
    for (const { id } of [...draft.lookup('contextSetsByUser', key)]) draft.remove('contextSets', String(id));
  },
};
