import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { strategyTypes as words } from '../../words/en/admin/strategy-types.ts';
import { parts } from '../../words/en/parts.ts';
import { ParametersEditor } from './ParametersEditor.tsx';
import {
  createType,
  EMPTY,
  parametersProblem,
  type StrategyType,
  saveType,
  sentencesOf,
  type TypeValues,
  valuesOf,
} from './strategy-type-data.ts';

const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]{1,100}$/;

const nameProblem = (name: string) => {
  if (name === '') return parts.fieldMissing(words.name);
  return NAME.test(name) ? undefined : words.nameWrong;
};

interface FieldsProps {
  readonly values: TypeValues;
  readonly onChange: (values: TypeValues) => void;
}

function Fields({ values, onChange }: FieldsProps) {
  const { title, description, parameters } = values;
  return (
    <>
      <Field label={words.titleField} hint={words.titleHint}>
        <TextInput
          maxLength={500}
          value={title}
          onChange={(event) => onChange({ ...values, title: event.target.value })}
        />
      </Field>
      <Field label={words.description}>
        <TextArea
          rows={2}
          maxLength={10_000}
          value={description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
      <ParametersEditor parameters={parameters} onChange={(next) => onChange({ ...values, parameters: next })} />
    </>
  );
}

export function CreateStrategyType({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useKept('name', '');
  const [values, setValues] = useKept('values', EMPTY);
  const mayNot = useMay('CREATE_STRATEGY');
  return (
    <EditPanel<StrategyType>
      title={words.createTitle}
      mayNot={mayNot}
      problem={nameProblem(name) ?? parametersProblem(values.parameters)}
      label={parts.create}
      save={() => createType(name, values)}
      saved={{ canUndo: true, text: words.created(name), refresh: [keys.strategyTypes] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} error={name === '' ? undefined : nameProblem(name)} required>
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

interface PanelProps {
  readonly type: StrategyType;
  readonly onClose: () => void;
}

export function EditStrategyType({ type, onClose }: PanelProps) {
  const { name } = type;
  const [base] = useState(() => valuesOf(type));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('UPDATE_STRATEGY');
  return (
    <EditPanel<unknown>
      title={<code>{name}</code>}
      mayNot={mayNot}
      problem={parametersProblem(values.parameters)}
      sentences={sentencesOf(base, values)}
      save={(reason) => saveType(name, base, values, reason)}
      saved={{ canUndo: true, text: words.saved(name), refresh: [keys.strategyTypes] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}

/** A built-in type: SDKs define what it does. */
export function ShowStrategyType({ type, onClose }: PanelProps) {
  const { name, title, description, parameters } = type;
  return (
    <Inspector
      title={title ?? name}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          {parts.done}
        </Button>
      }
    >
      <div className={styles.stack}>
        <p className={styles.quiet}>{words.isBuiltIn}.</p>
        <code>{name}</code>
        {description && <p>{description}</p>}
        <h3 className={styles.heading}>{words.parameters}</h3>
        {parameters.length === 0 ? (
          <p className={styles.quiet}>{words.noParameters}</p>
        ) : (
          <dl className={styles.facts}>
            {parameters.map((parameter) => (
              <ShownParameter key={parameter.name} parameter={parameter} />
            ))}
          </dl>
        )}
      </div>
    </Inspector>
  );
}

function ShownParameter({ parameter }: { readonly parameter: StrategyType['parameters'][number] }) {
  const { name, type, description, required } = parameter;
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd>
        {words.kinds[type]}, {required ? words.required.toLowerCase() : words.optional}
        {description && <span className={styles.quiet}> {description}</span>}
      </dd>
    </>
  );
}
