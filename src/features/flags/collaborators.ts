import type { Guard } from '../../engine/guard.ts';
import { withCollaborator } from '../../model/feature.ts';

/**
 * Records in each changed flag when it was changed, and the user who changed it as its newest collaborator, for every command
 * (docs/decisions/collaborators.md, docs/decisions/flag-index.md).
 */
export const collaboratorGuard: Guard = {
  name: 'collaborators',
  *followUp(draft, caller, _limits, now) {
    // `put` does not disturb this loop: it replaces the change that the draft already has for this flag, so the loop visits each flag only once.
    for (const [, feature] of draft.changed('features')) {
      if (feature === undefined || feature.isMirrored) continue;
      const updatedFeature = caller.kind === 'user' ? withCollaborator(feature, caller.author.id) : feature;
      draft.put('features', { ...updatedFeature, changedAt: now });
      yield;
    }
  },
};
