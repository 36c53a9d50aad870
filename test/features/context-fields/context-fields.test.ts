import { describe, expect, it } from 'vitest';
import { accepted, CONFLICT, eventsOf, INVALID, MISSING, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const create = (body: Record<string, unknown>) => accepted(service, 'createContextField', { body });
const read = async (contextField: string) =>
  (await accepted(service, 'getContextField', { params: { contextField } })).body;

describe('context fields', () => {
  it('of a fresh instance are those that SDKs fill in, in order', async () => {
    const { body } = await accepted(service, 'getContextFields');
    const names = body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['environment', 'userId', 'appName', 'currentTime', 'sessionId']);
  });

  it('are created with their legal values', async () => {
    const legalValues = [{ value: 'gold', description: 'Pays' }, { value: 'silver' }];
    const [event] = await eventsOf(service, async () => {
      const answer = await create({ name: 'tier', description: 'Plan', stickiness: true, legalValues });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe('/api/admin/context/tier');
      expect(answer.body).toMatchObject({ name: 'tier', description: 'Plan', stickiness: true, legalValues });
    });
    expect(event).toMatchObject({ type: 'context-field-created', data: { name: 'tier', legalValues }, preData: null });
    expect(await read('tier')).toMatchObject({ legalValues });
  });

  it('are of one project when the request names it', async () => {
    await accepted(service, 'createProject', { body: { id: 'shop', name: 'Shop' } });
    const [event] = await eventsOf(service, async () => {
      expect((await create({ name: 'of-shop', project: 'shop' })).body.project).toBe('shop');
    });
    expect(event).toMatchObject({ type: 'context-field-created', project: 'shop' });
    const params = { projectId: 'shop', contextField: 'of-shop' };
    expect((await accepted(service, 'getProjectContextField', { params })).body.name).toBe('of-shop');
    await refused(service, 'createContextField', MISSING, { body: { name: 'never', project: 'nowhere' } });
    expect((await create({ name: 'of-all', project: null })).body.project).toBeNull();
  });

  it('accept names of JavaScript object members', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await create({ name });
      expect(await read(name)).toMatchObject({ name, stickiness: false, legalValues: [], description: null });
    }
  });

  it('have unique names', async () => {
    await refused(service, 'createContextField', CONFLICT, { body: { name: 'userId' } });
    await refused(service, 'validateContextFieldName', CONFLICT, { body: { name: 'userId' } });
    await refused(service, 'validateContextFieldName', INVALID, { body: { name: 'user id' } });
    await accepted(service, 'validateContextFieldName', { body: { name: 'free' } });
  });

  it.each([
    ['no name', {}],
    ['a name with a blank', { name: 'user id' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['legal values that are no list', { name: 'x', legalValues: 'gold' }],
    ['a legal value without a value', { name: 'x', legalValues: [{ description: 'gold' }] }],
    ['an empty legal value', { name: 'x', legalValues: [{ value: '' }] }],
    ['a legal value twice', { name: 'x', legalValues: [{ value: 'a' }, { value: 'a' }] }],
    ['an invalid sort order', { name: 'x', sortOrder: 'first' }],
  ])('are not created with %s', async (_what, body) => {
    await refused(service, 'createContextField', INVALID, { body });
  });

  it('that do not exist are 404', async () => {
    const params = { contextField: 'nowhere', legalValue: 'x' };
    await refused(service, 'getContextField', MISSING, { params });
    await refused(service, 'updateContextField', MISSING, { params, body: {} });
    await refused(service, 'deleteContextField', MISSING, { params });
    await refused(service, 'updateContextFieldLegalValue', MISSING, { params, body: { value: 'x' } });
    await refused(service, 'deleteContextFieldLegalValue', MISSING, { params });
  });

  it('change the properties in the request and keep the others', async () => {
    await create({ name: 'region', description: 'Before', sortOrder: 7, legalValues: [{ value: 'eu' }] });
    const [event] = await eventsOf(service, () =>
      accepted(service, 'updateContextField', {
        params: { contextField: 'region' },
        body: { description: null, stickiness: true, name: 'other' },
      }),
    );
    expect(await read('region')).toMatchObject({
      name: 'region',
      description: null,
      stickiness: true,
      sortOrder: 7,
      legalValues: [{ value: 'eu' }],
    });
    expect(event).toMatchObject({
      type: 'context-field-updated',
      data: { stickiness: true },
      preData: { stickiness: false, description: 'Before' },
    });
    await refused(service, 'updateContextField', INVALID, {
      params: { contextField: 'region' },
      body: { legalValues: [{ value: 'eu' }, { value: 'eu' }] },
    });
  });

  it('can have single legal values added, changed and deleted', async () => {
    const params = { contextField: 'region' };
    const put = (body: Record<string, unknown>) => accepted(service, 'updateContextFieldLegalValue', { params, body });
    await put({ value: 'us/east', description: 'East' });
    await put({ value: 'us/east', description: 'The east', more: true });
    expect((await read('region')).legalValues).toEqual([
      { value: 'eu' },
      { value: 'us/east', description: 'The east' },
    ]);
    await refused(service, 'updateContextFieldLegalValue', INVALID, { params, body: { value: 7 } });
    const remove = { params: { ...params, legalValue: 'us/east' } };
    await accepted(service, 'deleteContextFieldLegalValue', remove);
    expect((await read('region')).legalValues).toEqual([{ value: 'eu' }]);
    await refused(service, 'deleteContextFieldLegalValue', MISSING, remove);
  });

  it('can be deleted, and constraints that use them stay', async () => {
    const constraint = { contextName: 'region', operator: 'IN', values: ['eu'] };
    await accepted(service, 'createSegment', { body: { name: 'europe', constraints: [constraint] } });
    const params = { contextField: 'region' };
    const [event] = await eventsOf(service, () => accepted(service, 'deleteContextField', { params }));
    expect(event).toMatchObject({ type: 'context-field-deleted', data: null, preData: { name: 'region' } });
    await refused(service, 'getContextField', MISSING, { params });
    const { body } = await accepted(service, 'getSegments');
    expect(body.segments).toMatchObject([{ name: 'europe', constraints: [constraint] }]);
  });
});
