import { describe, expect, it } from 'vitest';
import { accepted, CONFLICT, flag, prepare, refused } from '../../support/admin.ts';
import { useService } from '../../support/service.ts';

const service = useService();

describe('tag types', () => {
  it('contain only `simple` in a new instance', async () => {
    const { body } = await accepted(service, 'getTagTypes');
    expect(body).toMatchObject({ version: 1, tagTypes: [{ name: 'simple' }] });
  });

  it('are shown as they would be created', async () => {
    const { body } = await accepted(service, 'validateTagType', { body: { name: 'free' } });
    expect(body).toEqual({ valid: true, tagType: { name: 'free', description: null, icon: null, color: null } });
  });

  it('are deleted only when no flag has a tag of the type, archived flags included', async () => {
    const params = { name: 'team' };
    await accepted(service, 'createTagType', { body: params });
    const tags = [
      { type: 'team', value: 'checkout' },
      { type: 'team', value: 'search' },
    ];
    await prepare(service, (draft) => draft.put('features', flag('tagged', { tags, archived: true })));
    const { body } = await refused(service, 'deleteTagType', CONFLICT, { params });
    expect(body.message).toContain('tagged');
    await prepare(service, (draft) => draft.put('features', flag('tagged')));
    await accepted(service, 'deleteTagType', { params });
  });
});
