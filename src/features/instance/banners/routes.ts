import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { banners, switchBanner } from './banners.ts';

const switchTo = (enabled: boolean) =>
  endpoint({
    operationId: enabled ? 'toggleBannerOn' : 'toggleBannerOff',
    method: 'post',
    path: `/api/admin/banners/:id/${enabled ? 'on' : 'off'}`,
    tag: 'Banners',
    access: { permission: 'ADMIN' },
    summary: enabled ? 'Shows a banner' : 'Hides a banner',
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    responses: { 200: { description: 'The banner as it is now', schema: banners.answer } },
    errors: [400, 404],
    handle({ params: { id }, caller }, services) {
      return change(services, caller, switchBanner, { id, enabled }, (banner) => ok(banners.present(banner)));
    },
  });

export const bannerEndpoints = [...banners.endpoints, switchTo(true), switchTo(false)];
