import { ChevronLeft, ChevronRight } from 'lucide-react';
import { kit as words } from '../../words/en/kit.ts';
import { IconButton } from '../inputs/IconButton.tsx';
import styles from './Pager.module.css';

export interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  /** Unknown where the server does not count. */
  readonly total?: number;
  readonly hasMore?: boolean;
  /** Which list it is of, where there are several. */
  readonly label?: string;
  readonly onMove: (offset: number) => void;
}

export function Pager({ offset, limit, total, hasMore, label, onMove }: PagerProps) {
  const last = total === undefined ? offset + limit : Math.min(offset + limit, total);
  const isEnd = total === undefined ? !hasMore : last >= total;
  return (
    <nav aria-label={label ?? words.pages} className={styles.pager}>
      <span>{words.shownOf(total === 0 ? 0 : offset + 1, last, total)}</span>
      <IconButton
        size="small"
        icon={<ChevronLeft aria-hidden />}
        label={words.previousPage}
        reason={offset === 0 ? words.isFirstPage : undefined}
        onClick={() => onMove(Math.max(0, offset - limit))}
      />
      <IconButton
        size="small"
        icon={<ChevronRight aria-hidden />}
        label={words.nextPage}
        reason={isEnd ? words.isLastPage : undefined}
        onClick={() => onMove(offset + limit)}
      />
    </nav>
  );
}
