import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { ok } from '../../../http/answer.ts';
import { UserIdentity } from '../../../model/sign-on.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { findUser, UserId } from './commands.ts';
import { removeUserIdentities } from './identities.ts';

const route = routesOf('Users');

const getIdentities = route('GET /api/admin/user-admin/:id/identities', 'getUserIdentities', {
  access: { permission: 'ADMIN' },
  params: { id: UserId },
  summary: 'The identities, at identity providers, to which a user is bound',
  description:
    'The first sign-on with SAML or OpenID Connect binds an account to the issuer and the subject that the identity provider names. After that, ' +
    'sign-ons find the account by the subject, not by the email.',
  responses: {
    200: {
      description: 'The identities',
      schema: Type.Object({
        identities: Type.Array(UserIdentity, {
          description:
            'One identity for each issuer, the newest last; empty before the first sign-on with an identity provider',
        }),
      }),
    },
  },
  handle({ params }, { state }) {
    const user = findUser(state, params.id);
    return user instanceof Rejection ? user : ok({ identities: [...(user.identities ?? [])] });
  },
});

const removeIdentities = route('DELETE /api/admin/user-admin/:id/identities', 'deleteUserIdentities', {
  access: { permission: 'ADMIN' },
  params: { id: UserId },
  summary: 'Removes the identities of a user, and ends their sessions and personal tokens',
  description:
    'For an account whose email now belongs to another person at the identity provider, or whose owner has another subject there now. The next ' +
    'sign-on with the verified email of the account binds the account again.',
  responses: { 200: { description: 'The identities were removed' } },
  handle: ({ params: { id }, caller }, services) => change(services, caller, removeUserIdentities, { id }),
});

export const userIdentityEndpoints = [getIdentities, removeIdentities];
