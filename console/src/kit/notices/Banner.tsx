import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { IconButton } from '../inputs/IconButton.tsx';
import styles from './Banner.module.css';
import bar from './Bar.module.css';

export interface BannerProps {
  readonly tone?: 'neutral' | 'good' | 'warn' | 'bad';
  readonly title?: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
  readonly onDismiss?: () => void;
}

const ICONS = { neutral: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const;

/** What concerns the whole page or the part that it stands in. Errors are read out at once. */
export function Banner({ tone = 'neutral', title, children, action, onDismiss }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : undefined}
      data-tone={tone === 'neutral' ? undefined : tone}
      className={classes(bar.bar, styles.banner)}
    >
      <Icon size={16} aria-hidden className={styles.icon} />
      <div className={bar.text}>
        {title && <strong className={styles.title}>{title} </strong>}
        {children}
      </div>
      {(action || onDismiss) && (
        <div className={bar.actions}>
          {action}
          {onDismiss && <IconButton size="small" icon={<X aria-hidden />} label={words.dismiss} onClick={onDismiss} />}
        </div>
      )}
    </div>
  );
}
