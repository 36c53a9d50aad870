import { beforeAll, describe, expect, it } from 'vitest';
import { ROLE_ID } from '../../../src/model/role.ts';
import { give } from '../../access/people.ts';
import {
  accepted,
  CONFLICT,
  eventsOf,
  FORBIDDEN,
  flag,
  INVALID,
  MISSING,
  prepare,
  refused,
} from '../../support/admin.ts';
import { Flags } from '../../support/flags.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { useService } from '../../support/service.ts';

const service = useService({ env: { TAGS_LIMIT: '5' } });
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
  await accepted(service, 'createTagType', { body: { name: 'team', color: '#00ff00' } });
});

const GREEN = '#00ff00';
const of = (type: string, value: string) => ({ params: { type, value } });
const textsOf = async (operationId: string, params = {}) =>
  (await accepted(service, operationId, { params })).body.tags.map(
    ({ type, value }: { type: string; value: string }) => `${type}:${value}`,
  );

describe('tags', () => {
  it('exist without any flag after they are created', async () => {
    const body = { type: 'team', value: 'no one' };
    const events = await eventsOf(service, async () => {
      const answer = await accepted(service, 'createTag', { body: { ...body, color: 'ignored' } });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe('/api/admin/tags/team/no%20one');
      expect(answer.body).toEqual({ version: 1, tag: { ...body, color: GREEN } });
    });
    expect(events).toMatchObject([{ type: 'tag-created', data: body }]);
    expect((await accepted(service, 'getTag', of('team', 'no one'))).body).toEqual({
      version: 1,
      tag: { ...body, color: GREEN },
    });
    expect(await textsOf('getTags')).toContain('team:no one');
    expect(await textsOf('getTagsByType', { type: 'team' })).toEqual(['team:no one']);
    await refused(service, 'createTag', CONFLICT, { body });
    await accepted(service, 'deleteTag', of('team', 'no one'));
    expect(await textsOf('getTagsByType', { type: 'team' })).toEqual([]);
  });

  it('exist once when one or more flags have them', async () => {
    const tags = [{ type: 'team', value: 'shared' }];
    const [one, two] = [await flags.create({ tags }), await flags.create({ tags })];
    expect(await textsOf('getTagsByType', { type: 'team' })).toEqual(['team:shared']);
    await refused(service, 'createTag', CONFLICT, { body: tags[0] });
    expect((await accepted(service, 'getTag', of('team', 'shared'))).body.tag).toMatchObject({ color: GREEN });
    for (const featureName of [one, two]) {
      const params = { featureName, type: 'team', value: 'shared' };
      await accepted(service, 'removeTag', { params });
    }
    await refused(service, 'getTag', MISSING, of('team', 'shared'));
  });

  it('have the colour of their type in every answer', async () => {
    const featureName = await flags.create({ tags: [{ type: 'team', value: 'green' }] });
    const shown = { type: 'team', value: 'green', color: GREEN };
    expect((await flags.read(featureName)).body.tags).toEqual([shown]);
    expect((await flags.call('listTags', { featureName })).body.tags).toEqual([shown]);
    const added = await flags.call('addTag', { featureName }, { type: 'simple', value: 'plain' });
    expect(added.body).toEqual({ type: 'simple', value: 'plain', color: '#FFFFFF' });
    const body = { addedTags: [], removedTags: [{ type: 'simple', value: 'plain' }] };
    expect((await flags.call('updateTags', { featureName }, body)).body.tags).toEqual([shown]);
    await accepted(service, 'deleteTag', of('team', 'green'));
  });

  it('are removed from every flag when they are deleted', async () => {
    const tags = [
      { type: 'team', value: 'gone' },
      { type: 'simple', value: 'stays' },
    ];
    const projectId = await flags.otherProject();
    const [here, there] = [await flags.create({ tags }), await flags.create({ tags }, projectId)];
    const events = await eventsOf(service, () => accepted(service, 'deleteTag', of('team', 'gone')));
    expect(events.map(({ type }) => type).sort()).toEqual(['feature-untagged', 'feature-untagged', 'tag-deleted']);
    for (const [projectIdOf, featureName] of [
      ['default', here],
      [projectId, there],
    ] as const) {
      const { body } = await flags.call('getFeature', { projectId: projectIdOf, featureName });
      expect(body.tags).toMatchObject([{ type: 'simple', value: 'stays' }]);
    }
    const again = await eventsOf(service, () => accepted(service, 'deleteTag', of('team', 'gone')));
    expect(again, 'deleting a missing tag changes nothing').toEqual([]);
  });

  it('are not deleted while more flags have them than one change can contain', async () => {
    const tags = [{ type: 'team', value: 'everywhere' }];
    const name = (index: number) => `everywhere-${index}`;
    await prepare(service, (draft) => {
      for (let index = 0; index <= 1_000; index++) draft.put('features', flag(name(index), { tags }));
    });
    const { body } = await refused(service, 'deleteTag', CONFLICT, of('team', 'everywhere'));
    expect(body.message).toContain('1001 flags');
    const params = { featureName: name(0), type: 'team', value: 'everywhere' };
    await accepted(service, 'removeTag', { params });
    await accepted(service, 'deleteTag', of('team', 'everywhere'));
    expect((await flags.read(name(1_000))).body.tags).toEqual([]);
    await prepare(service, (draft) => {
      for (let index = 0; index <= 1_000; index++) draft.remove('features', name(index));
    });
  });

  it('are deleted only by a user who can change all the flags that have them', async () => {
    const projectId = await flags.otherProject();
    const tags = [{ type: 'team', value: 'theirs' }];
    await flags.create({ tags });
    const theirs = await flags.create({ tags }, projectId);
    await putUser(service, 300, { rootRole: ROLE_ID.editor });
    const token = await personalTokenOf(service, 300);
    await refused(service, 'deleteTag', FORBIDDEN, { ...of('team', 'theirs'), token });
    await prepare(service, (draft) => give(draft, projectId, 'user', 300, [ROLE_ID.member]));
    await accepted(service, 'deleteTag', { ...of('team', 'theirs'), token });
    expect((await flags.call('getFeature', { projectId, featureName: theirs })).body.tags).toEqual([]);
  });

  it.each([
    ['of an unknown type', { type: 'nope', value: 'xx' }],
    ['without a type', { value: 'xx' }],
    ['of one character', { type: 'simple', value: 'x' }],
    ['that are too long', { type: 'simple', value: 'x'.repeat(51) }],
    ['that are not strings', { type: 'simple', value: 77 }],
  ])('%s are not created', async (_what, body) => {
    await refused(service, 'createTag', INVALID, { body });
  });

  it('without a flag are limited in number, and are deleted with their type', async () => {
    await accepted(service, 'createTagType', { body: { name: 'full' } });
    for (let count = 1; count <= 5; count++) {
      await accepted(service, 'createTag', { body: { type: 'full', value: `value-${count}` } });
    }
    const beyond = { body: { type: 'full', value: 'value-6' } };
    expect((await refused(service, 'createTag', INVALID, beyond)).body.message).toContain('TAGS_LIMIT');
    const deleted = { params: { name: 'full' } };
    const events = await eventsOf(service, () => accepted(service, 'deleteTagType', deleted));
    expect(events.map(({ type }) => type)).toEqual([...Array(5).fill('tag-deleted'), 'tag-type-deleted']);
    expect(await textsOf('getTagsByType', { type: 'full' })).toEqual([]);
  });
});

