import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import { SCIM_PREFIX } from '../../../views/user-credentials.ts';
import { routesOf } from '../../endpoint.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import {
  deleteScimToken,
  removeScimUsers,
  replaceScimToken,
  ScimSettingsFields,
  scimSettingsOf,
  scimTokenCreatedAt,
  setScimSettings,
} from './commands.ts';

const RANDOM_BYTES = 32;

const route = routesOf('SCIM settings');

const SettingsSchema = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether the identity provider may manage users and groups' }),
    hasToken: Type.Boolean({ description: 'Whether a token exists' }),
    tokenCreatedAt: Nullable(DateTime),
    defaultRootRole: ScimSettingsFields.defaultRootRole,
  },
  { $id: 'scimSettings' },
);

function settingsAnswer({ state }: Pick<Services, 'state'>) {
  const { enabled, defaultRootRole } = scimSettingsOf(state);
  const tokenCreatedAt = scimTokenCreatedAt(state);
  return ok({ enabled, hasToken: tokenCreatedAt !== null, tokenCreatedAt, defaultRootRole });
}

const getSettings = route('GET /api/admin/scim-settings', 'getScimSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Whether an identity provider manages users and groups by SCIM',
  responses: { 200: { description: 'The settings', schema: SettingsSchema } },
  handle: (_request, services) => settingsAnswer(services),
});

const setSettings = route('POST /api/admin/scim-settings', 'setScimSettings', {
  access: { permission: 'ADMIN' },
  summary: 'Switches SCIM on or off, and sets the root role of new users. Users cannot begin as admins',
  body: Type.Object(ScimSettingsFields, { $id: 'scimSettingsChange' }),
  responses: { 200: { description: 'The settings', schema: SettingsSchema } },
  handle: ({ body, caller }, services) =>
    change(services, caller, setScimSettings, body, () => settingsAnswer(services)),
});

const replaceToken = route('POST /api/admin/scim-settings/generate-new-token', 'generateScimToken', {
  access: { permission: 'ADMIN' },
  summary: 'Creates the token of the identity provider and switches SCIM on. An earlier token is no longer accepted',
  hasSecrets: true,
  responses: {
    200: {
      description: 'The token',
      schema: Type.Object(
        { token: Type.String({ description: 'The token, which is returned only once' }) },
        { $id: 'scimToken' },
      ),
    },
  },
  handle({ caller }, services) {
    const token = SCIM_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');
    return change(services, caller, replaceScimToken, { secret: hashedSecret(token) }, () => ok({ token }));
  },
});

const removeToken = route('DELETE /api/admin/scim-settings/token', 'deleteScimToken', {
  access: { permission: 'ADMIN' },
  summary: 'Deletes the token of the identity provider, which is refused from now on, and switches SCIM off',
  responses: { 200: { description: 'There is no token' } },
  handle: ({ caller }, services) => change(services, caller, deleteScimToken, {}),
});

const deleteUsers = route('DELETE /api/admin/user-admin/scim-users', 'deleteScimUsers', {
  access: { permission: 'ADMIN' },
  summary:
    'Deletes users that an identity provider manages by SCIM, at most 1,000 in one request; none if one is the only admin',
  responses: { 200: { description: 'The users were deleted' } },
  handle: ({ caller }, services) => change(services, caller, removeScimUsers, {}),
});

export const scimSettingsEndpoints = [getSettings, setSettings, replaceToken, removeToken, deleteUsers];
