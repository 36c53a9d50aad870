import { FileUp } from 'lucide-react';
import { type ChangeEvent, useId, useState } from 'react';
import { classes } from '../../kit/classes.ts';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea } from '../../kit/inputs/TextInput.tsx';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import styles from '../parts/parts.module.css';
import own from './Transfer.module.css';
import { type Parsed, parseExport } from './transfer-data.ts';

type Source = keyof typeof words.sources;

interface SourceFieldProps {
  readonly problem: string | undefined;
  /** Null: nothing is given yet. */
  readonly onChange: (parsed: Parsed | null) => void;
}

/** The control of the browser, which looks like our buttons. Its text is not kept: a file may have megabytes. */
function FileInput({ problem, onChange }: SourceFieldProps) {
  const id = useId();
  const [name, setName] = useState('');
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (!file) return;
    setName(file.name);
    onChange(null);
    try {
      onChange(parseExport(await file.text()));
    } catch {
      onChange({ problem: words.unreadable });
    }
    // The same file can be chosen again after it was changed.
    target.value = '';
  };
  return (
    <div className={styles.tight}>
      <span className={styles.row}>
        <input
          id={id}
          type="file"
          accept=".json,application/json"
          className={classes('visually-hidden', own.file)}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem ? true : undefined}
          onChange={(event) => void choose(event)}
        />
        <label htmlFor={id} className={buttonClass()}>
          <FileUp aria-hidden />
          {words.chooseFile}
        </label>
        {name && <code>{name}</code>}
      </span>
      {problem && (
        <p role="alert" className={own.problem}>
          {problem}
        </p>
      )}
      <p id={`${id}-hint`} className={styles.quiet}>
        {words.fileHint}
      </p>
    </div>
  );
}

/** A file, or text. */
export function SourceField({ problem, onChange }: SourceFieldProps) {
  const [source, setSource] = useState<Source>('file');
  const [text, setText] = useState('');
  return (
    <div className={styles.stack}>
      <div>
        <Segmented<Source>
          label={words.source}
          value={source}
          onChange={(next) => {
            setSource(next);
            onChange(next === 'pasted' && text.trim() !== '' ? parseExport(text) : null);
          }}
          options={[
            { value: 'file', label: words.sources.file },
            { value: 'pasted', label: words.sources.pasted },
          ]}
        />
      </div>
      {source === 'file' ? (
        <FileInput problem={problem} onChange={onChange} />
      ) : (
        <Field label={words.pasted} error={problem}>
          <TextArea
            mono
            rows={8}
            value={text}
            onChange={({ target: { value } }) => {
              setText(value);
              onChange(value.trim() === '' ? null : parseExport(value));
            }}
          />
        </Field>
      )}
    </div>
  );
}
