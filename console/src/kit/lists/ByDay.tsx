import { Fragment, type ReactNode } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { onFirstUse } from '../../words/on-first-use.ts';
import styles from './ByDay.module.css';
import { inGroups } from './groups.ts';

const named = onFirstUse(
  () => new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
);

/** "Today", "Yesterday", or the date with its weekday, in the browser's time zone. */
export function dayName(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return words.today;
  const before = new Date(now);
  before.setDate(now.getDate() - 1);
  return at.toDateString() === before.toDateString() ? words.yesterday : named().format(at);
}

interface ByDayProps<Item> {
  /** Those of one day follow each other. */
  readonly items: readonly Item[];
  readonly at: (item: Item) => string;
  /** The list of one day, which has the name of the day in its own. */
  readonly children: (items: readonly Item[], day: string) => ReactNode;
}

/** A list for each day, below the name of the day. */
export function ByDay<Item>({ items, at, children }: ByDayProps<Item>) {
  const now = new Date();
  return inGroups(items, (item) => dayName(new Date(at(item)), now)).map(({ key, name, items: ofDay }) => (
    <Fragment key={key}>
      <p aria-hidden className={styles.day}>
        {name}
      </p>
      {children(ofDay, name)}
    </Fragment>
  ));
}
