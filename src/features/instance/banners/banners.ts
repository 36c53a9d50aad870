import Type from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { created, done, listAnswer, ok } from '../../../http/answer.ts';
import { createdResponses } from '../../../http/endpoint.ts';
import type { StateReader } from '../../../state/collections.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import {
  answeredFields,
  inputSchema,
  optional,
  statedFields,
  withDefaults,
  writtenFields,
} from '../../shared/entity-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { Banner } from './banner.ts';

/** What a banner is if the fields are not sent. */
const UNSENT = {
  enabled: true,
  variant: 'info',
  sticky: false,
  icon: null,
  link: null,
  linkText: null,
  dialogTitle: null,
  dialog: null,
} as const;

const Written = withDefaults(
  writtenFields(
    Banner,
    'message',
    'enabled?',
    'variant?',
    'sticky?',
    'icon?',
    'link?',
    'linkText?',
    'dialogTitle?',
    'dialog?',
  ),
  UNSENT,
);
const Changes = optional(Written);

/** A banner as clients create it. */
export const BannerFields = Written;

const { id } = Banner.properties;

export const createBanner = command({
  name: 'create-banner',
  input: Type.Object(Written),
  decide({ draft, emit, now }, input): Banner | Rejection {
    const problem = linkProblem(input.link);
    if (problem) return problem;
    const fields = { ...UNSENT, ...statedFields(Written, input), message: input.message };
    const banner = statedFields(Banner.properties, { ...fields, createdAt: now, id: draft.next('banners') }) as Banner;
    draft.put('banners', banner);
    emit({ type: 'banner-created', data: banner });
    return banner;
  },
});

/** Changes the fields that the input has. */
export const updateBanner = command({
  name: 'update-banner',
  input: Type.Object({ id, ...Changes }),
  decide(context, { id, ...input }): Banner | Rejection {
    const before = findBanner(context.draft, id);
    if (before instanceof Rejection) return before;
    return linkProblem(input.link) ?? replace(context, before, { ...before, ...statedFields(Changes, input) });
  },
});

const switchBanner = command({
  name: 'switch-banner',
  input: Type.Object({ id, enabled: Type.Boolean() }),
  decide(context, { id, enabled }) {
    const before = findBanner(context.draft, id);
    if (before instanceof Rejection || before.enabled === enabled) return before;
    return replace(context, before, { ...before, enabled });
  },
});

export const deleteBanner = command({
  name: 'delete-banner',
  input: Type.Object({ id }),
  decide({ draft, emit }, { id }) {
    const before = findBanner(draft, id);
    if (before instanceof Rejection) return before;
    draft.remove('banners', String(id));
    emit({ type: 'banner-deleted', preData: before });
    return undefined;
  },
});

export const undoBanner: UndoRule<Banner> = undoOfEdits({
  collection: 'banners',
  shape: Banner,
  needs: { create: ['ADMIN'], update: ['ADMIN'], remove: ['ADMIN'] },
  events: { created: 'banner-created', updated: 'banner-updated' },
  problem: (_context, { link }) => linkProblem(link),
  remove: removalBy(deleteBanner, ({ id }) => ({ id })),
});

function findBanner(reader: StateReader, id: number): Banner | Rejection {
  return reader.get('banners', String(id)) ?? notFound(`There is no banner with the id ${id}.`);
}

function replace({ draft, emit }: CommandContext, before: Banner, after: Banner): Banner {
  draft.put('banners', after);
  emit({ type: 'banner-updated', data: after, preData: before });
  return after;
}

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

const route = routesOf('Banners');
const PATH = '/api/admin/banners';
const params = { id: Type.Integer({ minimum: 1 }) };

const Shown = Type.Object({ ...answeredFields(Banner), id: inputSchema(id) }, { $id: 'banner' });
const asItIsNow = { 200: { description: 'The banner as it is now', schema: Shown } };

/** The default text of a link is `More info`, and the default title of a dialog is the text of the link. */
function present(banner: Banner) {
  const linkText = banner.linkText ?? 'More info';
  return { ...banner, linkText, dialogTitle: banner.dialogTitle ?? linkText };
}

const listBanners = route(`GET ${PATH}`, 'getBanners', {
  access: { permission: 'READ' },
  summary: 'All banners, newest first',
  responses: {
    200: {
      description: 'The banners',
      schema: Type.Object({ version: Type.Integer(), banners: Type.Array(Shown) }, { $id: 'banners' }),
    },
  },
  handle(_request, { state }) {
    const newestFirst = [...state.values('banners')].sort((left, right) => right.id - left.id);
    return listAnswer({ version: 1 }, 'banners', newestFirst, present);
  },
});

const addBanner = route(`POST ${PATH}`, 'createBanner', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a banner',
  body: Type.Object(Written, { $id: 'createBanner' }),
  responses: createdResponses('The banner', Shown, 'Where it can be changed'),
  handle: ({ body, caller }, services) =>
    change(services, caller, createBanner, body, (banner) =>
      created(present(banner), `${services.config.basePath}${PATH}/${banner.id}`),
    ),
});

const changeBanner = route(`PUT ${PATH}/:id`, 'updateBanner', {
  access: { permission: 'ADMIN' },
  summary: 'Changes the specified properties of a banner',
  params,
  body: Type.Object(Changes, { $id: 'updateBanner' }),
  responses: asItIsNow,
  handle: ({ params: { id }, body, caller }, services) =>
    change(services, caller, updateBanner, { ...body, id }, (banner) => ok(present(banner))),
});

const removeBanner = route(`DELETE ${PATH}/:id`, 'deleteBanner', {
  access: { permission: 'ADMIN' },
  summary: 'Deletes a banner',
  params,
  responses: { 200: { description: 'The banner was deleted' } },
  handle: ({ params: { id }, caller }, services) => change(services, caller, deleteBanner, { id }, () => done()),
});

const switchRoute = (enabled: boolean) =>
  route(`POST ${PATH}/:id/${enabled ? 'on' : 'off'}`, enabled ? 'toggleBannerOn' : 'toggleBannerOff', {
    access: { permission: 'ADMIN' },
    summary: enabled ? 'Shows a banner' : 'Hides a banner',
    params,
    responses: asItIsNow,
    handle: ({ params: { id }, caller }, services) =>
      change(services, caller, switchBanner, { id, enabled }, (banner) => ok(present(banner))),
  });

export const bannerEndpoints = [
  listBanners,
  addBanner,
  changeBanner,
  removeBanner,
  switchRoute(true),
  switchRoute(false),
];
