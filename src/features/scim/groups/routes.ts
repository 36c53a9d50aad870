import type { Asker } from '../../../base/asking/asker.ts';
import { notFound, Rejection } from '../../../base/rejection.ts';
import { validate } from '../../../base/validation.ts';
import { inSlices, Slicer } from '../../../base/yield-control.ts';
import { done } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import type { Group } from '../../people/groups/group.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { unlessKnown, withCondition } from '../conditional.ts';
import { ListParameters, listQueryOf, ShownAttributes, shownIn } from '../list-query.ts';
import { listOf, resourceAnswer, wholeAnswer } from '../listing.ts';
import type { Doc } from '../protocol/matching.ts';
import { PatchBody } from '../protocol/patch.ts';
import { invalidScim, SCIM_ROUTE } from '../protocol/protocol.ts';
import { readResource } from '../protocol/values.ts';
import { GROUP_KIND } from '../resources.ts';
import {
  changedResponses,
  listSchema,
  madeResponses,
  ResourceParams,
  ScimGroup,
  SentResource,
  shownResponses,
} from '../schemas.ts';
import { GROUPS } from './attributes.ts';
import {
  createScimGroup,
  deleteScimGroup,
  findScimGroup,
  GroupDocument,
  patchScimGroup,
  replaceScimGroup,
} from './commands.ts';
import { memberIds, numberOf } from './members.ts';

const route = routesOf('SCIM');

function groupIn({ state }: Pick<Services, 'state'>, id: string): Group | Rejection {
  const number = numberOf(id);
  return number === undefined ? notFound(`There is no group with the id ${id}.`) : findScimGroup(state, number);
}

function answerAfter(services: Services, asker: Asker, after: Group, status: 200 | 201 = 200) {
  const group = services.state.get('groups', String(after.id)) ?? after;
  return wholeAnswer(GROUP_KIND, group, services, asker, status);
}

/** The group and the ids of its members in a sent resource. */
async function sentGroup(
  body: Doc,
  asker: Asker,
): Promise<{ readonly group: GroupDocument; readonly members: number[] } | Rejection> {
  const group = readResource(GROUPS, body, 'members');
  if (group instanceof Rejection) return group;
  if (validate(GroupDocument, group, 'group'))
    return invalidScim('invalidValue', 'A group needs a displayName of at most 100 characters.');
  const listName = Object.keys(body).find((name) => GROUPS.split(name)[0].toLowerCase() === 'members');
  const members = await inSlices(memberIds(listName === undefined ? undefined : body[listName]), Slicer.of(asker));
  return members instanceof Rejection ? members : { group: group as GroupDocument, members };
}

const listGroups = route('GET /scim/v2/Groups', 'getScimGroups', {
  ...SCIM_ROUTE,
  summary:
    'The groups of the identity provider that meet a filter, by page. Groups that were created in Burgee are not shown',
  query: ListParameters,
  responses: { 200: { description: 'The page', schema: listSchema('scimGroups', ScimGroup) } },
  handle: ({ query, asker }, services) => listOf([GROUP_KIND], listQueryOf(query), asker, services),
});

const addGroup = route('POST /scim/v2/Groups', 'createScimGroup', {
  ...SCIM_ROUTE,
  summary: 'Creates a group without roles. An admin assigns its roles',
  body: SentResource,
  responses: madeResponses('The group', ScimGroup),
  errors: [409],
  async handle({ body, caller, asker }, services) {
    const sent = await sentGroup(body as Doc, asker);
    if (sent instanceof Rejection) return sent;
    return change(services, caller, createScimGroup, sent, (group) => answerAfter(services, asker, group, 201));
  },
});

const getGroup = route('GET /scim/v2/Groups/:id', 'getScimGroup', {
  ...SCIM_ROUTE,
  summary: 'One group, with its members',
  params: ResourceParams,
  query: ShownAttributes,
  responses: shownResponses('The group', ScimGroup),
  async handle(request, services) {
    const group = groupIn(services, request.params.id);
    if (group instanceof Rejection) return group;
    return unlessKnown(
      await resourceAnswer(GROUP_KIND, group, services, request.asker, shownIn(request.query)),
      request,
    );
  },
});

const replaceGroup = route('PUT /scim/v2/Groups/:id', 'replaceScimGroup', {
  ...SCIM_ROUTE,
  summary: 'Replaces the name and the members of a group. Its roles stay',
  params: ResourceParams,
  body: SentResource,
  responses: changedResponses('The group', ScimGroup),
  errors: [409, 412],
  async handle(request, services) {
    const group = groupIn(services, request.params.id);
    if (group instanceof Rejection) return group;
    const caller = withCondition(request, 'group', { groupId: group.id });
    if (caller instanceof Rejection) return caller;
    const sent = await sentGroup(request.body as Doc, request.asker);
    if (sent instanceof Rejection) return sent;
    return change(services, caller, replaceScimGroup, { id: group.id, ...sent }, (after) =>
      answerAfter(services, request.asker, after),
    );
  },
});

const patchGroup = route('PATCH /scim/v2/Groups/:id', 'patchScimGroup', {
  ...SCIM_ROUTE,
  summary: 'Changes the name of a group, or adds and removes members',
  params: ResourceParams,
  body: PatchBody,
  responses: changedResponses('The group', ScimGroup),
  errors: [409, 412],
  handle(request, services) {
    const group = groupIn(services, request.params.id);
    if (group instanceof Rejection) return group;
    const caller = withCondition(request, 'group', { groupId: group.id });
    if (caller instanceof Rejection) return caller;
    const input = { id: group.id, operations: request.body.Operations };
    return change(services, caller, patchScimGroup, input, (after) => answerAfter(services, request.asker, after));
  },
});

const removeGroup = route('DELETE /scim/v2/Groups/:id', 'deleteScimGroup', {
  ...SCIM_ROUTE,
  summary: 'Deletes a group. Its members lose the roles that they have through it',
  params: ResourceParams,
  responses: { 204: { description: 'The group was deleted' } },
  errors: [412],
  handle(request, services) {
    const group = groupIn(services, request.params.id);
    if (group instanceof Rejection) return group;
    const caller = withCondition(request, 'group', { groupId: group.id });
    if (caller instanceof Rejection) return caller;
    return change(services, caller, deleteScimGroup, { id: group.id }, () => done(204));
  },
});

export const scimGroupEndpoints = [listGroups, addGroup, getGroup, replaceGroup, patchGroup, removeGroup];
