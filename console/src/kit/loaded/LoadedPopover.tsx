import { Popover } from '@base-ui/react/popover';
import type { ReactElement, RefObject } from 'react';
import { classes } from '../classes.ts';
import type { PopoverProps } from '../overlays/Popover.tsx';
import styles from './Popup.module.css';

interface LoadedPopoverProps extends PopoverProps {
  readonly trigger: ReactElement;
  readonly triggerRef: RefObject<HTMLButtonElement | null>;
  readonly isOpenAtFirst: boolean;
}

export function LoadedPopover(props: LoadedPopoverProps) {
  const { title, children, align = 'start', trigger, triggerRef, isOpenAtFirst } = props;
  return (
    <Popover.Root defaultOpen={isOpenAtFirst}>
      <Popover.Trigger ref={triggerRef} render={trigger} />
      <Popover.Portal>
        <Popover.Positioner className={styles.positioner} align={align} sideOffset={4} collisionPadding={8}>
          <Popover.Popup className={classes(styles.popup, styles.content)}>
            <Popover.Title className="visually-hidden">{title}</Popover.Title>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
