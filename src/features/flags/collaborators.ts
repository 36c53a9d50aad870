import type { Guard } from '../../engine/guard.ts';
import { withCollaborator } from '../../model/feature.ts';

/** Records the user who changes a flag as its newest collaborator, for every command: docs/decisions/collaborators.md. */
export const collaboratorGuard: Guard = {
  name: 'collaborators',
  *followUp(draft, caller) {
    if (caller.kind !== 'user') return;
    // `put` replaces the change of this flag that the draft already has, and adds no change: the loop visits each flag only once.
    for (const [, feature] of draft.changed('features')) {
      if (feature === undefined) continue;
      const noted = withCollaborator(feature, caller.author.id);
      if (noted !== feature) draft.put('features', noted);
      yield;
    }
  },
};
