import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextArea, TextInput } from '../../kit/inputs/TextInput.tsx';
import { tags as words } from '../../words/en/admin/tags.ts';
import { parts } from '../../words/en/parts.ts';
import { fieldSentences } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import { Swatch } from './Swatch.tsx';
import { TagValues } from './TagValues.tsx';
import { createType, EMPTY, saveType, type TagType, type TagTypeValues, valuesOf } from './tag-data.ts';

const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]{2,50}$/;
const COLOR = /^#[0-9a-f]{6}$/i;

const nameProblem = (name: string) => {
  if (name === '') return parts.fieldMissing(words.name);
  return NAME.test(name) ? undefined : words.nameWrong;
};
const colorProblem = (color: string) => (color === '' || COLOR.test(color) ? undefined : words.colorWrong);

interface FieldsProps {
  readonly values: TagTypeValues;
  readonly onChange: (values: TagTypeValues) => void;
}

function Fields({ values, onChange }: FieldsProps) {
  const { description, color } = values;
  return (
    <>
      <Field label={words.description}>
        <TextArea
          rows={2}
          maxLength={10_000}
          value={description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
      <Field label={words.color} hint={words.colorHint} error={colorProblem(color)}>
        <TextInput
          mono
          maxLength={7}
          leading={<Swatch color={colorProblem(color) ? null : color} />}
          value={color}
          onChange={(event) => onChange({ ...values, color: event.target.value.trim() })}
        />
      </Field>
    </>
  );
}

export function CreateTagType({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useKept('name', '');
  const [values, setValues] = useKept('values', EMPTY);
  const mayNot = useMay('CREATE_TAG_TYPE');
  return (
    <EditPanel<TagType>
      title={words.createTitle}
      mayNot={mayNot}
      problem={nameProblem(name) ?? colorProblem(values.color)}
      label={parts.create}
      save={() => createType(name, values)}
      saved={{ canUndo: true, text: words.created(name), refresh: [keys.tagTypes] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Field label={words.name} hint={words.nameHint} error={name === '' ? undefined : nameProblem(name)} required>
        <TextInput
          autoFocus
          mono
          maxLength={50}
          value={name}
          onChange={(event) => setName(event.target.value.trim())}
        />
      </Field>
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}

const NAMES = { description: words.description, color: words.color } as const;

export function EditTagType({ type, onClose }: { readonly type: TagType; readonly onClose: () => void }) {
  const { name } = type;
  const [base] = useState(() => valuesOf(type));
  const [values, setValues] = useKept('values', base);
  const mayNot = useMay('UPDATE_TAG_TYPE');
  return (
    <EditPanel<unknown>
      title={<code>{name}</code>}
      mayNot={mayNot}
      problem={colorProblem(values.color)}
      sentences={fieldSentences(base, values, NAMES)}
      effects={<TagValues type={name} />}
      save={(reason) => saveType(name, base, values, reason)}
      saved={{ canUndo: true, text: words.saved(name), refresh: [keys.tagTypes] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields values={values} onChange={setValues} />
    </EditPanel>
  );
}
