import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import type { ContextField } from '../../domain/model.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { UsedBy } from '../../parts/UsedBy.tsx';
import { ValuesEditor } from '../../strategies/ValuesEditor.tsx';
import { context as words } from '../../words/en/context.ts';
import { parts } from '../../words/en/parts.ts';
import { usedBy } from '../../words/en/segments.ts';
import {
  contextUseQuery,
  createField,
  EMPTY,
  type FieldValues,
  saveField,
  sentencesOf,
  valuesOf,
} from './context-data.ts';

interface FieldsProps {
  readonly values: FieldValues;
  readonly onChange: (values: FieldValues) => void;
}

function Fields({ values, onChange }: FieldsProps) {
  const { legalValues } = values;
  const setNames = (names: readonly string[]) => {
    const old = new Map(legalValues.map((one) => [one.value, one]));
    onChange({ ...values, legalValues: names.map((value) => old.get(value) ?? { value, description: '' }) });
  };
  return (
    <>
      <Field label={words.description}>
        <TextArea
          rows={2}
          maxLength={2000}
          value={values.description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
      <Checkbox
        label={words.stickiness}
        checked={values.stickiness}
        onChange={(stickiness) => onChange({ ...values, stickiness })}
      />
      <section className={styles.stack}>
        <h3 className={styles.heading}>{words.legalValues}</h3>
        <p className={styles.quiet}>{words.legalHint}</p>
        {legalValues.length > 0 && (
          <ul className={styles.tight}>
            {legalValues.map(({ value, description }) => (
              <li key={value} className={styles.pair}>
                <code className={styles.cut}>{value}</code>
                <TextInput
                  size="small"
                  aria-label={words.describe(value)}
                  placeholder={words.valueDescription}
                  value={description}
                  onChange={(event) =>
                    onChange({
                      ...values,
                      legalValues: legalValues.map((one) =>
                        one.value === value ? { value, description: event.target.value } : one,
                      ),
                    })
                  }
                />
                <IconButton
                  size="small"
                  icon={<X aria-hidden />}
                  label={words.removeValue(value)}
                  onClick={() => onChange({ ...values, legalValues: legalValues.filter((one) => one.value !== value) })}
                />
              </li>
            ))}
          </ul>
        )}
        <ValuesEditor
          isListed={false}
          label={words.addValues}
          values={legalValues.map(({ value }) => value)}
          onChange={setNames}
        />
      </section>
    </>
  );
}

export function CreateField({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useKept('name', '');
  const [values, setValues] = useKept('values', EMPTY);
  const mayNot = useMay('CREATE_CONTEXT_FIELD');
  return (
    <EditPanel<ContextField>
      title={words.createTitle}
      mayNot={mayNot}
      problem={name === '' ? parts.fieldMissing(words.name) : undefined}
      label={words.create}
      save={() => createField(name, values)}
      saved={{ canUndo: true, text: words.created(name), refresh: [keys.contextFields] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} required>
        <TextInput
          autoFocus
          mono
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value.trim())}
        />
      </Field>
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}

export function EditField({ field, onClose }: { readonly field: ContextField; readonly onClose: () => void }) {
  const [base] = useState(() => valuesOf(field));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('UPDATE_CONTEXT_FIELD');
  const { data: strategies } = useQuery(contextUseQuery(field.name));
  return (
    <EditPanel<unknown>
      title={<code>{field.name}</code>}
      mayNot={mayNot}
      sentences={sentencesOf(base, values)}
      effects={strategies && <UsedBy title={usedBy.title} strategies={strategies} />}
      save={(reason) => saveField(field.name, base, values, reason)}
      saved={{
        canUndo: true,
        text: words.saved(field.name),
        refresh: [keys.contextFields, keys.contextField(field.name)],
      }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}
