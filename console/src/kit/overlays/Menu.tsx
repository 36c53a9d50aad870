import type { ReactElement, ReactNode, RefObject } from 'react';
import { Button, type ButtonProps } from '../inputs/Button.tsx';
import { IconButton } from '../inputs/IconButton.tsx';
import { overlays } from '../lazy-part.ts';
import { useStandIn } from '../use-stand-in.ts';

export type MenuEntry =
  | {
      readonly label: string;
      readonly icon?: ReactNode;
      readonly keys?: string;
      readonly danger?: boolean;
      /** Why it cannot be chosen; shown below its label. */
      readonly reason?: string | undefined;
      readonly onSelect: () => void;
    }
  | { readonly label: string; readonly checked: boolean; readonly onChange: (checked: boolean) => void }
  | { readonly group: string }
  | 'line';

export interface MenuProps {
  /** The name of the trigger. It is the text of the trigger, unless there is an icon. */
  readonly label: string;
  /** Only this icon is shown. */
  readonly icon?: ReactNode;
  /** Shown in the trigger instead of the label, such as an avatar and a name. Its text is the name of the trigger. */
  readonly children?: ReactNode;
  readonly entries: readonly MenuEntry[];
  readonly kind?: ButtonProps['kind'];
  readonly size?: ButtonProps['size'];
  readonly align?: 'start' | 'end';
  readonly tabIndex?: number;
  /** Where the focus goes when it closes, if this is there, instead of to the trigger. */
  readonly focusAfter?: RefObject<HTMLElement | null>;
}

export function Menu(props: MenuProps) {
  const parts = overlays.useParts();
  const { ref, wasOpened, events } = useStandIn<HTMLButtonElement>(parts !== undefined, overlays.load);
  const trigger = menuTrigger(props);
  if (parts) return <parts.LoadedMenu {...props} trigger={trigger} triggerRef={ref} isOpenAtFirst={wasOpened} />;
  return <trigger.type {...trigger.props} ref={ref} aria-haspopup="menu" aria-expanded={false} {...events} />;
}

function menuTrigger({ label, icon, children, kind, size, tabIndex }: MenuProps): ReactElement<ButtonProps> {
  return icon ? (
    <IconButton icon={icon} label={label} kind={kind ?? 'quiet'} size={size} tabIndex={tabIndex} />
  ) : (
    <Button kind={kind} size={size} tabIndex={tabIndex}>
      {children ?? label}
    </Button>
  );
}
