import { classes } from '../classes.ts';
import { CopyButton } from '../inputs/CopyButton.tsx';
import styles from './CodeBlock.module.css';

export interface CodeBlockProps {
  readonly code: string;
  /** What it is, such as "Node snippet". Named when copied. */
  readonly label: string;
  /** Shown above, such as a file name or a language. */
  readonly title?: string;
}

export function CodeBlock({ code, label, title }: CodeBlockProps) {
  const copy = <CopyButton text={code} label={label} />;
  return (
    <figure className={styles.block}>
      {title && (
        <figcaption className={styles.title}>
          <span className={styles.name}>{title}</span>
          {copy}
        </figcaption>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes(styles.code, title !== undefined && styles.titled)} tabIndex={0} aria-label={label}>
        <pre>
          <code>{code}</code>
        </pre>
      </section>
      {!title && <span className={styles.copy}>{copy}</span>}
    </figure>
  );
}
