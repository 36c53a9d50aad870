import { Check, Copy } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { announce } from '../notices/live-region.ts';
import { toast } from '../notices/toast.ts';
import { Button } from './Button.tsx';
import { copyText } from './copy-text.ts';
import { IconButton } from './IconButton.tsx';

export type CopyButtonProps = {
  /** What is copied, or what makes it. If that fails, a notice says why. */
  readonly text: string | (() => string | Promise<string>);
  /** With its label beside the icon. */
  readonly isLabelShown?: boolean;
  readonly icon?: ReactNode;
  /** Why it cannot be copied now. */
  readonly reason?: string | undefined;
} & (
  | {
      /** What is copied, such as "the token". */
      readonly label: string;
    }
  | {
      /** What the button says, such as "Copy link". */
      readonly name: string;
    }
);

const SHOWN_MS = 2000;

export function CopyButton({
  text,
  isLabelShown = false,
  icon = <Copy aria-hidden />,
  reason,
  ...rest
}: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      const done = await copyText(typeof text === 'string' ? text : await text());
      setCopied(done);
      announce(done ? words.copied : words.notCopied);
    } catch (error) {
      toast({ tone: 'bad', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const label = isCopied ? words.copied : 'name' in rest ? rest.name : words.copy(rest.label);
  const shownIcon = isCopied ? <Check aria-hidden /> : icon;
  return isLabelShown ? (
    <Button size="small" icon={shownIcon} reason={reason} onClick={copy}>
      {label}
    </Button>
  ) : (
    <IconButton size="small" icon={shownIcon} label={label} reason={reason} onClick={copy} />
  );
}
