import { useState } from 'react';
import type { components } from '../api/schema.d.ts';
import { useClosedByBack } from '../data/opened.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Dialog } from '../kit/overlays/Dialog.tsx';
import { Markdown, MarkdownLine, safeHref } from '../kit/texts/Markdown.tsx';
import { shell as words } from '../words/en/shell.ts';
import styles from './BannerNotice.module.css';

const TONES = { info: 'neutral', warning: 'warn', error: 'bad', success: 'good' } as const;

type Stored = components['schemas']['banner'];
export type ShownBanner = Pick<
  Stored,
  'message' | 'variant' | 'sticky' | 'link' | 'linkText' | 'dialogTitle' | 'dialog'
>;

interface BannerNoticeProps {
  readonly banner: ShownBanner;
  /** A sticky banner cannot be closed. */
  readonly onDismiss: () => void;
}

/** A message of an admin, as every person sees it. */
export function BannerNotice({ banner, onDismiss }: BannerNoticeProps) {
  const { message, variant, sticky, link, linkText, dialogTitle, dialog } = banner;
  const [isOpen, setOpen] = useState(false);
  useClosedByBack(isOpen, () => setOpen(false));
  const more = linkText || words.moreInfo;
  const href = link && link !== 'dialog' ? safeHref(link) : undefined;
  return (
    <Banner
      tone={TONES[variant]}
      {...(sticky ? {} : { onDismiss })}
      {...(link === 'dialog' &&
        dialog && {
          action: (
            <Button size="small" onClick={() => setOpen(true)}>
              {more}
            </Button>
          ),
        })}
    >
      <MarkdownLine text={message} />
      {href && (
        <>
          {' '}
          <a href={href} rel="noreferrer" className={styles.link}>
            {more}
          </a>
        </>
      )}
      {isOpen && (
        <Dialog open onClose={() => setOpen(false)} title={dialogTitle || more}>
          <Markdown text={dialog ?? ''} />
        </Dialog>
      )}
    </Banner>
  );
}
