import type { components } from '../../api/schema.d.ts';
import { safeHref } from '../../kit/texts/Markdown.tsx';
import type { ShownBanner } from '../../page/BannerNotice.tsx';
import { area, check, choice, type FieldOf, segmented, text, type ValuesOf } from '../../parts/fields.tsx';
import { banners as words } from '../../words/en/admin/banners.ts';

export type Banner = components['schemas']['banner'];

const linkText = (label: string) => text(label, { max: 500, hint: words.linkTextHint });
/** The button of a dialog has its text in the same field. */
const textOfMore: FieldOf<string> = {
  ...linkText(words.linkText),
  when: ({ more }) => more !== 'none',
  show: (shown) => linkText(shown.values.more === 'link' ? words.linkText : words.buttonText).show(shown),
};
const isDialog = ({ more }: { readonly more?: unknown }) => more === 'dialog';

export const fields = {
  message: area(words.message, { max: 10_000, hint: words.messageHint, isRequired: true, takesFocus: true }),
  variant: choice<Banner['variant']>(words.kind, words.kinds, 'info'),
  more: segmented<'none' | 'link' | 'dialog'>(words.more, words.mores, 'none'),
  link: text(words.link, {
    max: 2000,
    mono: true,
    isRequired: true,
    hint: words.linkHint,
    when: ({ more }) => more === 'link',
    problem: (link) => (safeHref(link.trim()) ? undefined : words.linkWrong),
  }),
  linkText: textOfMore,
  dialogTitle: text(words.dialogTitle, { max: 500, hint: words.dialogTitleHint, when: isDialog }),
  dialog: area(words.dialog, { max: 10_000, rows: 4, hint: words.dialogHint, isRequired: true, when: isDialog }),
  sticky: check(words.sticky, false, words.stickyHint),
  enabled: check(words.enabled, true),
};
export type BannerValues = ValuesOf<typeof fields>;

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
  const text = (value: string) => value.trim() || null;
  return {
    message,
    variant,
    sticky,
    link: more === 'dialog' ? 'dialog' : more === 'link' ? text(texts.link) : null,
    linkText: more === 'none' ? null : text(texts.linkText),
    dialogTitle: more === 'dialog' ? text(texts.dialogTitle) : null,
    dialog: more === 'dialog' ? text(texts.dialog) : null,
  };
}
