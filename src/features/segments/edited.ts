import { type EditedKinds, editedBy, partsWithConstraints } from '../shared/edited.ts';

export const edited: EditedKinds<'segment'> = {
  segment: editedBy('segments', 'id', 'segment', { parts: (segment) => partsWithConstraints([segment]) }),
};
