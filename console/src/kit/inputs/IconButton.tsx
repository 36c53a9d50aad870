import type { ReactNode } from 'react';
import { Tooltip } from '../overlays/Tooltip.tsx';
import { Button, type ButtonProps } from './Button.tsx';

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'square'> {
  /** What it does, such as "Copy the name". */
  readonly label: string;
  readonly icon: ReactNode;
  /** Keys as the registry names them, such as `mod+k`. */
  readonly keys?: string;
}

export function IconButton({ label, keys, kind = 'quiet', reason, ...rest }: IconButtonProps) {
  const button = <Button {...rest} kind={kind} square aria-label={label} reason={reason} />;
  // A button with a reason has it as its tooltip.
  return reason === undefined ? (
    <Tooltip text={label} keys={keys} isName>
      {button}
    </Tooltip>
  ) : (
    button
  );
}
