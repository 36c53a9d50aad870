import { type ReactNode, useState } from 'react';
import { Button } from '../kit/inputs/Button.tsx';
import styles from './parts.module.css';

interface FirstFewProps<Item> {
  readonly items: readonly Item[];
  /** How many are shown at first. */
  readonly first: number;
  /** The text of the button that shows all. */
  readonly more: string;
  /** The row of an item, with its key. */
  readonly children: (item: Item) => ReactNode;
}

/** The first items of a list, and a button that shows all of them. */
export function FirstFew<Item>({ items, first, more, children }: FirstFewProps<Item>) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <div className={styles.list}>
        <ul className={styles.items}>{(isWhole ? items : items.slice(0, first)).map(children)}</ul>
      </div>
      {!isWhole && items.length > first && (
        <div>
          <Button onClick={() => setWhole(true)}>{more}</Button>
        </div>
      )}
    </>
  );
}
