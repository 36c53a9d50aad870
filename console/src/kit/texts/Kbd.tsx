import styles from './Kbd.module.css';

const IS_APPLE = /mac|iphone|ipad/i.test(navigator.platform);

const NAMES: Readonly<Record<string, string>> = {
  mod: IS_APPLE ? '⌘' : 'Ctrl',
  shift: IS_APPLE ? '⇧' : 'Shift',
  alt: IS_APPLE ? '⌥' : 'Alt',
  enter: '↵',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  backspace: '⌫',
  space: 'Space',
};

/** Keys as the registry of shortcuts names them: `mod+k`, `g f`, `?`. */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split(/[ +](?=.)/).map((key) => (
        <kbd key={key} className={styles.key}>
          {NAMES[key.toLowerCase()] ?? (key.length === 1 ? key.toUpperCase() : key)}
        </kbd>
      ))}
    </span>
  );
}
