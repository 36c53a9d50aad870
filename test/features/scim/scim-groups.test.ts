import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, eventsOf, prepare } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { allowScim, patchOf, SCIM_GROUP, scimRefused } from '../../support/scim.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService({ env: { UNLEASH_URL: 'https://burgee.example.com' } });
/** Ids of users. */
const ANN = '101';
const BOB = '102';
const CID = '103';

beforeAll(async () => {
  await allowScim(service);
  for (const id of [101, 102, 103]) await putUser(service, id, { username: `member-${id}`, email: null });
  await putUser(service, 104, { accountType: 'Service Account', username: 'robot', email: null });
});

let groups = 0;
const newName = () => `Group ${++groups}`;
const valuesOf = (ids: readonly string[]) => ids.map((value) => ({ value }));
const createGroup = async (members: readonly string[] = [], rest: object = {}) => {
  const body = { schemas: [SCIM_GROUP], displayName: newName(), members: valuesOf(members), ...rest };
  return (await accepted(service, 'createScimGroup', { body })).body;
};
const patchGroup = async (id: string, ...operations: object[]) =>
  (await accepted(service, 'patchScimGroup', { params: { id }, body: patchOf(...operations) })).body;
const membersOf = ({ members }: { members: { value: string }[] }) => members.map(({ value }) => value).sort();
const find = async (filter: string, more = '') =>
  (await accepted(service, 'getScimGroups', { query: `filter=${encodeURIComponent(filter)}${more}` })).body;

describe('groups of SCIM', () => {
  it('are created without roles, and the audit log names SCIM', async () => {
    const events = await eventsOf(service, async () => {
      const body = { schemas: [SCIM_GROUP], displayName: 'Pricing', externalId: 'g-1', members: valuesOf([ANN]) };
      const answer = await accepted(service, 'createScimGroup', { body });
      expect(answer.headers.get('location')).toBe(answer.body.meta.location);
      expect(answer.body).toEqual({
        schemas: [SCIM_GROUP],
        id: answer.body.id,
        externalId: 'g-1',
        displayName: 'Pricing',
        meta: {
          resourceType: 'Group',
          created: expect.any(String),
          location: `https://burgee.example.com/scim/v2/Groups/${answer.body.id}`,
          version: answer.headers.get('etag'),
        },
        members: [{ value: ANN, type: 'User', $ref: `https://burgee.example.com/scim/v2/Users/${ANN}` }],
      });
      const shown = (await accepted(service, 'getGroup', { params: { groupId: answer.body.id } })).body;
      expect(shown).toMatchObject({ name: 'Pricing', rootRole: null, scimId: answer.body.id, createdBy: 'scim' });
    });
    expect(events.map(({ type, createdBy }) => [type, createdBy])).toEqual([
      ['group-created', 'scim'],
      ['group-user-added', 'scim'],
    ]);
  });

  it('give their members the roles that an admin assigns to them, also after changes by SCIM', async () => {
    const group = await createGroup([ANN]);
    await accepted(service, 'updateGroup', {
      params: { groupId: group.id },
      body: { name: group.displayName, rootRole: ROLE_ID.admin },
    });
    const token = await personalTokenOf(service, Number(BOB));
    expect((await service.call('getUsers', { token })).status).toBe(403);
    await patchGroup(group.id, { op: 'add', path: 'members', value: valuesOf([BOB]) });
    expect((await service.call('getUsers', { token })).status).toBe(200);
    await accepted(service, 'replaceScimGroup', {
      params: { id: group.id },
      body: { displayName: newName(), members: valuesOf([ANN]) },
    });
    expect((await service.call('getUsers', { token })).status).toBe(403);
    expect(service.running.services.state.get('groups', group.id)?.rootRole).toBe(ROLE_ID.admin);
  });

  it('have unique names, also among groups that were created in Burgee', async () => {
    const { displayName } = await createGroup();
    const other = await createGroup();
    await accepted(service, 'createGroup', { body: { name: 'Local' } });
    for (const name of [displayName, displayName.toUpperCase(), 'Local']) {
      await scimRefused(service, 'createScimGroup', [409, 'uniqueness'], { body: { displayName: name } });
      const body = patchOf({ op: 'replace', path: 'displayName', value: name });
      await scimRefused(service, 'patchScimGroup', [409, 'uniqueness'], { params: { id: other.id }, body });
    }
  });

  it('that were created in Burgee are neither shown nor changed', async () => {
    const { id } = (await accepted(service, 'createGroup', { body: { name: 'Admins', rootRole: ROLE_ID.admin } })).body;
    const params = { id };
    await scimRefused(service, 'getScimGroup', [404], { params });
    const body = patchOf({ op: 'add', path: 'members', value: valuesOf([ANN]) });
    await scimRefused(service, 'patchScimGroup', [404], { params, body });
    await scimRefused(service, 'replaceScimGroup', [404], { params, body: { displayName: 'Mine' } });
    await scimRefused(service, 'deleteScimGroup', [404], { params });
    for (const filter of ['displayName eq "Admins"', `id eq "${id}"`, 'displayName sw "adm"'])
      expect((await find(filter)).totalResults).toBe(0);
  });

  it('are refused without a name and with members who are no people', async () => {
    for (const body of [
      { members: [] },
      { displayName: ' ' },
      { displayName: 7 },
      { displayName: newName(), members: [{ value: '999999' }] },
      { displayName: newName(), members: [{ value: '104' }] },
      { displayName: newName(), members: [{ display: 'Ann' }] },
      { displayName: newName(), members: [7] },
      { displayName: newName(), members: [{ value: { toString: 1 } }] },
    ])
      await scimRefused(service, 'createScimGroup', [400, 'invalidValue'], { body });
    const body = { displayName: newName(), members: Array.from({ length: 10_001 }, () => ANN) };
    await scimRefused(service, 'createScimGroup', [400, 'tooMany'], { body });
  });

  it('are changed by one operation that states a name and many members', async () => {
    for (let id = 301; id <= 315; id++) await putUser(service, id, { username: `crowd-${id}`, email: null });
    const crowd = Array.from({ length: 15 }, (_, index) => String(301 + index));
    const { id } = await createGroup();
    const displayName = newName();
    const changed = await patchGroup(id, { op: 'replace', value: { displayName, members: valuesOf(crowd) } });
    expect([changed.displayName, membersOf(changed)]).toEqual([displayName, crowd]);
    const body = patchOf({ op: 'replace', path: 'displayName', value: 'x'.repeat(101) });
    await scimRefused(service, 'patchScimGroup', [400, 'invalidValue'], { params: { id }, body });
  });

  it('are deleted', async () => {
    const { id } = await createGroup([ANN]);
    expect((await accepted(service, 'deleteScimGroup', { params: { id } })).status).toBe(204);
    await scimRefused(service, 'getScimGroup', [404], { params: { id } });
  });
});

