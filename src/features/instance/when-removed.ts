import type { WhenRemoved } from '../../engine/command.ts';
import { feedbackKey } from './feedback/feedback.ts';
import { splashKey } from './feedback/splash.ts';

export const whenRemoved: WhenRemoved = {
  *user({ draft }, { id }) {
    const key = String(id);
    for (const { splashId } of [...draft.lookup('seenSplashesByUser', key)])
      draft.remove('seenSplashes', splashKey(id, splashId));
    for (const { feedbackId } of [...draft.lookup('feedbackByUser', key)])
      draft.remove('feedback', feedbackKey(id, feedbackId));
    yield;
  },
};
