import { beforeAll, describe, expect, it } from 'vitest';
import { allowScim, SCIM_GROUP, SCIM_PATCH, SCIM_USER } from '../../support/scim.ts';
import { SCIM_TOKEN, useService } from '../../support/service.ts';

/**
 * The requests that Microsoft Entra sends, in the form that its guide to a SCIM endpoint shows, with its own habits: operations in upper case, booleans
 * as texts, names such as `name.givenName` in a value, and paths with filters for values that do not exist yet.
 */
const service = useService();

beforeAll(async () => {
  await allowScim(service);
});

async function entra(method: string, path: string, body?: object) {
  const answer = await fetch(`${service.url}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${SCIM_TOKEN}`, ...(body && { 'content-type': 'application/scim+json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const patch = (path: string, ...Operations: object[]) => entra('PATCH', path, { schemas: [SCIM_PATCH], Operations });

let users = 0;
async function provision(): Promise<{ id: string; name: string }> {
  const name = `test_user_${++users}`;
  const { status, body } = await entra('POST', '/Users', {
    schemas: [SCIM_USER, ENTERPRISE],
    externalId: `0a21f0f2-8d2a-4f8e-bf98-7363c4aed4e${users}`,
    userName: `${name}@testuser.com`,
    active: true,
    emails: [{ primary: true, type: 'work', value: `${name}@testuser.com` }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [ENTERPRISE]: { department: 'bob', manager: '1' },
  });
  expect(status).toBe(201);
  return { id: body.id, name };
}

it('tests the connection with a user that does not exist', async () => {
  const filter = encodeURIComponent('userName eq "e3d9b1c9-5b59-4b1d-9f7f-0d6c4b3d1f6e"');
  const { status, body } = await entra('GET', `/Users?filter=${filter}`);
  expect([status, body.totalResults, body.Resources]).toEqual([200, 0, []]);
  expect((await entra('GET', '/Users/5171a35d82074e068ce2')).status).toBe(404);
});

describe('a user of Entra', () => {
  it('is provisioned and found by userName and externalId', async () => {
    const { id, name } = await provision();
    for (const filter of [
      `userName eq "${name}@testuser.com"`,
      'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4e1"',
    ]) {
      const { body } = await entra('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(body).toMatchObject({ totalResults: 1, Resources: [{ id, active: true }] });
    }
  });

  it('gets new values of attributes with filters in their paths, and of attributes with several values', async () => {
    const { id } = await provision();
    const { body } = await patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    );
    expect(body).toMatchObject({
      emails: [{ primary: true, type: 'work', value: 'updated@microsoft.com' }],
      name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
    });
    const added = await patch(`/Users/${id}`, {
      op: 'Add',
      path: 'emails[type eq "other"].value',
      value: 'other@microsoft.com',
    });
    expect(added.body.emails).toContainEqual({ type: 'other', value: 'other@microsoft.com' });
    const removed = await patch(`/Users/${id}`, { op: 'Remove', path: 'emails[type eq "other"]' });
    expect(removed.body.emails).toHaveLength(1);
  });

  it('gets values without a path, whose names may be paths', async () => {
    const { id } = await provision();
    const { status, body } = await patch(`/Users/${id}`, {
      op: 'Add',
      value: {
        displayName: 'Bjørn Ærlig',
        'name.givenName': 'Bjørn',
        [`${SCIM_USER}:name.familyName`]: 'Ærlig',
        title: 'Lead',
        [`${ENTERPRISE}:department`]: 'R&D',
        'phoneNumbers[type eq "work"].value': '+47 1',
      },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ displayName: 'Bjørn Ærlig', name: { givenName: 'Bjørn', familyName: 'Ærlig' } });
  });

  it('keeps paths of attributes that Burgee does not store without an error', async () => {
    const { id } = await provision();
    const { status } = await patch(
      `/Users/${id}`,
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '1' },
      { op: 'Replace', path: 'addresses[type eq "work"].country', value: 'NO' },
      { op: 'Replace', path: 'preferredLanguage', value: 'nb' },
      { op: 'Remove', path: 'phoneNumbers[type eq "mobile"]' },
    );
    expect(status).toBe(200);
  });

  it('gets a new userName', async () => {
    const { id } = await provision();
    const userName = '5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com';
    expect((await patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value: userName })).body.userName).toBe(
      userName,
    );
  });

  it.each(['False', 'false', false])('is switched off with %j, and on again', async (off) => {
    const { id } = await provision();
    const to = async (value: unknown) =>
      (await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value })).body.active;
    expect(await to(off)).toBe(false);
    expect(await to('True')).toBe(true);
  });

  it('stays switched off if a value is empty', async () => {
    const { id } = await provision();
    await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
    const { status, body } = await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: null });
    expect([status, body.scimType]).toEqual([400, 'mutability']);
    expect((await entra('GET', `/Users/${id}`)).body.active).toBe(false);
  });

  it.each([
    ['costCenter', 'without a URN'],
    ['name.nickName', 'as a part of a known attribute'],
    ['addresses[type eq "work"].shoeSize', 'with a filter'],
    [`${ENTERPRISE}:costCenter`, 'with the URN of an extension'],
    ['urn:example:schemas:2.0:User:shoe.size', 'with the URN of an unknown schema'],
    [`${SCIM_USER}:costCenter`, 'with the URN of the schema'],
  ])('keeps its other changes if Entra also writes %s: %s', async (name) => {
    const { id } = await provision();
    const inPath = await patch(
      `/Users/${id}`,
      { op: 'Add', path: name, value: '7' },
      { op: 'Replace', path: 'displayName', value: 'In a path' },
    );
    expect([inPath.status, inPath.body?.displayName]).toEqual([200, 'In a path']);
    const inValue = await patch(`/Users/${id}`, { op: 'Replace', value: { [name]: '7', displayName: 'In a value' } });
    expect([inValue.status, inValue.body?.displayName]).toEqual([200, 'In a value']);
    const resource = {
      schemas: [SCIM_USER],
      userName: `${id}@testuser.com`,
      displayName: 'In a resource',
      [name]: '7',
    };
    const inResource = await entra('PUT', `/Users/${id}`, resource);
    expect([inResource.status, inResource.body?.displayName]).toEqual([200, 'In a resource']);
    expect(JSON.stringify(inResource.body)).not.toContain('7"');
  });

  it('is deleted', async () => {
    const { id } = await provision();
    expect((await entra('DELETE', `/Users/${id}`)).status).toBe(204);
  });
});

