import type { WhenRemoved } from '../../engine/command.ts';
import { favoriteKey } from './favorites/favorite.ts';

export const whenRemoved: WhenRemoved = {
  *user({ draft }, { id }) {
    for (const { kind, name } of [...draft.lookup('favoritesByUser', String(id))]) {
      draft.remove('favorites', favoriteKey(id, kind, name));
      yield;
    }
  },
};
