import { beforeAll, describe, expect, it } from 'vitest';
import { IN_FOR_U } from '../../support/exports.ts';
import { Flags, INVALID, MISSING } from '../../support/flags.ts';
import { useService } from '../../support/service.ts';

const DEVELOPMENT = { environment: 'development' };

const service = useService();
let flags: Flags;

beforeAll(async () => {
  flags = new Flags(service);
});

describe('an export', () => {
  it('contains the requested flags, with what they refer to and nothing else', async () => {
    await flags.call('createTagType', {}, { name: 'team' });
    await flags.call('createContextField', {}, { name: 'plan', stickiness: true, legalValues: [{ value: 'gold' }] });
    const segment = (await flags.call('createSegment', {}, { name: 'seg', constraints: [IN_FOR_U] })).body;
    await flags.call('createSegment', {}, { name: 'unused', constraints: [IN_FOR_U] });
    const parent = await flags.create({ description: 'the parent' });
    const child = await flags.create({ type: 'experiment', impressionData: true });
    await flags.call('addFeatureDependency', { child }, { feature: parent });
    await flags.call('addTag', { featureName: child }, { type: 'team', value: 'checkout' });
    const constraints = [{ contextName: 'plan', operator: 'IN', values: ['gold'] }];
    const strategy = { name: 'default', title: 'gold', parameters: {}, constraints, segments: [segment.id] };
    const added = await flags.call('addFeatureStrategy', { featureName: child, ...DEVELOPMENT }, strategy);
    await flags.call('toggleFeatureEnvironmentOn', { featureName: child, ...DEVELOPMENT });
    const query = { environment: 'development', features: [parent, child] };
    await flags.call('addFeatureLink', { featureName: child }, { url: 'https://example.org/1', title: null });
    const [link] = (await flags.call('getFeature', { featureName: child })).body.links;
    const events = await flags.events(async () => {
      const answer = await flags.call('exportFeatures', {}, query);
      expect(answer.headers.get('content-disposition')).toBeNull();
      expect(answer.body).toMatchObject({
        features: [
          {
            name: parent,
            description: 'the parent',
            type: 'release',
            project: 'default',
            stale: false,
            archived: false,
          },
          { name: child, description: null, type: 'experiment', impressionData: true },
        ],
        featureStrategies: [
          {
            id: added.body.id,
            name: 'default',
            featureName: child,
            title: 'gold',
            disabled: false,
            segments: [segment.id],
          },
        ],
        featureEnvironments: [
          { featureName: parent, name: parent, environment: 'development', enabled: false, variants: [] },
          { featureName: child, name: child, environment: 'development', enabled: true, variants: [] },
        ],
        contextFields: [{ name: 'plan', stickiness: true, legalValues: [{ value: 'gold' }] }],
        featureTags: [{ featureName: child, tagType: 'team', tagValue: 'checkout' }],
        segments: [{ id: segment.id, name: 'seg' }],
        tagTypes: [{ name: 'team', description: null, icon: null, color: null }],
        dependencies: [{ feature: child, dependencies: [{ feature: parent, enabled: true, variants: [] }] }],
        links: [{ feature: child, links: [{ id: link.id, url: 'https://example.org/1', title: null }] }],
      });
    });
    expect(events).toMatchObject([
      { type: 'features-exported', environment: 'development', data: { features: [parent, child] } },
    ]);
  });

  it('can be requested by tag, by project, for all flags, and as a file', async () => {
    const other = await flags.otherProject();
    const mine = await flags.create({}, other);
    const tagged = await flags.create();
    await flags.call('addTag', { featureName: tagged }, { type: 'simple', value: 'to-export' });
    const archived = await flags.create({}, other);
    await flags.call('archiveFeature', { projectId: other, featureName: archived });
    const names = async (query: object) => {
      const answer = await flags.call('exportFeatures', {}, { environment: 'production', ...query });
      return answer.body.features.map((feature: { name: string }) => feature.name);
    };
    expect(await names({ tag: 'to-export' })).toEqual([tagged]);
    expect(await names({ tag: 'simple:to-export' })).toEqual([tagged]);
    expect(await names({ tag: 'team:to-export' })).toEqual([]);
    expect(await names({ project: other })).toEqual([mine]);
    expect(await names({ project: other, tag: 'to-export' })).toEqual([]);
    expect(await names({ features: [] })).toEqual(expect.arrayContaining([mine, tagged]));
    expect(await names({})).not.toContain(archived);
    const file = await flags.call(
      'exportFeatures',
      {},
      { environment: 'production', features: [mine], downloadFile: true },
    );
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="export-[\w-]+\.json"$/);
  });

  it('contains archived flags that the request names, as in Unleash', async () => {
    const archived = await flags.create();
    await flags.call('archiveFeature', { featureName: archived });
    const { body } = await flags.call('exportFeatures', {}, { environment: 'development', features: [archived] });
    expect(body.features).toEqual([expect.objectContaining({ name: archived, archived: true })]);
  });

  it('is refused when it could not be complete, or when the request is invalid', async () => {
    const refused = (expected: readonly [number, string], body: object) =>
      flags.refused('exportFeatures', expected, { body });
    const missing = await refused(MISSING, { environment: 'development', features: ['nobody', 'nor-she'] });
    expect(missing.body.message).toContain('nobody, nor-she');
    await refused(MISSING, { environment: 'nowhere', features: [] });
    await refused(MISSING, { environment: 'development', project: 'nothing' });
    await refused(INVALID, { features: [] });
    await refused(INVALID, { environment: 'development', features: 'all' });
  });
});
