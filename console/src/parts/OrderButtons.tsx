import { ArrowDown, ArrowUp } from 'lucide-react';
import type { MayNot } from '../data/may.ts';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import type { InRow } from '../kit/lists/Table.tsx';
import { announce } from '../kit/notices/live-region.ts';
import { parts as words } from '../words/en/parts.ts';

interface OrderButtonsProps {
  readonly name: string;
  /** Where the name is beside them, they are called without it. */
  readonly isNamed?: boolean;
  readonly index: number;
  readonly count: number;
  readonly reason?: MayNot;
  readonly inRow?: InRow;
  /** False: the save says where it is. */
  readonly announces?: boolean;
  readonly onMove: (by: 1 | -1) => void;
}

/** They move an entry of a list. */
export function OrderButtons({ isNamed = true, announces = true, inRow, ...props }: OrderButtonsProps) {
  const { name, index, count, reason, onMove } = props;
  const move = (by: 1 | -1) => {
    onMove(by);
    if (announces) announce(words.moved(name, index + 1 + by, count));
  };
  return (
    <>
      <IconButton
        {...inRow}
        size="small"
        icon={<ArrowUp aria-hidden />}
        label={isNamed ? words.moveUp(name) : words.up}
        reason={reason ?? (index === 0 ? words.isFirst : undefined)}
        onClick={() => move(-1)}
      />
      <IconButton
        {...inRow}
        size="small"
        icon={<ArrowDown aria-hidden />}
        label={isNamed ? words.moveDown(name) : words.down}
        reason={reason ?? (index === count - 1 ? words.isLast : undefined)}
        onClick={() => move(1)}
      />
    </>
  );
}
