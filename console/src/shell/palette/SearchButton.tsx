import { Search } from 'lucide-react';
import { Kbd } from '../../kit/texts/Kbd.tsx';
import { isPaletteOpen } from '../../page/keys-map-state.ts';
import { shell as words } from '../../words/en/shell.ts';
import styles from './SearchButton.module.css';

export function SearchButton() {
  return (
    <button
      type="button"
      className={styles.button}
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => isPaletteOpen.set(true)}
    >
      <Search size={16} aria-hidden />
      <span className={styles.label}>{words.search}</span>
      <Kbd keys="mod+k" />
    </button>
  );
}
