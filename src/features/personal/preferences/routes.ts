import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { listAnswer, ok } from '../../../http/answer.ts';
import { DateTime, UrlSafeName } from '../../../model/primitives.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { ofUser } from '../of-user.ts';
import { deletePreference, findPreference, preferencesOf, setPreference } from './commands.ts';
import type { Preference } from './preference.ts';

const route = routesOf('Personal data');

const PreferenceSchema = Type.Object(
  { key: Type.String(), value: Type.Unknown({ description: 'Any JSON value' }), updatedAt: DateTime },
  { $id: 'preference' },
);

const params = { key: UrlSafeName };

const DESCRIPTION =
  'The caller must be a user, with a session or a personal access token. Only this user can read the values. No audit event is recorded.';

function presentPreference({ key, value, updatedAt }: Preference) {
  return { key, value, updatedAt };
}

const listPreferences = route('GET /api/admin/user/preferences', 'getOwnPreferences', {
  access: { permission: 'READ' },
  summary: 'The preferences of the caller',
  description: DESCRIPTION,
  responses: {
    200: {
      description: 'The preferences, sorted by key',
      schema: Type.Object({ preferences: Type.Array(PreferenceSchema) }, { $id: 'preferences' }),
    },
  },
  errors: [400],
  handle: ({ caller }, { state }) =>
    ofUser(caller, (userId) => listAnswer({}, 'preferences', preferencesOf(state, userId), presentPreference)),
});

const getPreference = route('GET /api/admin/user/preferences/:key', 'getOwnPreference', {
  access: { permission: 'READ' },
  summary: 'A preference of the caller',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The preference', schema: PreferenceSchema } },
  handle: ({ params: { key }, caller }, { state }) =>
    ofUser(caller, (userId) => {
      const found = findPreference(state, userId, key);
      return found instanceof Rejection ? found : ok(presentPreference(found));
    }),
});

const putPreference = route('PUT /api/admin/user/preferences/:key', 'changeOwnPreference', {
  access: { permission: 'READ' },
  summary: 'Stores a preference of the caller: a small JSON value',
  description: DESCRIPTION,
  params,
  body: Type.Object(
    { value: Type.Unknown({ description: 'Any JSON value of at most 4,096 bytes' }) },
    { $id: 'changePreference' },
  ),
  responses: { 200: { description: 'The preference as it is now', schema: PreferenceSchema } },
  neverMissing: true,
  handle: ({ params: { key }, body: { value }, caller }, services) =>
    ofUser(caller, (userId) =>
      change(services, caller, setPreference, { userId, key, value }, (preference) =>
        ok(presentPreference(preference)),
      ),
    ),
});

const removePreference = route('DELETE /api/admin/user/preferences/:key', 'deleteOwnPreference', {
  access: { permission: 'READ' },
  summary: 'Deletes a preference of the caller',
  description: DESCRIPTION,
  params,
  responses: { 200: { description: 'The preference was deleted' } },
  handle: ({ params: { key }, caller }, services) =>
    ofUser(caller, (userId) => change(services, caller, deletePreference, { userId, key })),
});

export const preferenceEndpoints = [listPreferences, getPreference, putPreference, removePreference];
