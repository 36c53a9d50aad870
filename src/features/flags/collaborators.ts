import { isSameJson } from '../../base/same-json.ts';
import type { Guard } from '../../engine/guard.ts';
import { withCollaborator } from '../../model/feature.ts';

/**
 * Records in each flag of a command the user as its newest collaborator and, if the flag changes, the time (docs/decisions/collaborators.md,
 * docs/decisions/flag-index.md).
 */
export const collaboratorGuard: Guard = {
  name: 'collaborators',
  *followUp(draft, caller, _limits, now) {
    // `put` does not disturb this loop: it replaces the change that the draft already has for this flag, so the loop visits each flag only once.
    for (const [name, feature] of draft.changed('features')) {
      if (feature === undefined || feature.isMirrored) continue;
      const updatedFeature = caller.kind === 'user' ? withCollaborator(feature, caller.author.id) : feature;
      // A command may put a flag that has the values it had before. Most parts are then the same objects, so the comparison is cheap.
      const isChanged = !isSameJson(draft.before('features', name), feature);
      if (isChanged || updatedFeature !== feature)
        draft.put('features', isChanged ? { ...updatedFeature, changedAt: now } : updatedFeature);
      yield;
    }
  },
};
