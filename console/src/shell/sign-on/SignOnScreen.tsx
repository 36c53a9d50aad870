import { signOn as words } from '../../words/en/shell.ts';
import { Mark } from '../Mark.tsx';
import styles from './SignOn.module.css';
import { SignOnForm } from './SignOnForm.tsx';

/** Shown at the address that was asked for: after the sign-on, the page is there. */
export function SignOnScreen({ onSignedOn }: { readonly onSignedOn: () => void }) {
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1 className={styles.title}>
          <Mark /> {words.title}
        </h1>
        <SignOnForm onSignedOn={onSignedOn} />
        <p className={styles.hint}>{words.first}</p>
      </div>
    </main>
  );
}