describe('members of a group', () => {
  it.each([
    ['a list', [{ op: 'add', path: 'members', value: valuesOf([BOB, CID]) }], [ANN, BOB, CID]],
    ['one member', [{ op: 'Add', path: 'members', value: { value: BOB } }], [ANN, BOB]],
    ['a value without a path', [{ op: 'add', value: { members: valuesOf([BOB]) } }], [ANN, BOB]],
    ['members who are there', [{ op: 'add', path: 'members', value: valuesOf([ANN]) }], [ANN]],
    ['the whole list', [{ op: 'replace', path: 'members', value: valuesOf([CID]) }], [CID]],
    ['an empty list', [{ op: 'replace', path: 'members', value: [] }], []],
    ['a removal by a filter', [{ op: 'remove', path: `members[value eq "${ANN}"]` }], []],
    ['a removal by a stated value', [{ op: 'Remove', path: 'members', value: valuesOf([ANN, CID]) }], []],
    ['a removal of another member', [{ op: 'remove', path: 'members[value eq "999"]' }], [ANN]],
    ['a removal of all', [{ op: 'remove', path: 'members' }], []],
    ['a removal by another filter', [{ op: 'remove', path: 'members[type eq "User"]' }], []],
    [
      'several operations in order',
      [
        { op: 'add', path: 'members', value: valuesOf([BOB]) },
        { op: 'remove', path: `members[value eq "${ANN}"]` },
        { op: 'replace', path: 'externalId', value: 'new' },
      ],
      [BOB],
    ],
  ])('change by %s', async (_name, operations, expected) => {
    const { id } = await createGroup([ANN]);
    expect(membersOf(await patchGroup(id, ...operations))).toEqual(expected);
    expect(membersOf((await accepted(service, 'getScimGroup', { params: { id } })).body)).toEqual(expected);
  });

  it.each([
    ['mutability', { op: 'replace', path: `members[value eq "${ANN}"].value`, value: BOB }],
    ['mutability', { op: 'replace', path: 'id', value: '7' }],
    ['mutability', { op: 'remove', path: 'displayName' }],
    ['invalidPath', { op: 'add', path: 'two shoes', value: 7 }],
    ['invalidPath', { op: 'add', path: 'displayName[value eq "x"]', value: 7 }],
    ['invalidFilter', { op: 'remove', path: 'members[shoes eq 7]' }],
    ['invalidFilter', { op: 'remove', path: 'members[value eq]' }],
    ['invalidValue', { op: 'add', path: 'members', value: valuesOf(['999']) }],
    ['invalidValue', { op: 'add', value: 'members' }],
    ['invalidValue', { op: 'move', path: 'members', value: [] }],
    ['noTarget', { op: 'remove' }],
  ])('are refused with %s: %j', async (scimType, operation) => {
    const { id } = await createGroup([ANN]);
    const body = patchOf({ op: 'add', path: 'members', value: valuesOf([BOB]) }, operation);
    await scimRefused(service, 'patchScimGroup', [400, scimType], { params: { id }, body });
    expect(membersOf((await accepted(service, 'getScimGroup', { params: { id } })).body)).toEqual([ANN]);
  });

  it('are shown in the groups of the user, and filters find both', async () => {
    const group = await createGroup([CID], { externalId: 'of-cid' });
    const user = (await accepted(service, 'getScimUser', { params: { id: CID } })).body;
    expect(user.groups).toContainEqual({
      value: group.id,
      display: group.displayName,
      $ref: `https://burgee.example.com/scim/v2/Groups/${group.id}`,
    });
    for (const filter of [
      `id eq "${group.id}" and members eq "${CID}"`,
      `externalId eq "of-cid" and members.value eq "${CID}"`,
      `members[value eq "${CID}"] and displayName eq "${group.displayName.toLowerCase()}"`,
    ])
      expect((await find(filter)).Resources).toMatchObject([{ id: group.id }]);
    expect((await find(`id eq "${group.id}" and members eq "${ANN}"`)).totalResults).toBe(0);
    const query = `filter=${encodeURIComponent(`groups.value eq "${group.id}"`)}`;
    expect((await accepted(service, 'getScimUsers', { query })).body.Resources).toMatchObject([{ id: CID }]);
    await scimRefused(service, 'getScimGroups', [400, 'invalidFilter'], {
      query: `filter=${encodeURIComponent('members.type eq "User"')}`,
    });
  });

  it('are left out with excludedAttributes, as Entra asks', async () => {
    const { id } = await createGroup([ANN]);
    const found = await find(`id eq "${id}"`, '&excludedAttributes=members');
    expect(found.Resources[0]).not.toHaveProperty('members');
    const { body } = await accepted(service, 'getScimGroup', { params: { id }, query: 'attributes=members.value' });
    expect(body).toEqual({ schemas: [SCIM_GROUP], id, members: [{ value: ANN }] });
  });

  it('change the tag of the group', async () => {
    const { id, meta } = await createGroup([ANN]);
    const params = { id };
    const known = { 'if-none-match': meta.version };
    expect((await service.call('getScimGroup', { params, headers: known })).status).toBe(304);
    await patchGroup(id, { op: 'add', path: 'members', value: valuesOf([BOB]) });
    expect((await service.call('getScimGroup', { params, headers: known })).status).toBe(200);
    const headers = { 'if-match': meta.version };
    const body = patchOf({ op: 'remove', path: 'members' });
    await scimRefused(service, 'patchScimGroup', [412], { params, headers, body });
    await scimRefused(service, 'replaceScimGroup', [412], { params, headers, body: { displayName: newName() } });
    await scimRefused(service, 'deleteScimGroup', [412], { params, headers });
  });

  it('limit the page: a list ends early after 10,000 members', async () => {
    const own = await startTestService({ env: { USERS_LIMIT: '20000' } });
    await allowScim(own);
    const at = '2026-01-01T00:00:00.000Z';
    for (const groupId of [1, 2, 3]) {
      await prepare(own, (draft) => {
        const names = { name: `Large ${groupId}`, description: null, mappingsSSO: [], rootRole: null };
        draft.put('groups', { id: groupId, ...names, createdAt: at, createdBy: 'scim', scim: {} });
        for (let userId = 1_000; userId < 7_000; userId++)
          draft.put('groupMembers', { groupId, userId, joinedAt: at, createdBy: 'scim', bySignOn: false });
      });
    }
    const page = async (query: string) => (await accepted(own, 'getScimGroups', { query })).body;
    expect(await page('')).toMatchObject({ totalResults: 3, itemsPerPage: 1 });
    expect(await page('startIndex=2')).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
    expect(await page('excludedAttributes=members')).toMatchObject({ itemsPerPage: 3 });
    await own.close();
  });
});
