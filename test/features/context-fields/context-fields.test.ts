import { describe, expect, it } from 'vitest';
import { accepted, eventsOf, INVALID, MISSING, refused } from '../../support/admin.ts';
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

  it('can have single legal values added, changed and deleted', async () => {
    await create({ name: 'region', legalValues: [{ value: 'eu' }] });
    const params = { contextField: 'region' };
    const put = (body: Record<string, unknown>) => accepted(service, 'updateContextFieldLegalValue', { params, body });
    await put({ value: 'us/east', description: 'East' });
    await put({ value: 'us/east', description: 'The east', more: true });
    expect((await read('region')).legalValues).toEqual([
      { value: 'eu' },
      { value: 'us/east', description: 'The east' },
    ]);
    await refused(service, 'updateContextFieldLegalValue', INVALID, { params, body: { value: {} } });
    const remove = { params: { ...params, legalValue: 'us/east' } };
    await accepted(service, 'deleteContextFieldLegalValue', remove);
    expect((await read('region')).legalValues).toEqual([{ value: 'eu' }]);
    await refused(service, 'deleteContextFieldLegalValue', MISSING, remove);
    const missing = { contextField: 'nowhere', legalValue: 'x' };
    await refused(service, 'updateContextFieldLegalValue', MISSING, { params: missing, body: { value: 'x' } });
    await refused(service, 'deleteContextFieldLegalValue', MISSING, { params: missing });
  });

  it('can be deleted, and constraints that use them stay', async () => {
    const constraint = { contextName: 'region', operator: 'IN', values: ['eu'] };
    await accepted(service, 'createSegment', { body: { name: 'europe', constraints: [constraint] } });
    const params = { contextField: 'region' };
    await accepted(service, 'deleteContextField', { params });
    const { body } = await accepted(service, 'getSegments');
    expect(body.segments).toMatchObject([{ name: 'europe', constraints: [constraint] }]);
  });
});
