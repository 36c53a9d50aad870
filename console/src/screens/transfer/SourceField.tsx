import { FileUp } from 'lucide-react';
import { type ChangeEvent, useEffect, useId, useRef } from 'react';
import { useKept } from '../../data/kept.ts';
import { classes } from '../../kit/classes.ts';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { TextArea } from '../../kit/inputs/TextInput.tsx';
import styles from '../../parts/parts.module.css';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import own from './Transfer.module.css';
import { type Parsed, parseExport } from './transfer-data.ts';

type Source = keyof typeof words.sources;

interface SourceFieldProps {
  readonly problem: string | undefined;
  /** Null: nothing is given yet. */
  readonly onChange: (parsed: Parsed | null) => void;
}

/** A text of this length is parsed while it is typed. */
const PARSED_AT_ONCE_MAX = 20_000;
/** A longer one is parsed when no key was pressed for so long. */
const PAUSE_MS = 300;

interface FileInputProps {
  readonly problem: string | undefined;
  readonly onChoose: (file: File) => void;
}

/** The control of the browser, which looks like our buttons. Its text is not kept: a file may have megabytes. */
function FileInput({ problem, onChoose }: FileInputProps) {
  const id = useId();
  const [name, setName] = useKept('text', '', 'import');
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0];
    if (!file) return;
    setName(file.name);
    onChoose(file);
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
          onChange={choose}
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

const parsedFile = (file: File): Promise<Parsed> =>
  file.text().then(parseExport, () => ({ problem: words.unreadable }));

/** Reports what was given last: a slow file is not reported after another file or a text. */
function useNewest(onChange: SourceFieldProps['onChange']) {
  const newest = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const begin = () => {
    clearTimeout(timer.current);
    newest.current++;
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    give: (parsed: Parsed | null) => {
      begin();
      onChange(parsed);
    },
    giveFile: async (file: File) => {
      begin();
      const mine = newest.current;
      onChange(null);
      const parsed = await parsedFile(file);
      if (mine === newest.current) onChange(parsed);
    },
    giveLater: (text: string) => {
      begin();
      onChange(null);
      timer.current = setTimeout(() => onChange(parseExport(text)), PAUSE_MS);
    },
  };
}

/** A file, or text. */
export function SourceField({ problem, onChange }: SourceFieldProps) {
  const [source, setSource] = useKept<Source>('source', 'file', 'import');
  const [text, setText] = useKept('text', '', 'import');
  const { give, giveFile, giveLater } = useNewest(onChange);
  const type = (value: string) => {
    setText(value);
    if (value.trim() === '') give(null);
    else if (value.length <= PARSED_AT_ONCE_MAX) give(parseExport(value));
    else giveLater(value);
  };
  return (
    <div className={styles.stack}>
      <div>
        <Segmented<Source>
          label={words.source}
          value={source}
          onChange={(next) => {
            setSource(next);
            give(next === 'pasted' && text.trim() !== '' ? parseExport(text) : null);
          }}
          options={[
            { value: 'file', label: words.sources.file },
            { value: 'pasted', label: words.sources.pasted },
          ]}
        />
      </div>
      {source === 'file' ? (
        <FileInput problem={problem} onChoose={(file) => void giveFile(file)} />
      ) : (
        <Field label={words.pasted} error={problem}>
          <TextArea mono rows={8} value={text} onChange={({ target: { value } }) => type(value)} />
        </Field>
      )}
    </div>
  );
}
