import type { ReactElement, ReactNode } from 'react';
import { Button, type ButtonProps } from '../inputs/Button.tsx';
import { overlays } from '../lazy-part.ts';
import { useStandIn } from '../use-stand-in.ts';

export interface PopoverProps extends Pick<ButtonProps, 'kind' | 'size' | 'icon' | 'reason'> {
  /** The text of the trigger. */
  readonly label: ReactNode;
  /** Its heading, read when it opens. */
  readonly title: string;
  readonly children: ReactNode;
  readonly align?: 'start' | 'center' | 'end';
}

/** Something small beside its trigger, such as a filter. The page stays usable. */
export function Popover(props: PopoverProps) {
  const parts = overlays.useParts();
  const { ref, wasOpened, events } = useStandIn<HTMLButtonElement>(parts !== undefined, overlays.load);
  const { label, kind, size, icon, reason } = props;
  const trigger: ReactElement<ButtonProps> = (
    <Button kind={kind} size={size} icon={icon} reason={reason}>
      {label}
    </Button>
  );
  if (parts) return <parts.LoadedPopover {...props} trigger={trigger} triggerRef={ref} isOpenAtFirst={wasOpened} />;
  return <trigger.type {...trigger.props} ref={ref} aria-haspopup="dialog" aria-expanded={false} {...events} />;
}
