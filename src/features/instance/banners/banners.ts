import Type from 'typebox';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { command } from '../../../engine/command.ts';
import { ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { resource } from '../../shared/resource.ts';
import type { UndoRule } from '../../shared/undoing.ts';
import { Banner } from './banner.ts';

export const banners = resource({
  collection: 'banners',
  noun: 'banner',
  event: 'banner',
  tag: 'Banners',
  path: '/api/admin/banners',
  key: 'id',
  entity: Banner,
  defaults: {
    ...{ enabled: true, variant: 'info', sticky: false },
    ...{ icon: null, link: null, linkText: null, dialogTitle: null, dialog: null },
  },
  setByService: { createdAt: ({ now }) => now },
  check: ({ link }) => linkProblem(link),
  /** The default text of a link is `More info`, and the default title of a dialog is the text of the link. */
  present(banner) {
    const linkText = banner.linkText ?? 'More info';
    return { ...banner, linkText, dialogTitle: banner.dialogTitle ?? linkText };
  },
  operations: {
    list: {
      ...{ permission: 'READ', summary: 'All banners, newest first' },
      ...{ as: 'banners', version: true, $id: 'banners' },
      order: (left, right) => right.id - left.id,
    },
    create: { permission: 'ADMIN', summary: 'Creates a banner', location: 'Where it can be changed' },
    update: {
      ...{ permission: 'ADMIN', summary: 'Changes the specified properties of a banner' },
      ...{ answersEntity: true, description: 'The banner as it is now' },
    },
    remove: { permission: 'ADMIN', summary: 'Deletes a banner' },
  },
});

export const { create: createBanner, update: updateBanner, remove: deleteBanner } = banners;

/**
 * The reason why pages must not show the link; undefined if they may. Pages show the link to every user, so it must not be a script, and must not
 * lead to another address than the one that the user sees.
 */
export function linkProblem(link: string | null | undefined): Rejection | undefined {
  if (link === null || link === undefined) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore these characters, so a scheme after them would count
  const isPlain = !/[\u0000-\u0020\u007f]/.test(link);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (isPlain && (scheme === undefined || ['http', 'https', 'mailto'].includes(scheme))) return undefined;
  return invalid('A link must be an address of http, https or mailto, a relative address, or `dialog`.', '/link');
}

const { id: BannerId } = Banner.properties;

const switchBanner = command({
  name: 'switch-banner',
  input: Type.Object({ id: BannerId, enabled: Type.Boolean() }),
  decide(context, { id, enabled }) {
    const before = banners.find(context.draft, id);
    if (before instanceof Rejection || before.enabled === enabled) return before;
    return banners.replace(context, before, { ...before, enabled });
  },
});

const route = routesOf('Banners');

const switchRoute = (enabled: boolean) =>
  route(`POST /api/admin/banners/:id/${enabled ? 'on' : 'off'}`, enabled ? 'toggleBannerOn' : 'toggleBannerOff', {
    access: { permission: 'ADMIN' },
    summary: enabled ? 'Shows a banner' : 'Hides a banner',
    params: { id: Type.Integer({ minimum: 1 }) },
    responses: { 200: { description: 'The banner as it is now', schema: banners.answer } },
    handle: ({ params: { id }, caller }, services) =>
      change(services, caller, switchBanner, { id, enabled }, (banner) => ok(banners.present(banner))),
  });

export const bannerEndpoints = [...banners.endpoints, switchRoute(true), switchRoute(false)];

export const undoBanner: UndoRule<Banner> = banners.undo;
