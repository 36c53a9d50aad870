import type { FeatureHttp } from '../feature-module.ts';
import { scimGroupEndpoints } from './groups/routes.ts';
import { SCHEMA } from './protocol/protocol.ts';
import { scimEndpoints } from './routes.ts';
import { scimSettingsEndpoints } from './settings/routes.ts';
import { scimUserEndpoints } from './users/routes.ts';

const USER = {
  schemas: [SCHEMA.user],
  externalId: '00u1abcd',
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  active: true,
};

const GROUP = { schemas: [SCHEMA.group], displayName: 'Support team', members: [{ value: '2' }] };

const patch = (...operations: object[]) => ({ schemas: [SCHEMA.patch], Operations: operations });

export const http: FeatureHttp = {
  endpoints: [...scimEndpoints, ...scimUserEndpoints, ...scimGroupEndpoints, ...scimSettingsEndpoints],
  glossary: {
    'scimPatch.Operations': 'The changes, which are made in this order',
    'scimPatch.op': '`add`, `replace` or `remove`, in any letter case',
    'scimPatch.path': 'The attribute, such as `active` or `members[value eq "12"]`',
    'scimPatch.value': 'The new value, or the values to add or to remove',
    'scimSearch.attributes': 'Only these attributes are shown',
    'scimSearch.excludedAttributes': 'All attributes except these are shown',
    'scimSettings.defaultRootRole': 'Id of the root role of new users; null: Viewer',
    'scimSettings.tokenCreatedAt': 'When the token was created; null if none exists',
    'scimSettingsChange.defaultRootRole': 'Id of the root role of new users, not Admin; null: Viewer',
  },
  examples: {
    'getScimResourceType.id': 'User',
    'getScimSchema.id': SCHEMA.user,
    ...Object.fromEntries(
      ['get', 'replace', 'patch', 'delete'].flatMap((verb) => [
        [`${verb}ScimUser.id`, '2'],
        [`${verb}ScimGroup.id`, '2'],
      ]),
    ),
    setScimSettings: { enabled: true, defaultRootRole: 3 },
    createScimUser: USER,
    replaceScimUser: USER,
    patchScimUser: patch({ op: 'replace', path: 'active', value: false }),
    createScimGroup: GROUP,
    replaceScimGroup: GROUP,
    patchScimGroup: patch({ op: 'add', path: 'members', value: [{ value: '2' }] }),
    searchScim: { schemas: [SCHEMA.search], filter: 'userName sw "ada"' },
    searchScimUsers: { schemas: [SCHEMA.search], filter: 'active eq false', count: 50 },
    searchScimGroups: { schemas: [SCHEMA.search], filter: 'displayName eq "Pricing team"' },
  },
};
