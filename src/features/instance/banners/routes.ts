import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { banners, switchBanner } from './banners.ts';

const route = routesOf('Banners');

const switchTo = (enabled: boolean) =>
  route(`POST /api/admin/banners/:id/${enabled ? 'on' : 'off'}`, enabled ? 'toggleBannerOn' : 'toggleBannerOff', {
    access: { permission: 'ADMIN' },
    summary: enabled ? 'Shows a banner' : 'Hides a banner',
    params: { id: Type.Integer({ minimum: 1 }) },
    responses: { 200: { description: 'The banner as it is now', schema: banners.answer } },
    handle: ({ params: { id }, caller }, services) =>
      change(services, caller, switchBanner, { id, enabled }, (banner) => ok(banners.present(banner))),
  });

export const bannerEndpoints = [...banners.endpoints, switchTo(true), switchTo(false)];
