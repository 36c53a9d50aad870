import { beforeAll, describe, expect, it } from 'vitest';
import { Flags, INVALID, MISSING, TAKEN } from '../../support/flags.ts';
import { startTestService, useService } from '../../support/service.ts';

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const tag = (value: string) => ({ type: 'simple', value });
/** The tag as answers contain it. */
const shown = (value: string) => ({ ...tag(value), color: '#FFFFFF' });

describe('tags of a flag', () => {
  it('are created with a Location header that contains the base path', async () => {
    const other = await startTestService({ env: { BASE_URI_PATH: '/flags' } });
    try {
      const elsewhere = new Flags(other);
      const featureName = await elsewhere.create();
      const { headers } = await elsewhere.call('addTag', { featureName }, tag('beta'));
      expect(headers.get('location')).toBe(`/flags/api/admin/features/${featureName}/tags`);
    } finally {
      await other.close();
    }
  });

  it('are added, listed, shown on the flag, and select it for SDKs', async () => {
    const featureName = await flags.create();
    let location: string | null = null;
    const events = await flags.events(async () => {
      const answer = await flags.call('addTag', { featureName }, tag('beta'));
      expect([answer.status, answer.body]).toEqual([201, shown('beta')]);
      location = answer.headers.get('location');
    });
    expect(location).toBe(`/api/admin/features/${featureName}/tags`);
    await flags.call('addTag', { featureName }, tag('alpha'));
    const tags = [shown('alpha'), shown('beta')];
    expect((await flags.call('listTags', { featureName })).body).toEqual({ version: 1, tags });
    expect((await flags.read(featureName)).body.tags).toEqual(tags);
    const client = await service.call('getAllClientFeatures', { query: 'tag[]=simple:beta' });
    expect(client.body.features.map((feature: { name: string }) => feature.name)).toEqual([featureName]);
    expect(events).toMatchObject([{ type: 'feature-tagged', project: 'default', featureName, data: tag('beta') }]);
  });

  it('are removed, whatever characters they contain', async () => {
    const featureName = await flags.create();
    for (const value of ['a/b%c', 'ä 😀', '..x', '__proto__']) {
      await flags.call('addTag', { featureName }, tag(value));
      const remove = () => flags.call('removeTag', { featureName, ...tag(value) });
      expect(await flags.events(remove)).toMatchObject([{ type: 'feature-untagged', preData: tag(value) }]);
      expect(await flags.events(remove), 'a missing tag is already removed').toEqual([]);
    }
    expect((await flags.call('listTags', { featureName })).body.tags).toEqual([]);
  });

  it('are added and removed in one step', async () => {
    const featureName = await flags.create({ tags: [tag('one'), tag('two')] });
    const body = { addedTags: [tag('three'), tag('two'), tag('three')], removedTags: [tag('one'), tag('absent')] };
    const events = await flags.events(async () => {
      const answer = await flags.call('updateTags', { featureName }, body);
      expect(answer.body).toEqual({ version: 1, tags: [shown('three'), shown('two')] });
    });
    expect(events.map((event) => event.type)).toEqual(['feature-untagged', 'feature-tagged']);
    const nothing = { addedTags: [tag('two')], removedTags: [] };
    expect(await flags.events(() => flags.call('updateTags', { featureName }, nothing))).toEqual([]);
  });

  it('are refused when the flag already has them', async () => {
    const featureName = await flags.create({ tags: [tag('one')] });
    await flags.refused('addTag', TAKEN, { params: { featureName }, body: tag('one') });
  });

  it('are refused when too short, too long, or of a missing type', async () => {
    const featureName = await flags.create();
    const bad = [
      tag('x'),
      tag('x'.repeat(51)),
      { value: 'no type' },
      { type: 'simple' },
      { type: 'nope', value: 'xx' },
    ];
    for (const body of bad) {
      await flags.refused('addTag', INVALID, { params: { featureName }, body });
      const change = { addedTags: [tag('fine'), body], removedTags: [] };
      await flags.refused('updateTags', INVALID, { params: { featureName }, body: change });
    }
    await flags.call('addTag', { featureName }, tag('xx'));
    await flags.call('addTag', { featureName }, tag('x'.repeat(50)));
  });

  it('can be read on all existing flags, and changed only on live ones', async () => {
    const featureName = await flags.create({ tags: [tag('kept')] });
    await flags.call('archiveFeature', { featureName });
    expect((await flags.call('listTags', { featureName })).body.tags).toEqual([shown('kept')]);
    const change = { addedTags: [tag('new')], removedTags: [] };
    for (const params of [{ featureName }, { featureName: 'nope' }]) {
      await flags.refused('addTag', MISSING, { params, body: tag('new') });
      await flags.refused('updateTags', MISSING, { params, body: change });
      await flags.refused('removeTag', MISSING, { params: { ...params, ...tag('kept') } });
    }
    await flags.refused('listTags', MISSING, { params: { featureName: 'nope' } });
  });
});
