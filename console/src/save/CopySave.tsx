import { Link2, Terminal } from 'lucide-react';
import type { Sending } from '../data/sending.ts';
import { CopyButton } from '../kit/inputs/CopyButton.tsx';
import { save as words } from '../words/en/save.ts';
import styles from './Save.module.css';

export interface CopySaveProps {
  /** What the button that saves does. It is listed, not carried out. */
  readonly saving: () => Sending<unknown>;
  /** Why it cannot be saved. */
  readonly blocked?: string | undefined;
  /** The address that opens the same again, where the address of the page does not. */
  readonly link?: (() => string) | undefined;
  /** Why there is no such address. */
  readonly linkBlocked?: string | undefined;
}

const here = () => location.href;

/** The save as commands of a shell, and the address of where it is edited. */
export function CopySave({ saving, blocked, link = here, linkBlocked }: CopySaveProps) {
  const curl = async () => (await import('./copy-curl.ts')).curlOfSaving(saving());
  return (
    <span className={styles.copies}>
      <CopyButton name={words.copyCurl} icon={<Terminal aria-hidden />} text={curl} reason={blocked} />
      <CopyButton name={words.copyLink} icon={<Link2 aria-hidden />} text={link} reason={linkBlocked} />
    </span>
  );
}