describe('tags of several flags', () => {
  const change = (features: string[], addedTags: unknown[], removedTags: unknown[] = []) => ({
    features,
    tags: { addedTags, removedTags },
  });
  const red = { type: 'simple', value: 'red' };
  const blue = { type: 'simple', value: 'blue' };

  it('are added and removed together', async () => {
    const [one, two] = [await flags.create({ tags: [red] }), await flags.create()];
    const events = await flags.events(() => flags.call('addTagToFeatures', {}, change([one, two], [blue], [red])));
    for (const featureName of [one, two]) expect((await flags.read(featureName)).body.tags).toMatchObject([blue]);
    expect(events.map(({ type, featureName }) => [type, featureName])).toEqual([
      ['feature-untagged', one],
      ['feature-tagged', one],
      ['feature-tagged', two],
    ]);
  });

  it('are changed for all flags or for none', async () => {
    const featureName = await flags.create();
    const projectId = await flags.otherProject();
    const elsewhere = await flags.create({}, projectId);
    const refuse = (expected: readonly [number, string], body: unknown) =>
      flags.refused('addTagToFeatures', expected, { body });
    await refuse(MISSING, change([featureName, 'nope'], [red]));
    await refuse(MISSING, change([featureName, elsewhere], [red]));
    await refuse(INVALID, change([featureName], [{ type: 'nope', value: 'xx' }]));
    await refuse(INVALID, change([featureName], [{ type: 'simple', value: 'x' }]));
    await refuse(INVALID, { features: [featureName] });
    await refuse(INVALID, change(Array(101).fill(featureName), [red]));
    await refuse(INVALID, change([featureName], Array(11).fill(red)));
    await flags.refused('addTagToFeatures', MISSING, { params: { projectId: 'nope' }, body: change([], [red]) });
  });
});
