import { Plus, Trash2 } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import type { MayNot } from '../data/may.ts';
import { moved } from '../domain/moved.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { parts as words } from '../words/en/parts.ts';
import { OrderButtons } from './OrderButtons.tsx';
import styles from './parts.module.css';

/** What a row is made of. */
export interface Row<T> {
  readonly item: T;
  readonly index: number;
  readonly onChange: (item: T) => void;
  /** They move the row, and remove it. */
  readonly order: ReactNode;
  readonly remove: ReactNode;
}

interface RowsProps<T> {
  readonly items: readonly T[];
  /** What the buttons of a row call it. */
  readonly nameOf: (item: T, index: number) => string;
  /** Without it, a row is known by its place, and by how it was moved. */
  readonly keyOf?: (item: T) => string | number;
  readonly isOrdered?: boolean;
  /** Where the name is beside the buttons that move a row, they are called without it. */
  readonly isNamed?: boolean;
  /** Why the rows cannot be changed. */
  readonly reason?: MayNot;
  /** The class of the list that the rows are entries of. */
  readonly list?: string | undefined;
  /** Between the rows and the button that adds one. */
  readonly between?: ReactNode;
  readonly addLabel?: string;
  readonly make?: () => T;
  /** A new row is edited elsewhere, so the focus does not go there. */
  readonly onAdded?: (item: T) => void;
  readonly max?: number;
  readonly onChange: (items: readonly T[]) => void;
  /** One element for each row. */
  readonly children: (row: Row<T>) => ReactNode;
}

const FIELD = 'input:not([type=checkbox]), textarea, [role=combobox]';

/** After the next render, moves the focus to the first field of a row. The last row stands for one that is gone, then the button. */
function useRowFocus(count: number, isList: boolean) {
  const group = useRef<HTMLDivElement>(null);
  const next = useRef<number>(null);
  useEffect(() => {
    const at = next.current;
    next.current = null;
    if (at === null || !group.current) return;
    const rows = isList ? group.current.firstElementChild?.children : group.current.children;
    const row = rows?.[Math.min(at, count - 1)];
    const target = row
      ? (row.querySelector(FIELD) ?? row.querySelector('button'))
      : group.current.querySelector('[data-adds]');
    if (target instanceof HTMLElement) target.focus();
  });
  const focusAt = (at: number) => {
    next.current = at;
  };
  return { group, focusAt };
}

/** Keys that move with the rows: the focus, and what is typed, stay with them. */
function useRowKeys(count: number) {
  const keys = useRef<number[]>([]);
  const made = useRef(0);
  while (keys.current.length < count) {
    keys.current.push(made.current);
    made.current += 1;
  }
  keys.current.length = count;
  return keys;
}

/** The names of the rows. Those with the same name are numbered. */
function namesOf<T>(items: readonly T[], nameOf: RowsProps<T>['nameOf']): readonly string[] {
  const names = items.map(nameOf);
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return names.filter((one) => one === name).length > 1 ? words.oneOf(name, count) : name;
  });
}

/**
 * Rows that are added, removed, and moved where they are ordered. The focus goes to a new row, stays with one that is moved, and goes to the neighbour
 * of one that is removed.
 */
export function Rows<T>(props: RowsProps<T>) {
  const { items, nameOf, keyOf, isOrdered = false, isNamed = true, reason, list, between, onChange, children } = props;
  const { addLabel, make, onAdded, max = Number.POSITIVE_INFINITY } = props;
  const keys = useRowKeys(items.length);
  const { group, focusAt } = useRowFocus(items.length, list !== undefined);
  const move = (index: number, by: 1 | -1) => {
    keys.current = [...moved(keys.current, index, by)];
    onChange(moved(items, index, by));
  };
  const remove = (index: number) => {
    focusAt(index);
    keys.current.splice(index, 1);
    onChange(items.toSpliced(index, 1));
  };
  const add = (item: T) => {
    if (!onAdded) focusAt(items.length);
    onChange([...items, item]);
    onAdded?.(item);
  };
  const names = namesOf(items, nameOf);
  const rows = items.map((item, index) => {
    const name = names[index] ?? '';
    const shown = children({
      item,
      index,
      onChange: (next) => onChange(items.with(index, next)),
      order: isOrdered && items.length > 1 && (
        <OrderButtons
          name={name}
          isNamed={isNamed}
          index={index}
          count={items.length}
          reason={reason}
          onMove={(by) => move(index, by)}
        />
      ),
      remove: (
        <IconButton
          size="small"
          icon={<Trash2 aria-hidden />}
          label={words.remove(name)}
          reason={reason}
          onClick={() => remove(index)}
        />
      ),
    });
    return <Fragment key={keyOf?.(item) ?? keys.current[index]}>{shown}</Fragment>;
  });
  return (
    <div ref={group} className={styles.contents}>
      {list === undefined ? rows : rows.length > 0 && <ol className={list}>{rows}</ol>}
      {between}
      {make && items.length < max && (
        <div>
          <Button size="small" icon={<Plus aria-hidden />} reason={reason} data-adds onClick={() => add(make())}>
            {addLabel}
          </Button>
        </div>
      )}
    </div>
  );
}
