import type { components } from '../../api/schema.d.ts';
import { api, read, stated, write } from '../../data/client.ts';
import { ifSame } from '../../data/if-same.ts';
import { safeHref } from '../../kit/texts/Markdown.tsx';
import type { ShownBanner } from '../../page/BannerNotice.tsx';
import { banners as words } from '../../words/en/admin/banners.ts';
import { parts } from '../../words/en/parts.ts';

export type Banner = components['schemas']['banner'];

export interface BannerValues {
  readonly message: string;
  readonly variant: Banner['variant'];
  readonly sticky: boolean;
  readonly enabled: boolean;
  readonly more: 'none' | 'link' | 'dialog';
  readonly link: string;
  readonly linkText: string;
  readonly dialogTitle: string;
  readonly dialog: string;
}

export const EMPTY: BannerValues = {
  message: '',
  variant: 'info',
  sticky: false,
  enabled: true,
  more: 'none',
  link: '',
  linkText: '',
  dialogTitle: '',
  dialog: '',
};

export const valuesOf = (banner: Banner): BannerValues => {
  const { message, variant, sticky, enabled, link, linkText, dialogTitle, dialog } = banner;
  return {
    message,
    variant,
    sticky,
    enabled,
    more: link === null ? 'none' : link === 'dialog' ? 'dialog' : 'link',
    link: link === null || link === 'dialog' ? '' : link,
    linkText: linkText ?? '',
    dialogTitle: dialogTitle ?? '',
    dialog: dialog ?? '',
  };
};

/** What the form says, as the API has it. Texts of a kind that is not chosen are not kept. */
export function shownOf({ message, variant, sticky, more, ...texts }: BannerValues): ShownBanner {
  const isDialog = more === 'dialog';
  const text = (value: string) => value.trim() || null;
  return {
    message,
    variant,
    sticky,
    link: isDialog ? 'dialog' : more === 'link' ? text(texts.link) : null,
    linkText: more === 'none' ? null : text(texts.linkText),
    dialogTitle: isDialog ? text(texts.dialogTitle) : null,
    dialog: isDialog ? text(texts.dialog) : null,
  };
}

export function problemOf({ message, more, link, dialog }: BannerValues): string | undefined {
  if (message.trim() === '') return parts.fieldMissing(words.message);
  if (more === 'link' && link.trim() === '') return parts.fieldMissing(words.link);
  if (more === 'link' && !safeHref(link.trim())) return words.linkWrong;
  return more === 'dialog' && dialog.trim() === '' ? parts.fieldMissing(words.dialog) : undefined;
}

const bodyOf = (values: BannerValues) => ({ ...shownOf(values), enabled: values.enabled });

export const createBanner = (values: BannerValues) => write(api.POST('/api/admin/banners', { body: bodyOf(values) }));

/** On condition that the banner is as it was when `base` was read. */
export function saveBanner(id: number, base: BannerValues, values: BannerValues, reason: string) {
  const readNow = async () => {
    const { banners } = await read(api.GET('/api/admin/banners', { cache: 'no-store' }));
    const now = banners.find((banner) => banner.id === id);
    return now ? valuesOf(now) : null;
  };
  const params = { path: { id } };
  return ifSame<BannerValues | null, Banner>(readNow, base, () =>
    write(api.PUT('/api/admin/banners/{id}', { params, headers: stated({ reason }), body: bodyOf(values) })),
  );
}
