import type { ReactNode } from 'react';
import { Tooltip } from '../overlays/Tooltip.tsx';
import { type ButtonProps, PlainButton } from './Button.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'square'> {
  /** What it does, such as "Copy the name". */
  readonly label: string;
  readonly icon: ReactNode;
  /** Keys as the registry names them, such as `mod+k`. */
  readonly keys?: string;
}

export function IconButton({ label, keys, kind = 'quiet', reason, ...rest }: IconButtonProps) {
  // A button with a reason has it as its tooltip.
  return (
    <Tooltip text={reason ?? label} keys={reason === undefined ? keys : undefined} isName={reason === undefined}>
      <PlainButton {...rest} kind={kind} square aria-label={label} reason={reason} />
    </Tooltip>
  );
}
