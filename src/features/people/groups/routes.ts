import type { Static } from 'typebox';
import { visibleProjects } from '../../../access/visibility.ts';
import { Rejection } from '../../../base/rejection.ts';
import { listPieces } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { createGroup, deleteGroup, findGroup, GroupFields, GroupId, updateGroup } from './commands.ts';
import type { Group } from './group.ts';
import { groupPieces } from './present.ts';
import { GroupBody, GroupListSchema, GroupSchema } from './schemas.ts';

const route = routesOf('Users');

const GroupParams = { groupId: GroupId };

const listGroups = route('GET /api/admin/groups', 'getGroups', {
  access: { permission: 'READ' },
  summary: 'Every group, with its members',
  responses: { 200: { description: 'The groups', schema: GroupListSchema } },
  handle({ caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const visible = visibleProjects(state, caller);
    const present = (group: Group) => groupPieces(group, state, visible);
    return { status: 200, pieces: listPieces({}, [['groups', state.values('groups'), present]]) };
  },
});

const getGroup = route('GET /api/admin/groups/:groupId', 'getGroup', {
  access: { permission: 'READ' },
  edits: 'group',
  summary: 'One group, with its members',
  params: GroupParams,
  responses: { 200: { description: 'The group', schema: GroupSchema } },
  handle({ params, caller, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const group = findGroup(state, params.groupId);
    if (group instanceof Rejection) return group;
    return { status: 200, pieces: groupPieces(group, state, visibleProjects(state, caller)) };
  },
});

const addGroup = route('POST /api/admin/groups', 'createGroup', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a group',
  body: GroupBody,
  responses: createdResponses('The group', GroupSchema),
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createGroup, inputOf(body), (group) => ({
      status: 201,
      pieces: groupPieces(group, services.state, visibleProjects(services.state, caller)),
      headers: { location: `${services.config.basePath}/api/admin/groups/${group.id}` },
    })),
});

const changeGroup = route('PUT /api/admin/groups/:groupId', 'updateGroup', {
  access: { permission: 'ADMIN' },
  edits: 'group',
  summary: 'Replaces a group; if `users` is left out, the members do not change',
  params: GroupParams,
  body: GroupBody,
  responses: { 200: { description: 'The group', schema: GroupSchema } },
  errors: [409],
  handle({ params, body, caller }, services) {
    const input = { id: params.groupId, ...inputOf(body) };
    return change(services, caller, updateGroup, input, (group) => ({
      status: 200,
      pieces: groupPieces(group, services.state, visibleProjects(services.state, caller)),
    }));
  },
});

const removeGroup = route('DELETE /api/admin/groups/:groupId', 'deleteGroup', {
  access: { permission: 'ADMIN' },
  edits: 'group',
  summary: 'Deletes a group. Its members lose the roles that they had through the group',
  params: GroupParams,
  responses: { 200: { description: 'The group was deleted' } },
  handle: ({ params: { groupId: id }, caller }, services) => change(services, caller, deleteGroup, { id }),
});

function inputOf({ users, ...fields }: Static<typeof GroupBody>) {
  return { ...suppliedFields(GroupFields, fields), users: users?.map(({ user }) => user.id) };
}

export const groupEndpoints = [listGroups, getGroup, addGroup, changeGroup, removeGroup];
