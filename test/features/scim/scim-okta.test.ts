import { beforeAll, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { allowScim, SCIM_GROUP, SCIM_PATCH, SCIM_USER } from '../../support/scim.ts';
import { SCIM_TOKEN, useService } from '../../support/service.ts';

/**
 * The requests that Okta sends, in the form and order that its guide to SCIM 2.0 shows: the test of the connection, the assignment, change and removal of
 * a user, and the push of a group.
 */
const service = useService();

beforeAll(async () => {
  await allowScim(service);
});

async function okta(method: string, path: string, body?: object) {
  const answer = await fetch(`${service.url}/scim/v2${path}`, {
    method,
    headers: {
      'user-agent': 'Okta SCIM Client 1.0.0',
      authorization: `Bearer ${SCIM_TOKEN}`,
      accept: 'application/scim+json',
      'accept-charset': 'utf-8',
      ...(body && { 'content-type': 'application/scim+json; charset=utf-8' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const OWN_FIELDS = {
  schemas: [SCIM_USER],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
};

it('tests the connection', async () => {
  expect(await okta('GET', '/Users?startIndex=1&count=2')).toMatchObject({ status: 200, body: { startIndex: 1 } });
  expect((await okta('GET', '/ServiceProviderConfig')).body.patch).toEqual({ supported: true });
});

it('assigns a user, changes the profile, and takes the user away and back', async () => {
  const filter = encodeURIComponent('userName eq "test.user@okta.local"');
  const before = await okta('GET', `/Users?filter=${filter}&startIndex=1&count=100`);
  expect(before.body).toMatchObject({ totalResults: 0, Resources: [] });

  const made = await okta('POST', '/Users', OWN_FIELDS);
  expect(made).toMatchObject({
    status: 201,
    body: { userName: OWN_FIELDS.userName, active: true, name: OWN_FIELDS.name },
  });
  const { id } = made.body;
  expect(made.body).not.toHaveProperty('password');
  expect((await okta('POST', '/Users', OWN_FIELDS)).status).toBe(409);

  // Okta reads the user and sends all of it back, with the changes.
  const read = (await okta('GET', `/Users/${id}`)).body;
  const changed = {
    ...read,
    name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    displayName: 'Another User',
  };
  expect((await okta('PUT', `/Users/${id}`, changed)).body).toMatchObject({
    name: { givenName: 'Another', familyName: 'User' },
    displayName: 'Another User',
    externalId: OWN_FIELDS.externalId,
    emails: OWN_FIELDS.emails,
  });

  const switched = (active: boolean) => ({ schemas: [SCIM_PATCH], Operations: [{ op: 'replace', value: { active } }] });
  expect((await okta('PATCH', `/Users/${id}`, switched(false))).body).toMatchObject({ id, active: false });
  expect((await okta('GET', `/Users?filter=${filter}`)).body.Resources).toMatchObject([{ id, active: false }]);
  expect((await okta('PATCH', `/Users/${id}`, switched(true))).body).toMatchObject({ id, active: true });
});

it('pushes a group, changes its name and its members, and deletes it', async () => {
  const users = await Promise.all(
    ['one@okta.local', 'two@okta.local'].map(async (userName) => {
      const { body } = await okta('POST', '/Users', {
        ...OWN_FIELDS,
        userName,
        externalId: userName,
        emails: [{ primary: true, value: userName }],
      });
      return { value: body.id as string, display: userName };
    }),
  );
  const [one, two] = users as [(typeof users)[0], (typeof users)[0]];
  const filter = encodeURIComponent('displayName eq "Test SCIMv2"');
  expect((await okta('GET', `/Groups?filter=${filter}&startIndex=1&count=100`)).body.totalResults).toBe(0);
  const made = await okta('POST', '/Groups', { schemas: [SCIM_GROUP], displayName: 'Test SCIMv2', members: [] });
  expect(made).toMatchObject({ status: 201, body: { displayName: 'Test SCIMv2' } });
  const { id } = made.body;

  const patch = (...Operations: object[]) => okta('PATCH', `/Groups/${id}`, { schemas: [SCIM_PATCH], Operations });
  const members = async () =>
    (await okta('GET', `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value);
  expect((await patch({ op: 'replace', value: { id, displayName: 'Renamed' } })).body.displayName).toBe('Renamed');
  await patch({ op: 'add', path: 'members', value: [one] });
  expect(await members()).toEqual([one.value]);
  await patch({ op: 'remove', path: `members[value eq "${one.value}"]` }, { op: 'add', path: 'members', value: [two] });
  expect(await members()).toEqual([two.value]);
  await patch({ op: 'replace', path: 'members', value: [one, two] });
  expect((await members()).sort()).toEqual([one.value, two.value].sort());
  const replaced = { schemas: [SCIM_GROUP], id, displayName: 'Renamed again', members: [two] };
  expect((await okta('PUT', `/Groups/${id}`, replaced)).body).toMatchObject({ displayName: 'Renamed again' });
  expect(await members()).toEqual([two.value]);
  expect((await accepted(service, 'getGroup', { params: { groupId: id } })).body.users).toHaveLength(1);
  expect((await okta('DELETE', `/Groups/${id}`)).status).toBe(204);
  expect((await okta('GET', `/Groups/${id}`)).status).toBe(404);
});
