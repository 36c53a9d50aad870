import { describe, expect, it } from 'vitest';
import { accepted, CONFLICT, eventsOf, flag, INVALID, MISSING, prepare, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

const create = (body: Record<string, unknown>) => accepted(service, 'createTagType', { body });
const read = async (name: string) => (await accepted(service, 'getTagType', { params: { name } })).body;

describe('tag types', () => {
  it('contain only `simple` in a new instance', async () => {
    const { body } = await accepted(service, 'getTagTypes');
    expect(body).toMatchObject({ version: 1, tagTypes: [{ name: 'simple' }] });
  });

  it('are created, with their location in the answer', async () => {
    const [event] = await eventsOf(service, async () => {
      const answer = await create({ name: 'team', description: 'Who owns it', color: '#00ff00' });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe('/api/admin/tag-types/team');
      expect(answer.body).toEqual({ name: 'team', description: 'Who owns it', icon: null, color: '#00ff00' });
    });
    expect(event).toMatchObject({ type: 'tag-type-created', data: { name: 'team' }, preData: null });
    expect(await read('team')).toMatchObject({ version: 1, tagType: { name: 'team' } });
  });

  it('accept names that are special in JavaScript', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      await create({ name });
      expect(await read(name)).toMatchObject({ tagType: { name } });
    }
  });

  it('have unique names', async () => {
    await refused(service, 'createTagType', CONFLICT, { body: { name: 'simple' } });
    await refused(service, 'validateTagType', CONFLICT, { body: { name: 'simple' } });
    const { body } = await accepted(service, 'validateTagType', { body: { name: 'free' } });
    expect(body).toEqual({ valid: true, tagType: { name: 'free', description: null, icon: null, color: null } });
  });

  it.each([
    ['no name', {}],
    ['a name of one character', { name: 'x' }],
    ['a name with a colon', { name: 'a:b' }],
    ['a name that is too long', { name: 'x'.repeat(51) }],
    ['an invalid color', { name: 'xx', color: 'green' }],
    ['a description that is not a string', { name: 'xx', description: {} }],
  ])('are not created with %s', async (_what, body) => {
    await refused(service, 'createTagType', INVALID, { body });
    await refused(service, 'validateTagType', INVALID, { body });
  });

  it('return 404 when they do not exist', async () => {
    const params = { name: 'nowhere' };
    await refused(service, 'getTagType', MISSING, { params });
    await refused(service, 'updateTagType', MISSING, { params, body: {} });
    await refused(service, 'deleteTagType', MISSING, { params });
  });

  it('change the specified properties and keep the others', async () => {
    const params = { name: 'team' };
    const [event] = await eventsOf(service, () =>
      accepted(service, 'updateTagType', { params, body: { icon: 'T', name: 'other' } }),
    );
    expect(await read('team')).toEqual({
      version: 1,
      tagType: { name: 'team', description: 'Who owns it', icon: 'T', color: '#00ff00' },
    });
    expect(event).toMatchObject({ type: 'tag-type-updated', data: { icon: 'T' }, preData: { icon: null } });
    await refused(service, 'updateTagType', INVALID, { params, body: { color: 7 } });
  });

  it('are deleted only when no flag has a tag of the type, archived flags included', async () => {
    const params = { name: 'team' };
    const tags = [
      { type: 'team', value: 'checkout' },
      { type: 'team', value: 'search' },
    ];
    await prepare(service, (draft) => draft.put('features', flag('tagged', { tags, archived: true })));
    const { body } = await refused(service, 'deleteTagType', CONFLICT, { params });
    expect(body.message).toContain('tagged');
    await prepare(service, (draft) => draft.put('features', flag('tagged')));
    const [event] = await eventsOf(service, () => accepted(service, 'deleteTagType', { params }));
    expect(event).toMatchObject({ type: 'tag-type-deleted', data: null, preData: { name: 'team' } });
    await refused(service, 'getTagType', MISSING, { params });
  });
});
