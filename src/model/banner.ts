export const BANNER_VARIANTS = ['info', 'warning', 'error', 'success'] as const;
type BannerVariant = (typeof BANNER_VARIANTS)[number];

/** Something that everybody who is signed in is told (contract: Banner), as stored. Collection `banners`, key: the id as text. */
export interface Banner {
  /** From 1, never given twice: a newer banner has a higher one. */
  readonly id: number;
  /** Markdown. */
  readonly message: string;
  readonly enabled: boolean;
  readonly variant: BannerVariant;
  readonly sticky: boolean;
  /** The name of an icon, or `none`. Null: the variant's. */
  readonly icon: string | null;
  /** Absolute or relative, or `dialog` to open one. */
  readonly link: string | null;
  readonly linkText: string | null;
  readonly dialogTitle: string | null;
  /** Markdown. */
  readonly dialog: string | null;
  readonly createdAt: string;
}
