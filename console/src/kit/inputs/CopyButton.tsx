import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { announce } from '../notices/live-region.ts';
import { Button } from './Button.tsx';
import { copyText } from './copy-text.ts';
import { IconButton } from './IconButton.tsx';

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied, such as "the token". */
  readonly label: string;
  /** With its label beside the icon. */
  readonly isLabelShown?: boolean;
}

const SHOWN_MS = 2000;

export function CopyButton({ text, label, isLabelShown = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    const done = await copyText(text);
    setCopied(done);
    announce(done ? words.copied : words.notCopied);
  };
  const icon = isCopied ? <Check aria-hidden /> : <Copy aria-hidden />;
  return isLabelShown ? (
    <Button size="small" icon={icon} onClick={copy}>
      {isCopied ? words.copied : words.copy(label)}
    </Button>
  ) : (
    <IconButton size="small" icon={icon} label={isCopied ? words.copied : words.copy(label)} onClick={copy} />
  );
}
