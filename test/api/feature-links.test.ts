import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { featureLinkEndpoints } from '../../src/features/flags/links/routes.ts';
import { itIsForAdmins } from '../support/admin.ts';
import { exportOf, importBody } from '../support/exports.ts';
import { Flags, INVALID, MISSING } from '../support/flags.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let flags: Flags;

beforeAll(async () => {
  service = await startTestService({ env: { FEATURE_LINKS_LIMIT: '3' } });
  flags = new Flags(service);
});

afterAll(() => service.close());

const linksOf = async (featureName: string) => (await flags.read(featureName)).body.links;

async function withLink(): Promise<{ featureName: string; linkId: string }> {
  const featureName = await flags.create();
  await flags.call('addFeatureLink', { featureName }, { url: 'https://example.org/a', title: 'A' });
  return { featureName, linkId: (await linksOf(featureName))[0].id };
}

describe('links of a flag', () => {
  itIsForAdmins(
    () => service,
    featureLinkEndpoints.map((endpoint) => endpoint),
  );

  it('are added, changed and removed, and each is told in the log', async () => {
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
    const link = (letter: string, title: string | null) => ({
      id: linkId,
      url: `https://example.org/${letter}`,
      title,
    });
    expect(events.map(({ type, featureName: of, data, preData }) => ({ type, of, data, preData }))).toEqual([
      { type: 'feature-link-added', of: featureName, data: link('a', null), preData: null },
      { type: 'feature-link-updated', of: featureName, data: link('b', 'B'), preData: link('a', null) },
      { type: 'feature-link-updated', of: featureName, data: link('c', 'B'), preData: link('b', 'B') },
      { type: 'feature-link-removed', of: featureName, data: null, preData: link('c', 'B') },
    ]);
  });

  it('stand in the answers of lists and updates, and SDKs are told nothing of them', async () => {
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
  ])('may be given as %s', async (url, stored) => {
    const featureName = await flags.create();
    await flags.call('addFeatureLink', { featureName }, { url });
    expect(await linksOf(featureName)).toMatchObject([{ url: stored }]);
  });

  it.each([
    ['a script', { url: 'javascript:alert(document.cookie)' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['data', { url: 'data:text/html,x' }],
    ['mail', { url: 'mailto:a@example.org' }],
    ['no address', { url: 'https://' }],
    ['blanks', { url: '   ' }],
    ['nothing', {}],
    ['a title that is no text', { url: 'https://example.org', title: {} }],
    ['an address that is too long', { url: `https://example.org/${'x'.repeat(2_000)}` }],
    ['a title that is too long', { url: 'https://example.org', title: 'x'.repeat(501) }],
  ])('are not %s', async (_what, body) => {
    const { featureName, linkId } = await withLink();
    await flags.refused('addFeatureLink', INVALID, { params: { featureName }, body });
    await flags.refused('updateFeatureLink', INVALID, { params: { featureName, linkId }, body });
  });

  it('are bounded in number', async () => {
    const { featureName } = await withLink();
    for (const letter of ['b', 'c']) {
      await flags.call('addFeatureLink', { featureName }, { url: `https://example.org/${letter}` });
    }
    const beyond = { params: { featureName }, body: { url: 'https://example.org/d' } };
    const { body } = await flags.refused('addFeatureLink', INVALID, beyond);
    expect(body.message).toContain('FEATURE_LINKS_LIMIT');
  });

  it('are found in their own flag and project only', async () => {
    const { featureName, linkId } = await withLink();
    const [other, projectId] = [await flags.create(), await flags.otherProject()];
    const body = { url: 'https://example.org/b' };
    const places: Readonly<Record<string, string>>[] = [
      { featureName: other, linkId },
      { featureName, linkId: 'nope' },
      { featureName: 'nope', linkId },
      { projectId, featureName, linkId },
    ];
    for (const params of places) {
      await flags.refused('updateFeatureLink', MISSING, { params, body });
      await flags.refused('deleteFeatureLink', MISSING, { params });
    }
    await flags.refused('addFeatureLink', MISSING, { params: { projectId, featureName }, body });
    await flags.call('archiveFeature', { featureName });
    await flags.refused('addFeatureLink', MISSING, { params: { featureName }, body });
    await flags.refused('updateFeatureLink', MISSING, { params: { featureName, linkId }, body });
  });

  it('go along with exports and imports, and are not taken over by clones', async () => {
    const { featureName } = await withLink();
    const query = { environment: 'development', features: [featureName] };
    const { body: exported } = await flags.call('exportFeatures', {}, query);
    expect(exported.links).toEqual([{ feature: featureName, links: [{ url: 'https://example.org/a', title: 'A' }] }]);
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

  it('of an import that lead nowhere, or belong to no flag of it, stop it', async () => {
    const name = flags.name('imported');
    const bad = (feature: string, url: string) =>
      importBody(exportOf(name, { links: [{ feature, links: [{ url }] }] }));
    const script = await flags.refused('importFeatures', INVALID, { body: bad(name, 'javascript:alert("x")') });
    expect(script.body.message).toContain(name);
    await flags.refused('importFeatures', INVALID, { body: bad('somebody-else', 'https://example.org') });
    const four = ['a', 'b', 'c', 'd'].map((letter) => ({ url: `https://example.org/${letter}` }));
    const beyond = importBody(exportOf(name, { links: [{ feature: name, links: four }] }));
    await flags.refused('importFeatures', INVALID, { body: beyond });
  });
});
