import type { EditedKinds } from '../shared/edited.ts';

export const edited: EditedKinds<'environment'> = {
  environment: {
    find: (reader, { name }) => reader.get('environments', String(name)),
    events: ({ name }) => ({ environment: String(name), types: ['environment-created', 'environment-updated'] }),
  },
};
