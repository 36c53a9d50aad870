import type { Guard } from '../../engine/guard.ts';
import { withCollaborator } from '../../model/feature.ts';

/** Records the user who changes a flag as its newest collaborator, for every command: docs/decisions/collaborators.md. */
export const collaboratorGuard: Guard = {
  name: 'collaborators',
  *followUp(draft, caller) {
    if (caller.kind !== 'user') return;
    // `put` does not disturb this loop: it replaces the change that the draft already has for this flag, so the loop visits each flag only once.
    for (const [, feature] of draft.changed('features')) {
      if (feature === undefined) continue;
      const updatedFeature = withCollaborator(feature, caller.author.id);
      if (updatedFeature !== feature) draft.put('features', updatedFeature);
      yield;
    }
  },
};
