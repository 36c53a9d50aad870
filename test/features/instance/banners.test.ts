import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { accepted, eventsOf, FORBIDDEN, refused } from '../../support/admin.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { expectConforms, useService } from '../../support/service.ts';

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
  it('keep every property of the request, and are listed newest first', async () => {
    const properties = {
      message: 'Down at noon',
      enabled: false,
      variant: 'warning',
      sticky: true,
      icon: 'none',
      link: 'dialog',
      linkText: 'Why?',
      dialogTitle: 'Because',
      dialog: '# Repairs',
    };
    const { id } = await create(properties);
    const banners = await list();
    for (const banner of banners) expectConforms(BANNER, banner, 'a banner');
    expect(banners[0]).toMatchObject({ id, ...properties });
    const ids = banners.map((banner: { id: number }) => banner.id);
    expect(ids).toEqual([...ids].sort((left, right) => right - left));
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
