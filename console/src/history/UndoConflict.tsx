import type { Failure } from '../data/failure.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { Words } from '../save/Words.tsx';
import { conflictsOf, conflictWords } from '../words/en/history.ts';
import { undo as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';

/** Why an undo was refused: the fields that were changed again, each with its current value, or what the server says. */
export function UndoConflict({ failure }: { readonly failure: Failure }) {
  const fields = conflictsOf(failure);
  return (
    <Banner tone="bad">
      {fields.length > 0 ? words.conflict : failure.message}
      {fields.length > 0 && (
        <ul className={styles.conflict}>
          {fields.map((field) => (
            <li key={`${field.path} ${field.message}`}>
              <Words text={conflictWords(field)} />
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}
