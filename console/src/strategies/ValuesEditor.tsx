import { useState } from 'react';
import { useKept } from '../data/kept.ts';
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
  /** Of several editors with one label, the place of this one. */
  readonly place?: string | number | undefined;
  /** Where the page lists the values itself, it is left out here. */
  readonly isListed?: boolean;
  readonly limit?: ValuesLimit | undefined;
  readonly error?: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const SHOWN = 30;

/** A list of values. What is pasted is cleaned: blanks, repeated values, separators. */
export function ValuesEditor({
  label,
  place = label,
  limit,
  values,
  onChange,
  isListed = true,
  ...rest
}: ValuesEditorProps) {
  const [text, setText] = useKept(`values ${place}`, '');
  const [isWhole, setWhole] = useState(false);
  const [duplicates, setDuplicates] = useState(0);
  const add = (added: string) => {
    const cleaned = cleanValues(added, values);
    setDuplicates(cleaned.duplicates);
    setText('');
    if (cleaned.values.length !== values.length) onChange(cleaned.values);
  };
  const error = limit && values.length + limit.others > limit.max ? limit.exceeded : rest.error;
  const shown = isWhole ? values : values.slice(0, SHOWN);
  return (
    <div className={styles.values}>
      <Field label={label} hint={words.valuesHint} error={error}>
        <TextArea
          mono
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text');
            if (!/[\n\r\t,;]/.test(pasted)) return;
            event.preventDefault();
            add(text + pasted);
          }}
          onKeyDown={(event) => {
            // With a modifier it also saves, or opens the review: what is typed is part of it.
            if (event.key === 'Enter' && !event.metaKey && !event.ctrlKey) event.preventDefault();
            if (event.key === 'Enter' && text.trim() !== '') add(text);
          }}
          onBlur={() => {
            if (text.trim() !== '') add(text);
          }}
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
      {isListed && (
        <div className={styles.tags}>
          {shown.map((value) => (
            <Tag key={value} wraps value={value} onRemove={() => onChange(values.filter((one) => one !== value))} />
          ))}
          {values.length > shown.length && (
            <Button size="small" kind="quiet" onClick={() => setWhole(true)}>
              {words.showAll(values.length)}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
