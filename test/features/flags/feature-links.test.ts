import { beforeAll, describe, expect, it } from 'vitest';
import { exportOf, importBody } from '../../support/exports.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const service = useService({ env: { FEATURE_LINKS_LIMIT: '3' } });
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

const linksOf = async (featureName: string) => (await flags.read(featureName)).body.links;

async function withLink(): Promise<{ featureName: string; linkId: string }> {
  const featureName = await flags.create();
  await flags.call('addFeatureLink', { featureName }, { url: 'https://example.org/a', title: 'A' });
  return { featureName, linkId: (await linksOf(featureName))[0].id };
}

describe('links of a flag', () => {
  it('are added, changed and removed, with an event for each step', async () => {
    const featureName = await flags.create();
    let linkId = '';
    const events = await flags.events(async () => {
      const added = await flags.call('addFeatureLink', { featureName }, { url: 'https://example.org/a' });
      expect([added.status, added.text]).toEqual([204, '']);
      [{ id: linkId }] = await linksOf(featureName);
      expect(await linksOf(featureName)).toEqual([{ id: linkId, url: 'https://example.org/a', title: null }]);
      await flags.call('updateFeatureLink', { featureName, linkId }, { url: 'https://example.org/b', title: 'B' });
      expect(await linksOf(featureName)).toEqual([{ id: linkId, url: 'https://example.org/b', title: 'B' }]);
      await flags.call('updateFeatureLink', { featureName, linkId }, { url: 'https://example.org/c' });
      expect(await linksOf(featureName)).toEqual([{ id: linkId, url: 'https://example.org/c', title: 'B' }]);
      await flags.call('deleteFeatureLink', { featureName, linkId });
    });
    expect(await linksOf(featureName)).toEqual([]);
    const link = (path: string, title: string | null) => ({
      id: linkId,
      url: `https://example.org/${path}`,
      title,
    });
    expect(events.map(({ type, featureName: of, data, preData }) => ({ type, of, data, preData }))).toEqual([
      { type: 'feature-link-added', of: featureName, data: link('a', null), preData: null },
      { type: 'feature-link-updated', of: featureName, data: link('b', 'B'), preData: link('a', null) },
      { type: 'feature-link-updated', of: featureName, data: link('c', 'B'), preData: link('b', 'B') },
      { type: 'feature-link-removed', of: featureName, data: null, preData: link('c', 'B') },
    ]);
  });

  it('are in the answers of lists and updates, and are not sent to SDKs', async () => {
    const { featureName, linkId } = await withLink();
    await flags.call('toggleFeatureEnvironmentOn', { featureName, environment: 'development' });
    const before = await service.call('getAllClientFeatures');
    const other = await flags.call('updateFeature', { featureName }, {});
    expect(other.body.links).toMatchObject([{ id: linkId }]);
    await flags.call('addFeatureLink', { featureName }, { url: 'https://example.org/second' });
    const list = (await flags.call('getFeatures')).body.features;
    expect(list.find(({ name }: { name: string }) => name === featureName).links).toHaveLength(2);
    const after = await service.call('getAllClientFeatures');
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });

  it.each([
    ['example.org/page', 'https://example.org/page'],
    ['localhost:3000/x?y=z#w', 'https://localhost:3000/x?y=z#w'],
    [' http://example.org ', 'http://example.org'],
  ])('are accepted as %s', async (url, stored) => {
    const featureName = await flags.create();
    await flags.call('addFeatureLink', { featureName }, { url });
    expect(await linksOf(featureName)).toMatchObject([{ url: stored }]);
  });

  it.each([
    ['a script as their address', { url: 'javascript:alert(document.cookie)' }],
    ['a file as their address', { url: 'file:///etc/passwd' }],
    ['data as their address', { url: 'data:text/html,x' }],
    ['mail as their address', { url: 'mailto:a@example.org' }],
    ['no address', { url: 'https://' }],
    ['blanks', { url: '   ' }],
    ['nothing', {}],
    ['a title that is no text', { url: 'https://example.org', title: {} }],
    ['an address that is too long', { url: `https://example.org/${'x'.repeat(2_000)}` }],
    ['a title that is too long', { url: 'https://example.org', title: 'x'.repeat(501) }],
  ])('are refused with %s', async (_what, body) => {
    const { featureName, linkId } = await withLink();
    await flags.refused('addFeatureLink', INVALID, { params: { featureName }, body });
    await flags.refused('updateFeatureLink', INVALID, { params: { featureName, linkId }, body });
  });

  it('are bounded in number', async () => {
    const { featureName } = await withLink();
    for (const path of ['b', 'c']) {
      await flags.call('addFeatureLink', { featureName }, { url: `https://example.org/${path}` });
    }
    const beyond = { params: { featureName }, body: { url: 'https://example.org/d' } };
    const { body } = await flags.refused('addFeatureLink', INVALID, beyond);
    expect(body.message).toContain('FEATURE_LINKS_LIMIT');
  });

  it('are found only in their own flag and project', async () => {
    const { featureName, linkId } = await withLink();
    const [other, projectId] = [await flags.create(), await flags.otherProject()];
    const body = { url: 'https://example.org/b' };
    const wrongParams: Readonly<Record<string, string>>[] = [
      { featureName: other, linkId },
      { featureName, linkId: 'nope' },
      { featureName: 'nope', linkId },
      { projectId, featureName, linkId },
    ];
    for (const params of wrongParams) {
      await flags.refused('updateFeatureLink', MISSING, { params, body });
      await flags.refused('deleteFeatureLink', MISSING, { params });
    }
    await flags.refused('addFeatureLink', MISSING, { params: { projectId, featureName }, body });
    await flags.call('archiveFeature', { featureName });
    await flags.refused('addFeatureLink', MISSING, { params: { featureName }, body });
    await flags.refused('updateFeatureLink', MISSING, { params: { featureName, linkId }, body });
  });

  it('are exported and imported, and are not copied to clones', async () => {
    const { featureName } = await withLink();
    const query = { environment: 'development', features: [featureName] };
    const { body: exported } = await flags.call('exportFeatures', {}, query);
    const [{ id }] = await linksOf(featureName);
    const link = { id, url: 'https://example.org/a', title: 'A' };
    expect(exported.links).toEqual([{ feature: featureName, links: [link] }]);
    await flags.call('importFeatures', {}, importBody(exported));
    expect(await linksOf(featureName)).toHaveLength(1);
    const fresh = flags.name('imported');
    const links = [{ feature: fresh, links: [{ url: 'example.org/x' }, { url: 'https://example.org/y', title: 'Y' }] }];
    await flags.call('importFeatures', {}, importBody(exportOf(fresh, { links })));
    expect(await linksOf(fresh)).toMatchObject([
      { url: 'https://example.org/x', title: null },
      { url: 'https://example.org/y', title: 'Y' },
    ]);
    const clone = flags.name('clone');
    expect((await flags.call('cloneFeature', { featureName: fresh }, { name: clone })).body.links).toEqual([]);
  });

  it('stop an import when they are invalid, too many, or belong to no flag of it', async () => {
    const name = flags.name('imported');
    const bad = (feature: string, url: string) =>
      importBody(exportOf(name, { links: [{ feature, links: [{ url }] }] }));
    const script = await flags.refused('importFeatures', INVALID, { body: bad(name, 'javascript:alert("x")') });
    expect(script.body.message).toContain(name);
    await flags.refused('importFeatures', INVALID, { body: bad('somebody-else', 'https://example.org') });
    const four = ['a', 'b', 'c', 'd'].map((path) => ({ url: `https://example.org/${path}` }));
    const beyond = importBody(exportOf(name, { links: [{ feature: name, links: four }] }));
    await flags.refused('importFeatures', INVALID, { body: beyond });
  });
});
