import { byText, sortedInSteps } from '../../base/lists/sorted.ts';
import type { EventType } from '../../model/event.ts';
import { type ProjectRoles, projectRolesKey } from '../../model/project-roles.ts';
import type { StateReader } from '../../state/collections.ts';
import type { EditedKinds } from '../shared/entity-tags.ts';

const text = (value: unknown) => String(value);

const ACCESS_EVENTS: readonly EventType[] = [
  'project-access-added',
  'project-access-updated',
  'project-access-user-roles-updated',
  'project-access-user-roles-deleted',
  'project-access-group-roles-updated',
  'project-access-group-roles-deleted',
  'project-user-added',
  'project-user-role-changed',
  'project-user-removed',
  'project-group-added',
  'project-group-role-changed',
  'project-group-removed',
];

export const edited: EditedKinds<'project' | 'projectAccess'> = {
  project: {
    find: (reader, { projectId }) => reader.get('projects', text(projectId)),
    events: ({ projectId }) => ({
      project: text(projectId),
      types: [
        'project-created',
        'project-updated',
        'project-archived',
        'project-revived',
        'project-environment-added',
        'project-environment-removed',
      ],
    }),
  },
  projectAccess: {
    find: (reader, { projectId }) => reader.get('projects', text(projectId)),
    *parts({ id }: { readonly id: string }, reader: StateReader) {
      // The order of an index differs between replicas. A project may have many holders of roles: they are sorted in steps. The number of steps depends
      // only on the number of holders, so the empty parts do too.
      const keyOf = ({ holder, holderId }: ProjectRoles) => projectRolesKey(id, holder, holderId);
      const sorting = sortedInSteps(reader.lookup('rolesByProject', id), (one, other) =>
        byText(keyOf(one), keyOf(other)),
      );
      let step = sorting.next();
      for (; !step.done; step = sorting.next()) yield null;
      for (const { holder, holderId, roles } of step.value) yield [holder, holderId, roles];
    },
    coversOthers: true,
    events: ({ projectId }) => ({ project: text(projectId), types: ACCESS_EVENTS }),
  },
};
