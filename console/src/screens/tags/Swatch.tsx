import styles from './Tags.module.css';

/** A color that people chose. The text beside it names it. */
export function Swatch({ color }: { readonly color: string | null }) {
  return <span aria-hidden className={styles.swatch} style={color ? { background: color } : undefined} />;
}
