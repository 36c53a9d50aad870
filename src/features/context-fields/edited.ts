import { type EditedKinds, editedBy } from '../shared/edited.ts';

export const edited: EditedKinds<'contextField'> = {
  contextField: editedBy('contextFields', 'contextField', 'context-field'),
};
