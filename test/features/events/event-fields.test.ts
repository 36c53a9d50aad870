import { beforeAll, describe, expect, it } from 'vitest';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const SUMMARY_FIELDS = [
  'createdAt',
  'createdBy',
  'createdByUserId',
  'environment',
  'featureName',
  'id',
  'label',
  'project',
  'reason',
  'revision',
  'summary',
  'type',
];

const service = useService();

beforeAll(async () => {
  const params = { projectId: 'default', featureName: 'a-flag', environment: 'development' };
  await accepted(service, 'createFeature', { params, body: { name: 'a-flag', description: 'y'.repeat(400) } });
  const values = Array.from({ length: 100 }, (_, index) => `value-${index}`);
  const constraints = [{ contextName: 'userId', operator: 'IN', values }];
  await accepted(service, 'addFeatureStrategy', {
    params,
    body: { name: 'default', title: 'The <title>', constraints, parameters: {} },
  });
  await accepted(service, 'toggleFeatureEnvironmentOn', { params });
  await accepted(service, 'createSegment', { body: { name: 'a-segment', constraints } });
  await accepted(service, 'createTagType', { body: { name: 'a-tag-type' } });
  await accepted(service, 'addTag', { params, body: { type: 'simple', value: 'red' } });
});

/** The events in short, and the text of the answer. */
async function short(operationId: string, options: object) {
  const { body, text } = await accepted(service, operationId, options);
  return { events: body.events as readonly object[], text, body };
}

describe('the events of a list with fields=summary', () => {
  it.each([
    ['getEvents', (fields: string) => ({ query: `limit=100&fields=${fields}` })],
    ['getEvents', (fields: string) => ({ query: `project=default&fields=${fields}` })],
    ['searchEventsByQuery', (fields: string) => ({ query: `limit=100&fields=${fields}` })],
    ['searchEventsByQuery', (fields: string) => ({ query: `query=value-7&fields=${fields}` })],
    ['searchEvents', (fields: string) => ({ body: { fields } })],
    ['getEventsForToggle', (fields: string) => ({ params: { featureName: 'a-flag' }, query: `fields=${fields}` })],
  ])('of %s have exactly the small fields, with the same values', async (operationId, options) => {
    const { events: all, body: whole } = await short(operationId, options('all'));
    const { events, body, text } = await short(operationId, options('summary'));
    expect(all.length).toBeGreaterThan(1);
    const expected = all.map((event) =>
      Object.fromEntries(Object.entries(event).filter(([name]) => SUMMARY_FIELDS.includes(name))),
    );
    expect(events).toEqual(expected);
    for (const event of events) expect(Object.keys(event).sort()).toEqual(SUMMARY_FIELDS);
    expect({ ...body, events: null }).toEqual({ ...whole, events: null });
    expect(text).not.toContain('value-7');
  });

  it('name the commit that an undo undid, without the values', async () => {
    const params = { projectId: 'default', featureName: 'undone-flag', environment: 'development' };
    await accepted(service, 'createFeature', { params, body: { name: 'undone-flag' } });
    const values = Array.from({ length: 250 }, (_, index) => `payload-${index}`);
    const constraints = [{ contextName: 'userId', operator: 'IN', values }];
    await accepted(service, 'addFeatureStrategy', { params, body: { name: 'default', constraints } });
    const revision = service.running.services.state.seq;
    await accepted(service, 'undoRevision', { params: { revision } });
    for (const fields of ['all', 'summary']) {
      const { events, text } = await short('searchEventsByQuery', {
        query: `type=IS:feature-change-undone&fields=${fields}`,
      });
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ featureName: 'undone-flag', undoneRevision: revision });
      expect(text.includes('payload-7')).toBe(fields === 'all');
    }
    expect((await short('getEvents', { query: 'fields=summary' })).events.at(-1)).not.toHaveProperty('undoneRevision');
  });

  it('are the whole events without it; another value is refused', async () => {
    const { events } = await short('getEvents', {});
    expect(events).toEqual((await short('getEvents', { query: 'fields=all' })).events);
    expect(events[0]).toHaveProperty('data');
    await refused(service, 'getEvents', INVALID, { query: 'fields=none' });
    await refused(service, 'searchEvents', INVALID, { body: { fields: 'id' } });
  });
});
