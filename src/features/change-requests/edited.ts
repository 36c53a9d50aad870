import type { ChangeRequest } from '../../model/change-request.ts';
import type { EditedKinds } from '../shared/entity-tags.ts';

export const edited: EditedKinds<'changeRequest'> = {
  changeRequest: {
    find(reader, { projectId, id }) {
      const request = reader.get('changeRequests', String(id));
      return request?.project === projectId ? request : undefined;
    },
    *parts({ changes, comments, ...rest }: ChangeRequest) {
      yield rest;
      yield* changes;
      yield* comments;
    },
  },
};
