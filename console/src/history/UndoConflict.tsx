import type { Failure } from '../data/failure.ts';
import type { HistoryChange } from '../domain/model.ts';
import { Banner } from '../kit/notices/Banner.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { Words } from '../save/Words.tsx';
import { conflictsOf, conflictWords } from '../words/en/history.ts';
import { undo as words } from '../words/en/undo.ts';
import styles from './HistoryList.module.css';

interface UndoConflictProps {
  readonly failure: Failure;
  /** What the commit changed, as far as it is known. */
  readonly changes: readonly HistoryChange[];
}

/** Why an undo is refused, by its preview or when it is saved: the fields that were changed again, each with both values, or what the server says. */
export function UndoConflict({ failure, changes }: UndoConflictProps) {
  const segments = useSegmentNames();
  const fields = conflictsOf(failure);
  return (
    <Banner tone="bad">
      {fields.length > 0 ? words.conflict : failure.message}
      {fields.length > 0 && (
        <ul className={styles.conflict}>
          {fields.map((field) => (
            <li key={`${field.path} ${field.message}`}>
              <Words text={conflictWords(field, changes, segments)} />
            </li>
          ))}
        </ul>
      )}
      {fields.length > 0 && words.conflictHint}
    </Banner>
  );
}
