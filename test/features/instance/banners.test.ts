import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { accepted, eventsOf, FORBIDDEN, INVALID, MISSING, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, startTestService, useService } from '../../support/service.ts';

const text = Type.Union([Type.String(), Type.Null()]);

/** Written from the contract. */
const BANNER = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    message: Type.String(),
    enabled: Type.Boolean(),
    variant: Type.Enum(['info', 'warning', 'error', 'success']),
    sticky: Type.Boolean(),
    icon: text,
    link: text,
    linkText: text,
    dialogTitle: text,
    dialog: text,
    createdAt: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);

const service = useService();

const create = async (body: Record<string, unknown> = { message: 'Hello' }) =>
  (await accepted(service, 'createBanner', { body })).body;
const list = async (token?: string) =>
  (await accepted(service, 'getBanners', token === undefined ? {} : { token })).body.banners;

describe('banners', () => {
  it('are created with defaults and a Location header', async () => {
    const [event] = await eventsOf(service, async () => {
      const answer = await accepted(service, 'createBanner', { body: { message: '**Hello**' } });
      expect(answer.status).toBe(201);
      expectConforms(BANNER, answer.body, 'the banner');
      expect(answer.headers.get('location')).toBe(`/api/admin/banners/${answer.body.id}`);
      expect(answer.body).toMatchObject({ enabled: true, variant: 'info', sticky: false, icon: null, link: null });
      expect(answer.body).toMatchObject({ linkText: 'More info', dialogTitle: 'More info', dialog: null });
    });
    expect(event).toMatchObject({ type: 'banner-created', data: { message: '**Hello**' }, preData: null });
  });

  it('keep every property of the request, and are listed newest first', async () => {
    const properties = {
      ...{ message: 'Down at noon', enabled: false, variant: 'warning', sticky: true, icon: 'none' },
      ...{ link: 'dialog', linkText: 'Why?', dialogTitle: 'Because', dialog: '# Repairs' },
    };
    const { id } = await create(properties);
    const banners = await list();
    for (const banner of banners) expectConforms(BANNER, banner, 'a banner');
    expect(banners[0]).toMatchObject({ id, ...properties });
    const ids = banners.map((banner: { id: number }) => banner.id);
    expect(ids).toEqual([...ids].sort((left, right) => right - left));
  });

  it('never get the id of one that was deleted', async () => {
    const { id } = await create();
    const [event] = await eventsOf(service, () => accepted(service, 'deleteBanner', { params: { id } }));
    expect(event).toMatchObject({ type: 'banner-deleted', data: null, preData: { id } });
    expect((await list()).map((banner: { id: number }) => banner.id)).not.toContain(id);
    expect((await create()).id).toBeGreaterThan(id);
    await refused(service, 'deleteBanner', MISSING, { params: { id } });
  });

  it('change the properties in the request and keep the others', async () => {
    const { id } = await create({ message: 'Before', link: 'https://example.com/why' });
    const [event] = await eventsOf(service, async () => {
      const { body } = await accepted(service, 'updateBanner', {
        params: { id },
        body: { message: 'After', sticky: true },
      });
      expectConforms(BANNER, body, 'the banner');
      expect(body).toMatchObject({ id, message: 'After', sticky: true, link: 'https://example.com/why' });
    });
    expect(event).toMatchObject({ type: 'banner-updated', data: { message: 'After' }, preData: { message: 'Before' } });
  });

  it('are switched off and on', async () => {
    const { id } = await create();
    const off = await eventsOf(service, async () => {
      const { body } = await accepted(service, 'toggleBannerOff', { params: { id } });
      expectConforms(BANNER, body, 'the banner');
      expect(body).toMatchObject({ id, enabled: false });
      // Again: nothing happens.
      await accepted(service, 'toggleBannerOff', { params: { id } });
    });
    expect(off.map(({ type }) => type)).toEqual(['banner-updated']);
    expect((await accepted(service, 'toggleBannerOn', { params: { id } })).body.enabled).toBe(true);
    for (const operation of ['toggleBannerOn', 'toggleBannerOff'])
      await refused(service, operation, MISSING, { params: { id: 9_999 } });
  });

  it.each([
    ['no message', {}],
    ['an empty message', { message: '' }],
    ['a message that is too long', { message: 'x'.repeat(10_001) }],
    ['an unknown variant', { message: 'x', variant: 'loud' }],
    ['a number for a boolean', { message: 'x', enabled: 3 }],
    ['a link that runs something', { message: 'x', link: 'javascript:alert(1)' }],
    ['a link whose scheme is hidden', { message: 'x', link: 'java\tscript:alert(1)' }],
    ['a link with data in it', { message: 'x', link: 'data:text/html,<script>' }],
    ['a link that is too long', { message: 'x', link: `/${'x'.repeat(2_000)}` }],
  ])('are not created with %s', async (_what, body) => {
    await refused(service, 'createBanner', INVALID, { body });
  });

  it('that do not exist are 404', async () => {
    await refused(service, 'updateBanner', MISSING, { params: { id: 9_999 }, body: { message: 'x' } });
    await refused(service, 'deleteBanner', MISSING, { params: { id: 9_999 } });
  });

  it('can be read by every signed-in user, and written by admins only', async () => {
    await putUser(service, 71);
    const token = await personalTokenOf(service, 71);
    expect((await list(token)).length).toBeGreaterThan(0);
    const { id } = await create();
    await refused(service, 'createBanner', FORBIDDEN, { token, body: { message: 'x' } });
    await refused(service, 'updateBanner', FORBIDDEN, { token, params: { id }, body: { message: 'x' } });
    for (const operation of ['toggleBannerOn', 'toggleBannerOff', 'deleteBanner'])
      await refused(service, operation, FORBIDDEN, { token, params: { id } });
  });
});

describe('the number of banners', () => {
  it('is bounded', async () => {
    const small = await startTestService({ env: { BANNERS_LIMIT: '2' } });
    try {
      for (const message of ['one', 'two']) await accepted(small, 'createBanner', { body: { message } });
      const { body } = await refused(small, 'createBanner', INVALID, { body: { message: 'three' } });
      expect(body.message).toContain('BANNERS_LIMIT');
    } finally {
      await small.close();
    }
  });
});
