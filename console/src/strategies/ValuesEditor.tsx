import { type ReactNode, useState } from 'react';
import { same } from '../domain/same.ts';
import { cleanValues } from '../domain/values.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { TextArea } from '../kit/inputs/TextInput.tsx';
import { Tag } from '../kit/texts/Badge.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import styles from './Editor.module.css';

/** How many values there may be. */
export interface ValuesLimit {
  readonly max: number;
  /** Values elsewhere that count, too. */
  readonly others: number;
  /** What is said above the limit; names it. */
  readonly exceeded: string;
}

interface ValuesEditorProps {
  readonly label: string;
  readonly limit?: ValuesLimit | undefined;
  readonly error?: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** The list of those that are not being typed, if they are more than their names. */
  readonly children?: (added: readonly string[]) => ReactNode;
}

interface Typed {
  readonly text: string;
  /** The values that only the text has. */
  readonly own: readonly string[];
}

const NOTHING: Typed = { text: '', own: [] };
const SHOWN = 30;

/**
 * A list of values. What is typed is among them as soon as it is typed: Enter and leaving the field only make room for the next. What is pasted is
 * cleaned: blanks, repeated values, separators.
 */
export function ValuesEditor({ label, limit, values, onChange, children, ...rest }: ValuesEditorProps) {
  const [typed, setTyped] = useState(NOTHING);
  const [duplicates, setDuplicates] = useState(0);
  // Without its values, the text is gone, too: the draft was discarded.
  const isThere = cleanValues(typed.text).values.every((value) => values.includes(value));
  const { text, own } = isThere ? typed : NOTHING;
  const added = values.filter((value) => !own.includes(value));
  const take = (next: string, isAdded: boolean) => {
    const cleaned = cleanValues(next, added);
    setTyped(isAdded ? NOTHING : { text: next, own: cleaned.values.slice(added.length) });
    setDuplicates(isAdded ? cleaned.duplicates : 0);
    if (!same(cleaned.values, values)) onChange(cleaned.values);
  };
  const add = () => {
    if (text !== '') take(text, true);
  };
  const error = limit && values.length + limit.others > limit.max ? limit.exceeded : rest.error;
  return (
    <div className={styles.values}>
      <Field label={label} hint={words.valuesHint} error={error}>
        <TextArea
          mono
          rows={1}
          value={text}
          onChange={(event) => take(event.target.value, false)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text');
            if (!/[\n\r\t,;]/.test(pasted)) return;
            event.preventDefault();
            const { selectionStart, selectionEnd } = event.currentTarget;
            take(text.slice(0, selectionStart) + pasted + text.slice(selectionEnd), true);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
            // With a modifier it also saves, or opens the review.
            if (!event.metaKey && !event.ctrlKey) event.preventDefault();
            add();
          }}
          onBlur={add}
        />
      </Field>
      <div className={styles.valuesHead}>
        <span className={styles.quiet} role="status">
          {words.valueCount(values.length, limit && Math.max(0, limit.max - limit.others))}
          {duplicates > 0 && ` · ${words.duplicates(duplicates)}`}
        </span>
        {values.length > 0 && (
          <Button size="small" kind="quiet" onClick={() => onChange([])}>
            {words.clear}
          </Button>
        )}
      </div>
      {children ? (
        children(added)
      ) : (
        <Tags values={added} onRemove={(value) => onChange(values.filter((one) => one !== value))} />
      )}
    </div>
  );
}

interface TagsProps {
  readonly values: readonly string[];
  readonly onRemove: (value: string) => void;
}

function Tags({ values, onRemove }: TagsProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? values : values.slice(0, SHOWN);
  return (
    <div className={styles.tags}>
      {shown.map((value) => (
        <Tag key={value} wraps value={value} onRemove={() => onRemove(value)} />
      ))}
      {values.length > shown.length && (
        <Button size="small" kind="quiet" onClick={() => setWhole(true)}>
          {words.showAll(values.length)}
        </Button>
      )}
    </div>
  );
}
