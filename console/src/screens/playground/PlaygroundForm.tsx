import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { useContextFields, useEnvironments, useProjects } from '../../data/settings.ts';
import { Button } from '../../kit/Button.tsx';
import { Combobox, MultiSelect } from '../../kit/Combobox.tsx';
import { Field } from '../../kit/Field.tsx';
import { IconButton } from '../../kit/IconButton.tsx';
import { TextInput } from '../../kit/TextInput.tsx';
import { playground as words } from '../../words/en/playground.ts';
import styles from '../parts/parts.module.css';
import own from './Playground.module.css';
import { type ContextRow, type Input, ROOT_FIELDS } from './playground-data.ts';

interface FormProps {
  readonly input: Input;
  readonly isPending: boolean;
  readonly onEvaluate: (input: Input) => void;
}

interface ContextProps {
  readonly rows: readonly ContextRow[];
  readonly onChange: (rows: readonly ContextRow[]) => void;
}

function Context({ rows, onChange }: ContextProps) {
  const { data: fields = [] } = useContextFields();
  const names = [
    ...new Set([...ROOT_FIELDS, 'appName', ...fields.map(({ name }) => name).filter((name) => name !== 'environment')]),
  ];
  const set = (index: number, row: ContextRow) => onChange(rows.with(index, row));
  return (
    <fieldset className={own.context}>
      <legend className={styles.label}>{words.context}</legend>
      {rows.map(({ field, values }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity.
        <div key={index} className={own.pair}>
          <Combobox
            mono
            allowsNew
            label={words.field}
            value={field || null}
            onChange={(next) => set(index, { field: next ?? '', values })}
            options={names.map((name) => ({ value: name, label: name }))}
          />
          <TextInput
            mono
            aria-label={words.valuesOf(field)}
            placeholder={words.values}
            value={values}
            onChange={(event) => set(index, { field, values: event.target.value })}
          />
          <IconButton
            size="small"
            icon={<X aria-hidden />}
            label={words.removeField(field)}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <p className={styles.quiet}>{words.valuesHint}</p>
      <div>
        <Button size="small" icon={<Plus aria-hidden />} onClick={() => onChange([...rows, { field: '', values: '' }])}>
          {words.addField}
        </Button>
      </div>
    </fieldset>
  );
}

/** The input, which is in the address once it was evaluated. */
export function PlaygroundForm({ input, isPending, onEvaluate }: FormProps) {
  const { data: environments = [] } = useEnvironments();
  const { data: projects = [] } = useProjects();
  const [draft, setDraft] = useState(input);
  const problem = draft.environments.length === 0 ? words.environmentsMissing : undefined;
  const evaluate = () => onEvaluate(draft);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || problem) return;
    event.preventDefault();
    evaluate();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a key for the whole form.
    <div className={own.form} onKeyDown={onKeyDown}>
      <div className={styles.stack}>
        <Field label={words.environments} required>
          <MultiSelect
            mono
            values={draft.environments}
            onChange={(next) => setDraft({ ...draft, environments: next })}
            options={environments.map(({ name }) => ({ value: name, label: name }))}
          />
        </Field>
        <Field label={words.projects}>
          <MultiSelect
            placeholder={words.allProjects}
            values={draft.projects}
            onChange={(next) => setDraft({ ...draft, projects: next })}
            options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
      </div>
      <Context rows={draft.context} onChange={(context) => setDraft({ ...draft, context })} />
      <div className={own.run}>
        <Button kind="primary" pending={isPending} reason={problem} onClick={evaluate}>
          {words.evaluate}
        </Button>
      </div>
    </div>
  );
}
