import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepted, eventsOf, INVALID, prepare, refused } from '../support/admin.ts';
import { Flags } from '../support/flags.ts';
import { personalTokenOf, putUser } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let flags: Flags;
/** Of somebody who may view what is open. */
let viewer: string;
let hidden: string;

beforeAll(async () => {
  service = await startTestService();
  flags = new Flags(service);
  viewer = await personalTokenOf(service, (await putUser(service, 900)).id);
  hidden = await flags.otherProject();
  await prepare(service, (draft) => {
    const project = draft.get('projects', hidden);
    if (project) draft.put('projects', { ...project, mode: 'private' });
  });
});

afterAll(() => service.close());

/** As one reads them who does not know of the project. */
const toldToViewer = async (): Promise<string> =>
  (await accepted(service, 'getEvents', { token: viewer, query: 'limit=100' })).text;

describe('of a private project nobody learns', () => {
  it('the values of its context fields by trying them', async () => {
    const legalValues = [{ value: 'gold' }, { value: 'silver' }];
    await flags.call('createProjectContextField', { projectId: hidden }, { name: 'rank', legalValues });
    const trying = (value: string) => ({ body: { contextName: 'rank', operator: 'IN', values: [value] } });
    await accepted(service, 'validateConstraint', { ...trying('gold'), token: viewer });
    await accepted(service, 'validateConstraint', { ...trying('tin'), token: viewer });
    // Who knows of it is told.
    await refused(service, 'validateConstraint', INVALID, trying('tin'));
    await accepted(service, 'validateConstraint', trying('gold'));
  });

  it('the values of its context fields by strategies and segments of another project, where they rule nothing', async () => {
    const legalValues = [{ value: 'up' }];
    await flags.call('createProjectContextField', { projectId: hidden }, { name: 'direction', legalValues });
    const constraints = [{ contextName: 'direction', operator: 'IN', values: ['sideways'] }];
    const body = { name: 'default', constraints };
    const addTo = async (projectId: string) => {
      const params = { projectId, featureName: await flags.create({}, projectId), environment: 'development' };
      return service.call('addFeatureStrategy', { params, body });
    };
    expect((await addTo('default')).status).toBe(200);
    expect((await addTo(hidden)).status).toBe(400);
    const segment = (name: string, project?: string) => ({ body: { name, constraints, project } });
    await accepted(service, 'createSegment', segment('everywhere'));
    await refused(service, 'createSegment', INVALID, segment('inside', hidden));
  });

  it('the tags of its flags when one is deleted', async () => {
    const tagged = async (value: string, ...projects: string[]) => {
      for (const projectId of projects) {
        const featureName = await flags.create({}, projectId);
        await flags.call('addTag', { featureName }, { type: 'simple', value });
      }
    };
    await tagged('merger', hidden);
    await tagged('summer', hidden, 'default');
    const events = await eventsOf(service, async () => {
      await flags.call('deleteTag', { type: 'simple', value: 'merger' });
      await flags.call('deleteTag', { type: 'simple', value: 'summer' });
    });
    const deleted = events.filter(({ type }) => type === 'tag-deleted');
    expect(deleted.map(({ project, preData }) => [project, preData])).toEqual([
      [hidden, { type: 'simple', value: 'merger' }],
      [null, { type: 'simple', value: 'summer' }],
    ]);
    const told = await toldToViewer();
    expect([told.includes('merger'), told.includes('summer')]).toEqual([false, true]);
  });
});
