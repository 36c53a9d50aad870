import Type, { type Static } from 'typebox';
import { invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { BANNER_VARIANTS, type Banner } from '../../../model/banner.ts';
import { LIMITS } from '../../../model/limits.ts';
import { Nullable, Text } from '../../../model/primitives.ts';
import type { StateReader } from '../../../state/collections.ts';
import { given } from '../../shared/given.ts';

const title = (description: string) =>
  Type.Optional(Nullable(Type.String({ maxLength: LIMITS.titleLength.max, description })));

const optional = {
  enabled: Type.Optional(Type.Boolean({ default: true })),
  variant: Type.Optional(Type.Enum([...BANNER_VARIANTS], { default: 'info' })),
  sticky: Type.Optional(Type.Boolean({ default: false })),
  icon: Type.Optional(
    Nullable(
      Type.String({ maxLength: 100, description: 'Name of an icon; `none`: no icon; null: that of the variant' }),
    ),
  ),
  link: Type.Optional(
    Nullable(
      Type.String({ maxLength: 2_000, description: 'An absolute or relative link, or `dialog` to open a dialog' }),
    ),
  ),
  linkText: title('`More info` when it is not given'),
  dialogTitle: title('The text of the link when it is not given'),
  dialog: Type.Optional(Nullable(Text)),
};

const Message = Type.String({ minLength: 1, maxLength: LIMITS.textLength.max, description: 'Markdown' });

export const NewBannerFields = { message: Message, ...optional };
export const BannerChanges = { message: Type.Optional(Message), ...optional };
type BannerChanges = Static<Type.TObject<typeof BannerChanges>>;

export const BannerId = Type.Integer({ minimum: 1 });

export const createBanner = command({
  name: 'create-banner',
  input: Type.Object(NewBannerFields),
  decide({ draft, now, emit }, { message, ...rest }) {
    const problem = linkProblem(rest.link);
    if (problem) return problem;
    const banner: Banner = {
      id: draft.next('banners'),
      message,
      enabled: rest.enabled ?? true,
      variant: rest.variant ?? 'info',
      sticky: rest.sticky ?? false,
      icon: rest.icon ?? null,
      link: rest.link ?? null,
      linkText: rest.linkText ?? null,
      dialogTitle: rest.dialogTitle ?? null,
      dialog: rest.dialog ?? null,
      createdAt: now,
    };
    draft.put('banners', banner);
    emit({ type: 'banner-created', data: banner });
    return banner;
  },
});

/** Changes the given properties and no others. */
export const updateBanner = command({
  name: 'update-banner',
  input: Type.Object({ id: BannerId, ...BannerChanges }),
  decide(context, { id, ...rest }) {
    const before = findBanner(context.draft, id);
    return before instanceof Rejection ? before : change(context, before, given(BannerChanges, rest));
  },
});

export const switchBanner = command({
  name: 'switch-banner',
  input: Type.Object({ id: BannerId, enabled: Type.Boolean() }),
  decide(context, { id, enabled }) {
    const before = findBanner(context.draft, id);
    return before instanceof Rejection || before.enabled === enabled ? before : change(context, before, { enabled });
  },
});

export const deleteBanner = command({
  name: 'delete-banner',
  input: Type.Object({ id: BannerId }),
  decide({ draft, emit }, { id }) {
    const banner = findBanner(draft, id);
    if (banner instanceof Rejection) return banner;
    draft.remove('banners', String(id));
    emit({ type: 'banner-deleted', preData: banner });
    return undefined;
  },
});

function change({ draft, emit }: CommandContext, before: Banner, changes: BannerChanges): Banner | Rejection {
  const problem = linkProblem(changes.link);
  if (problem) return problem;
  const after: Banner = { ...before, ...(changes as Partial<Banner>) };
  draft.put('banners', after);
  emit({ type: 'banner-updated', data: after, preData: before });
  return after;
}

function findBanner(reader: StateReader, id: number): Banner | Rejection {
  return reader.get('banners', String(id)) ?? notFound(`There is no banner with the id ${id}.`);
}

/** Pages show it to everybody: what a browser would run, or read as another address than people see, is no link. */
export function linkProblem(link: string | null | undefined): Rejection | undefined {
  if (link === null || link === undefined) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop these, and may find a scheme behind them
  const isPlain = !/[\u0000-\u0020\u007f]/.test(link);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(link)?.[1]?.toLowerCase();
  if (isPlain && (scheme === undefined || ['http', 'https', 'mailto'].includes(scheme))) return undefined;
  return invalid('A link is an address of http, https or mailto, a relative address, or `dialog`.', '/link');
}
