import { beforeAll, describe, expect, it } from 'vitest';
import { COLLABORATORS_MAX, withCollaborator } from '../../../src/model/feature.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import { accepted, flag } from '../../support/admin.ts';
import { exportOf, importBody } from '../../support/exports.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;
const people: { id: number; token: string; name: string }[] = [];

beforeAll(async () => {
  flags = new Flags(service);
  for (const id of [201, 202, 203]) {
    const { email, username } = await putUser(service, id, { rootRole: ROLE_ID.admin });
    people.push({ id, token: await personalTokenOf(service, id), name: email ?? username ?? '' });
  }
});

const person = (index: number) => people[index] as (typeof people)[number];
const change = (featureName: string, index: number, description: string) =>
  accepted(service, 'updateFeature', {
    params: { projectId: 'default', featureName },
    body: { description },
    token: person(index).token,
  });
const collaborators = async (featureName: string): Promise<{ id: number; name: string; imageUrl: string }[]> =>
  (await flags.read(featureName)).body.collaborators.users;
const idsOf = async (featureName: string) => (await collaborators(featureName)).map(({ id }) => id);

describe('the collaborators of a flag', () => {
  it('are the users who changed it, the latest first', async () => {
    const name = flags.name();
    const options = { params: { projectId: 'default' }, body: { name }, token: person(0).token };
    const made = await accepted(service, 'createFeature', options);
    expect(made.body.collaborators.users).toMatchObject([{ id: 201 }]);
    expect(made.body.createdBy).toEqual({
      id: person(0).id,
      name: person(0).name,
      imageUrl: expect.stringMatching(/^https:/),
    });
    expect(await idsOf(name)).toEqual([201]);
    const changed = await change(name, 1, 'a');
    expect(changed.body.collaborators.users).toMatchObject([{ id: 202 }, { id: 201 }]);
    await change(name, 2, 'b');
    expect(await idsOf(name)).toEqual([203, 202, 201]);
    await change(name, 0, 'c');
    expect(await collaborators(name)).toMatchObject([
      { id: 201, name: person(0).name, imageUrl: expect.stringMatching(/^https:/) },
      { id: 203, name: person(2).name },
      { id: 202, name: person(1).name },
    ]);
  });

  it('include users who changed it by an import or in an environment, and no admin token', async () => {
    const featureName = await flags.create();
    expect(await idsOf(featureName)).toEqual([]);
    const params = { projectId: 'default', featureName, environment: 'development' };
    await accepted(service, 'toggleFeatureEnvironmentOn', { params, token: person(1).token });
    expect(await idsOf(featureName)).toEqual([202]);
    await flags.call('updateFeature', { featureName }, { description: 'by the admin token' });
    expect(await idsOf(featureName)).toEqual([202]);
    await accepted(service, 'importFeatures', { body: importBody(exportOf(featureName)), token: person(2).token });
    expect(await idsOf(featureName)).toEqual([203, 202]);
  });

  it('are shown as unknown after they were deleted', async () => {
    const featureName = await flags.create();
    await putUser(service, 250, { rootRole: ROLE_ID.admin });
    const token = await personalTokenOf(service, 250);
    const params = { projectId: 'default', featureName };
    await accepted(service, 'updateFeature', { params, body: { description: 'x' }, token });
    await accepted(service, 'deleteUser', { params: { id: 250 } });
    expect(await collaborators(featureName)).toEqual([{ id: 250, name: 'unknown', imageUrl: '' }]);
  });

  it('of a clone are not those of the original flag', async () => {
    const featureName = await flags.create();
    await change(featureName, 0, 'x');
    const name = flags.name('clone');
    const options = { params: { projectId: 'default', featureName }, body: { name }, token: person(1).token };
    await accepted(service, 'cloneFeature', options);
    expect(await idsOf(name)).toEqual([202]);
  });

  it('are bounded, and stay the same object when the latest user changes the flag again', () => {
    let feature = flag('bounded');
    for (let id = 1; id <= 100; id++) feature = withCollaborator(feature, id);
    expect(feature.collaborators).toHaveLength(COLLABORATORS_MAX);
    expect(feature.collaborators?.[0]).toBe(100);
    expect(withCollaborator(feature, 100)).toBe(feature);
    expect(withCollaborator(feature, 99).collaborators?.slice(0, 3)).toEqual([99, 100, 98]);
  });
});
