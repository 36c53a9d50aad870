import Type from 'typebox';
import { allRoles } from '../../../access/roles.ts';
import { isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { isRootRole } from '../../../model/role.ts';
import type { User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import {
  createServiceAccountToken,
  deleteServiceAccountToken,
  findServiceAccount,
  tokensOf,
} from '../personal-tokens/commands.ts';
import {
  CreatePersonalTokenBody,
  newPersonalSecret,
  PersonalTokenListSchema,
  PersonalTokenSchema,
  presentPersonalToken,
} from '../personal-tokens/schemas.ts';
import { presentRole, presentUser } from '../users/present.ts';
import { RoleSchema, UserSchema } from '../users/schemas.ts';
import {
  AccountChanges,
  createServiceAccount,
  deleteServiceAccount,
  NewAccountFields,
  updateServiceAccount,
} from './commands.ts';

const route = routesOf('Service accounts');

const ServiceAccountSchema = Type.Object(
  { ...UserSchema.properties, tokens: Type.Array(PersonalTokenSchema) },
  { $id: 'serviceAccount' },
);

const AccountParams = { id: Type.Integer({ minimum: 1 }) };

function presentAccount(account: User, reader: StateReader) {
  return { ...presentUser(account), tokens: tokensOf(reader, account.id).map(presentPersonalToken) };
}

const listAccounts = route('GET /api/admin/service-account', 'getServiceAccounts', {
  access: { permission: 'ADMIN' },
  summary: 'Every service account with its tokens; the secrets of the tokens are left out',
  responses: {
    200: {
      description: 'The accounts, and the roles that accounts can have',
      schema: Type.Object(
        { serviceAccounts: Type.Array(ServiceAccountSchema), rootRoles: Type.Array(RoleSchema) },
        { $id: 'serviceAccounts' },
      ),
    },
  },
  handle(_request, { state }) {
    const accounts = [...state.values('users')].filter(({ accountType }) => accountType === 'Service Account');
    const rootRoles = allRoles(state).filter(isRootRole).map(presentRole);
    return listAnswer({ rootRoles }, 'serviceAccounts', accounts, (account) => presentAccount(account, state));
  },
});

const createAccount = route('POST /api/admin/service-account', 'createServiceAccount', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a service account: an account for a machine, which cannot sign on and uses only tokens',
  body: Type.Object(NewAccountFields, {
    $id: 'createServiceAccount',
    description: 'Without a username, the service derives one from the name',
  }),
  responses: {
    201: { description: 'The account', schema: ServiceAccountSchema, headers: { location: 'Path of the account' } },
  },
  errors: [409],
  handle: ({ body, caller }, services) =>
    change(services, caller, createServiceAccount, body, (account) =>
      created(
        presentAccount(account, services.state),
        `${services.config.basePath}/api/admin/service-account/${account.id}`,
      ),
    ),
});

const changeAccount = route('PUT /api/admin/service-account/:id', 'updateServiceAccount', {
  access: { permission: 'ADMIN' },
  summary: 'Changes the name or the role of a service account',
  params: AccountParams,
  body: Type.Object(AccountChanges, { $id: 'updateServiceAccount' }),
  responses: { 200: { description: 'The account', schema: ServiceAccountSchema } },
  handle: ({ params, body, caller }, services) =>
    change(services, caller, updateServiceAccount, { id: params.id, ...body }, (account) =>
      ok(presentAccount(account, services.state)),
    ),
});

const removeAccount = route('DELETE /api/admin/service-account/:id', 'deleteServiceAccount', {
  access: { permission: 'ADMIN' },
  summary: 'Deletes a service account and its tokens',
  params: AccountParams,
  responses: { 200: { description: 'The account was deleted' } },
  handle: ({ params, caller }, services) => change(services, caller, deleteServiceAccount, { id: params.id }),
});

const listTokens = route('GET /api/admin/service-account/:id/token', 'getServiceAccountTokens', {
  access: { permission: 'ADMIN' },
  summary: 'The tokens of a service account, without their secrets',
  params: AccountParams,
  responses: { 200: { description: 'The tokens', schema: PersonalTokenListSchema } },
  handle({ params }, { state }) {
    const account = findServiceAccount(state, params.id);
    if (account instanceof Rejection) return account;
    return ok({ pats: tokensOf(state, account.id).map(presentPersonalToken) });
  },
});

const createToken = route('POST /api/admin/service-account/:id/token', 'createServiceAccountToken', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a token with which a service account acts',
  hasSecrets: true,
  params: AccountParams,
  body: CreatePersonalTokenBody,
  responses: {
    201: {
      description: 'The token with its secret, which is returned only once',
      schema: PersonalTokenSchema,
      headers: { location: 'Path at which the token can be deleted' },
    },
  },
  errors: [409],
  handle({ params, body, caller }, services) {
    const { text, secret } = newPersonalSecret();
    const expiresAt = isoTime(Date.parse(body.expiresAt));
    const input = { userId: params.id, description: body.description, expiresAt, secret };
    return change(services, caller, createServiceAccountToken, input, (token) =>
      created(
        { ...presentPersonalToken(token), secret: text },
        `${services.config.basePath}/api/admin/service-account/${params.id}/token/${token.id}`,
      ),
    );
  },
});

const removeToken = route('DELETE /api/admin/service-account/:id/token/:tokenId', 'deleteServiceAccountToken', {
  access: { permission: 'ADMIN' },
  summary: 'Deletes a token of a service account. The next request with this token is refused',
  params: { id: Type.Integer({ minimum: 1 }), tokenId: Type.Integer({ minimum: 1 }) },
  responses: { 200: { description: 'The token was deleted' } },
  handle: ({ params, caller }, services) =>
    change(services, caller, deleteServiceAccountToken, { userId: params.id, id: params.tokenId }),
});

export const serviceAccountEndpoints = [
  listAccounts,
  createAccount,
  changeAccount,
  removeAccount,
  listTokens,
  createToken,
  removeToken,
];
