import Type from 'typebox';
import { collection } from '../../../model/collection.ts';
import type { EntityOf } from '../../../model/entity.ts';
import { MODEL_LIMITS } from '../../../model/limits.ts';
import { DateTime, Nullable, Text } from '../../../model/primitives.ts';

export const BANNER_VARIANTS = ['info', 'warning', 'error', 'success'] as const;

const MARKDOWN = 'Markdown';
const ICON = 'Name of an icon; `none`: no icon; null: the icon of the variant';
const LINK = 'An absolute or relative link, or `dialog` to open a dialog';

const title = (description: string, answer: string) =>
  Nullable(Type.String({ maxLength: MODEL_LIMITS.titleLength.max, description, answer }));

/** A message to all users who are signed in (contract: Banner). Collection `banners`, key: the id as text. */
export const Banner = Type.Object({
  /** The first id is 1. An id is never reused. */
  id: Type.Integer({ minimum: 1, description: 'A newer banner has a higher id' }),
  message: Type.String({
    minLength: 1,
    maxLength: MODEL_LIMITS.textLength.max,
    description: MARKDOWN,
    answer: MARKDOWN,
  }),
  enabled: Type.Boolean(),
  variant: Type.Enum([...BANNER_VARIANTS]),
  sticky: Type.Boolean({ answer: 'Whether the banner stays visible' }),
  icon: Nullable(Type.String({ maxLength: 100, description: ICON, answer: ICON })),
  link: Nullable(Type.String({ maxLength: 2_000, description: LINK, answer: `${LINK}; null: none` })),
  linkText: title('`More info` when left out', 'The text of the link'),
  dialogTitle: title('The text of the link when left out', 'The title of the dialog'),
  dialog: Nullable(Type.String({ ...Text, answer: 'Markdown; null: there is no dialog' })),
  createdAt: DateTime,
});
export type Banner = EntityOf<typeof Banner>;

export const banners = collection({ schema: 1, key: (banner: Banner) => String(banner.id), past: 'whole' });

/** Maximum length of the name of a banner, which has only a text. */
const NAME_MAX = 60;

/** The name of a banner in histories. */
export function bannerName({ message }: Partial<Banner>): string | null {
  if (message === undefined) return null;
  return message.length > NAME_MAX ? `${message.slice(0, NAME_MAX)}…` : message;
}

declare module '../../../model/collection.ts' {
  interface CollectionTable {
    readonly banners: typeof banners;
  }
}
