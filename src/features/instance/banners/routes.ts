import Type from 'typebox';
import { created, ok } from '../../../http/answer.ts';
import { BANNER_VARIANTS, type Banner } from '../../../model/banner.ts';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import {
  BannerChanges,
  BannerId,
  createBanner,
  deleteBanner,
  NewBannerFields,
  switchBanner,
  updateBanner,
} from './commands.ts';

const text = (description: string) => Nullable(Type.String({ description }));

/** Contract: Banner. */
const BannerSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'A newer banner has a higher one' }),
    message: Type.String({ description: 'Markdown' }),
    enabled: Type.Boolean(),
    variant: Type.Enum([...BANNER_VARIANTS]),
    sticky: Type.Boolean({ description: 'Whether it stays in sight' }),
    icon: text('Name of an icon; `none`: no icon; null: that of the variant'),
    link: text('An absolute or relative link, or `dialog` to open a dialog; null: none'),
    linkText: text('What the link says'),
    dialogTitle: text('What stands above the dialog'),
    dialog: text('Markdown; null: there is no dialog'),
    createdAt: DateTime,
  },
  { $id: 'banner' },
);

const BannerParams = Type.Object({ id: BannerId });

/** What is left open is told as it is shown: a link says `More info`, and a dialog's title is what the link says. */
function presentBanner(banner: Banner) {
  const linkText = banner.linkText ?? 'More info';
  return { ...banner, linkText, dialogTitle: banner.dialogTitle ?? linkText };
}

const FACTS = { tag: 'Banners', access: { permission: 'ADMIN' } } as const;

const listBanners = endpoint({
  operationId: 'getBanners',
  method: 'get',
  path: '/api/admin/banners',
  tag: 'Banners',
  access: { permission: 'READ' },
  summary: 'Every banner, the newest first',
  responses: {
    200: {
      description: 'The banners',
      schema: Type.Object({ version: Type.Integer(), banners: Type.Array(BannerSchema) }, { $id: 'banners' }),
    },
  },
  errors: [],
  handle(_request, { state }) {
    const banners = [...state.values('banners')].sort((left, right) => right.id - left.id);
    return ok({ version: 1, banners: banners.map(presentBanner) });
  },
});

const addBanner = endpoint({
  ...FACTS,
  operationId: 'createBanner',
  method: 'post',
  path: '/api/admin/banners',
  summary: 'Creates a banner',
  body: Type.Object(NewBannerFields, { $id: 'createBanner' }),
  responses: {
    201: { description: 'The banner', schema: BannerSchema, headers: { location: 'Where it can be changed' } },
  },
  errors: [400],
  handle({ body, caller }, services) {
    return change(services, caller, createBanner, body, (banner) =>
      created(presentBanner(banner), `${services.config.basePath}/api/admin/banners/${banner.id}`),
    );
  },
});

const changeBanner = endpoint({
  ...FACTS,
  operationId: 'updateBanner',
  method: 'put',
  path: '/api/admin/banners/:id',
  summary: 'Changes the given properties of a banner',
  params: BannerParams,
  body: Type.Object(BannerChanges, { $id: 'updateBanner' }),
  responses: { 200: { description: 'The banner as it is now', schema: BannerSchema } },
  errors: [400, 404],
  handle({ params: { id }, body, caller }, services) {
    return change(services, caller, updateBanner, { ...body, id }, (banner) => ok(presentBanner(banner)));
  },
});

const removeBanner = endpoint({
  ...FACTS,
  operationId: 'deleteBanner',
  method: 'delete',
  path: '/api/admin/banners/:id',
  summary: 'Deletes a banner',
  params: BannerParams,
  responses: { 200: { description: 'It is gone' } },
  errors: [400, 404],
  handle: ({ params: { id }, caller }, services) => change(services, caller, deleteBanner, { id }),
});

const switchTo = (enabled: boolean) =>
  endpoint({
    ...FACTS,
    operationId: enabled ? 'toggleBannerOn' : 'toggleBannerOff',
    method: 'post',
    path: `/api/admin/banners/:id/${enabled ? 'on' : 'off'}`,
    summary: enabled ? 'Shows a banner' : 'Hides a banner',
    params: BannerParams,
    responses: { 200: { description: 'The banner as it is now', schema: BannerSchema } },
    errors: [400, 404],
    handle({ params: { id }, caller }, services) {
      return change(services, caller, switchBanner, { id, enabled }, (banner) => ok(presentBanner(banner)));
    },
  });

export const bannerEndpoints = [listBanners, addBanner, changeBanner, removeBanner, switchTo(true), switchTo(false)];
