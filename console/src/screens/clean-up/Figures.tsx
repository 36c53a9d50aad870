import styles from './CleanUp.module.css';

export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
}

/** A row of numbers, each with what it counts. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(({ label, value, hint }) => (
        <div key={label} className={styles.figure}>
          <dt className={styles.label}>{label}</dt>
          <dd className={styles.value}>{value}</dd>
          {hint && <dd className={styles.hint}>{hint}</dd>}
        </div>
      ))}
    </dl>
  );
}
