import type { EditedKinds } from '../shared/entity-tags.ts';

export const edited: EditedKinds<'environment'> = {
  environment: {
    find: (reader, { name }) => reader.get('environments', String(name)),
    events: ({ name }) => ({ environment: String(name), types: ['environment-created', 'environment-updated'] }),
  },
};
