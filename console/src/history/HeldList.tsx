import type { ReactNode } from 'react';
import { Button } from '../kit/inputs/Button.tsx';
import { held as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';
import type { useHeldRows } from './use-held-rows.ts';

interface HeldListProps {
  readonly rows: ReturnType<typeof useHeldRows>;
  readonly children: ReactNode;
}

/** Around a list: the button that shows what is held back. It is on the edge of the list, which it does not move. */
export function HeldList({ rows: { element, held, show, handlers }, children }: HeldListProps) {
  const showAll = () => {
    show();
    // The button that has the focus goes.
    element.current?.focus();
  };
  return (
    <div ref={element} tabIndex={-1} className={styles.heldList} {...handlers}>
      {held > 0 && (
        <span className={styles.held}>
          <Button size="small" onClick={showAll}>
            {words.show(held)}
          </Button>
        </span>
      )}
      {children}
    </div>
  );
}
