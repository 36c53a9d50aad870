import type { Asker } from '../../../base/asking/asker.ts';
import { notFound, Rejection } from '../../../base/rejection.ts';
import { done } from '../../../http/answer.ts';
import type { User } from '../../../model/user.ts';
import { routesOf } from '../../endpoint.ts';
import { findUser } from '../../people/users/commands.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { unlessKnown, withCondition } from '../conditional.ts';
import { numberOf } from '../groups/members.ts';
import { ListParameters, listQueryOf, ShownAttributes, shownIn } from '../list-query.ts';
import { listOf, resourceAnswer, wholeAnswer } from '../listing.ts';
import type { Doc } from '../protocol/matching.ts';
import { PatchBody } from '../protocol/patch.ts';
import { SCIM_ROUTE } from '../protocol/protocol.ts';
import { readResource } from '../protocol/values.ts';
import { USER_KIND } from '../resources.ts';
import {
  changedResponses,
  listSchema,
  madeResponses,
  ResourceParams,
  ScimUser,
  SentResource,
  shownResponses,
} from '../schemas.ts';
import { USERS } from './attributes.ts';
import { createScimUser, deleteScimUser, patchScimUser, replaceScimUser, type UserDocument } from './commands.ts';

const route = routesOf('SCIM');

function userIn({ state }: Pick<Services, 'state'>, id: string): User | Rejection {
  const number = numberOf(id);
  return number === undefined ? notFound(`There is no user with the id ${id}.`) : findUser(state, number);
}

/** The user as it is after a command; as the command left it if it was deleted since. */
function answerAfter(services: Services, asker: Asker, after: User, status: 200 | 201 = 200) {
  const user = services.state.get('users', String(after.id)) ?? after;
  return wholeAnswer(USER_KIND, user, services, asker, status);
}

const listUsers = route('GET /scim/v2/Users', 'getScimUsers', {
  ...SCIM_ROUTE,
  summary: 'The people that meet a filter, by page. Service accounts are not shown',
  query: ListParameters,
  responses: { 200: { description: 'The page', schema: listSchema('scimUsers', ScimUser) } },
  handle: ({ query, asker }, services) => listOf([USER_KIND], listQueryOf(query), asker, services),
});

const addUser = route('POST /scim/v2/Users', 'createScimUser', {
  ...SCIM_ROUTE,
  summary: 'Creates a user without a password. The root role is that of the settings, or Viewer',
  body: SentResource,
  responses: madeResponses('The user', ScimUser),
  errors: [409],
  handle({ body, caller, asker }, services) {
    const user = readResource(USERS, body as Doc);
    if (user instanceof Rejection) return user;
    return change(services, caller, createScimUser, { user: user as UserDocument }, (made) =>
      answerAfter(services, asker, made, 201),
    );
  },
});

const getUser = route('GET /scim/v2/Users/:id', 'getScimUser', {
  ...SCIM_ROUTE,
  summary: 'One user',
  params: ResourceParams,
  query: ShownAttributes,
  responses: shownResponses('The user', ScimUser),
  async handle(request, services) {
    const user = userIn(services, request.params.id);
    if (user instanceof Rejection) return user;
    return unlessKnown(await resourceAnswer(USER_KIND, user, services, request.asker, shownIn(request.query)), request);
  },
});

const replaceUser = route('PUT /scim/v2/Users/:id', 'replaceScimUser', {
  ...SCIM_ROUTE,
  summary: 'Replaces what the identity provider states about a user',
  params: ResourceParams,
  body: SentResource,
  responses: changedResponses('The user', ScimUser),
  errors: [409, 412],
  handle(request, services) {
    const user = userIn(services, request.params.id);
    if (user instanceof Rejection) return user;
    const caller = withCondition(request, 'user', { id: user.id });
    const sent = readResource(USERS, request.body as Doc);
    if (caller instanceof Rejection) return caller;
    if (sent instanceof Rejection) return sent;
    return change(services, caller, replaceScimUser, { id: user.id, user: sent as UserDocument }, (after) =>
      answerAfter(services, request.asker, after),
    );
  },
});

const patchUser = route('PATCH /scim/v2/Users/:id', 'patchScimUser', {
  ...SCIM_ROUTE,
  summary: 'Changes attributes of a user. `active: false` ends the sessions and personal tokens of the user',
  params: ResourceParams,
  body: PatchBody,
  responses: changedResponses('The user', ScimUser),
  errors: [409, 412],
  handle(request, services) {
    const user = userIn(services, request.params.id);
    if (user instanceof Rejection) return user;
    const caller = withCondition(request, 'user', { id: user.id });
    if (caller instanceof Rejection) return caller;
    const input = { id: user.id, operations: request.body.Operations };
    return change(services, caller, patchScimUser, input, (after) => answerAfter(services, request.asker, after));
  },
});

const removeUser = route('DELETE /scim/v2/Users/:id', 'deleteScimUser', {
  ...SCIM_ROUTE,
  summary: 'Deletes a user, with the sessions and tokens of the user. The only admin cannot be deleted',
  params: ResourceParams,
  responses: { 204: { description: 'The user was deleted' } },
  errors: [412],
  handle(request, services) {
    const user = userIn(services, request.params.id);
    if (user instanceof Rejection) return user;
    const caller = withCondition(request, 'user', { id: user.id });
    if (caller instanceof Rejection) return caller;
    return change(services, caller, deleteScimUser, { id: user.id }, () => done(204));
  },
});

export const scimUserEndpoints = [listUsers, addUser, getUser, replaceUser, patchUser, removeUser];
