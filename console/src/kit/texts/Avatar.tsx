import { Bot } from 'lucide-react';
import styles from './Avatar.module.css';

export interface AvatarProps {
  readonly name: string;
  /** A service account or a token. */
  readonly machine?: boolean;
  readonly size?: 20 | 24 | 32;
}

/** Initials: pictures from other hosts are not loaded. The name stands beside it, so it is not read. */
export function Avatar({ name, machine = false, size = 20 }: AvatarProps) {
  const initials = name
    .replace(/(.)@.*$/, '$1')
    .split(/[\s._@-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
  return (
    <span className={styles.avatar} data-size={size} data-hue={hueOf(name)} aria-hidden>
      {machine ? <Bot size={size * 0.6} /> : initials}
    </span>
  );
}

/** One of six, always the same for a name. */
function hueOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum % 6;
}
