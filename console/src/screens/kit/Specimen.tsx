import type { ReactNode } from 'react';
import styles from './KitPage.module.css';

/** A part of the kit with its name; each of its states has a caption. */
export function Specimen({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section className={styles.specimen} aria-labelledby={`part-${name}`}>
      <h3 id={`part-${name}`} className={styles.name}>
        {name}
      </h3>
      <div className={styles.states}>{children}</div>
    </section>
  );
}

export function State({
  of,
  wide = false,
  children,
}: {
  readonly of: string;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div className={wide ? styles.wide : styles.state}>
      <span className={styles.caption}>{of}</span>
      {children}
    </div>
  );
}