it('manages a group: by its name without members, and its members one by one', async () => {
  const [one, two] = [await provision(), await provision()];
  const created = await entra('POST', '/Groups', {
    schemas: [SCIM_GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'displayName',
    meta: { resourceType: 'Group' },
  });
  expect(created.status).toBe(201);
  const { id } = created.body;
  const members = async () =>
    (await entra('GET', `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value);
  const filter = encodeURIComponent('displayName eq "displayName"');
  const found = (await entra('GET', `/Groups?excludedAttributes=members&filter=${filter}`)).body.Resources;
  expect(found).toMatchObject([{ id, externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159' }]);
  expect(found[0]).not.toHaveProperty('members');

  await patch(`/Groups/${id}`, {
    op: 'Replace',
    path: 'displayName',
    value: '1879db59-3bdf-4490-ad68-ab880a269474updated',
  });
  await patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ $ref: null, value: one.id }] });
  await patch(`/Groups/${id}`, { op: 'Add', path: 'members', value: [{ $ref: null, value: two.id }] });
  expect((await members()).sort()).toEqual([one.id, two.id].sort());
  const ofMember = encodeURIComponent(`id eq "${id}" and members eq "${one.id}"`);
  expect((await entra('GET', `/Groups?excludedAttributes=members&filter=${ofMember}`)).body.totalResults).toBe(1);
  await patch(`/Groups/${id}`, { op: 'Remove', path: 'members', value: [{ $ref: null, value: one.id }] });
  expect(await members()).toEqual([two.id]);
  await patch(`/Groups/${id}`, { op: 'Remove', path: `members[value eq "${two.id}"]` });
  expect(await members()).toEqual([]);
  expect((await entra('DELETE', `/Groups/${id}`)).status).toBe(204);
});
