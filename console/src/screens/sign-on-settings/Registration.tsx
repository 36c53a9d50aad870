import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import styles from '../../parts/parts.module.css';
import own from './SignOnSettings.module.css';

/** A value that is entered at an identity provider. */
export function Registration({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className={own.value}>
        <code className={styles.wrap}>{value}</code>
        <CopyButton text={value} label={label} />
      </dd>
    </>
  );
}
