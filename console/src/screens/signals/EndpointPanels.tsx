import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { signals as words } from '../../words/en/admin/signals.ts';
import { parts } from '../../words/en/parts.ts';
import { fieldSentences } from '../parts/differences.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import {
  afterEndpoint,
  createEndpoint,
  EMPTY,
  type EndpointValues,
  problemOf,
  type SignalEndpoint,
  saveEndpoint,
  valuesOf,
} from './signal-data.ts';

interface FieldsProps {
  readonly values: EndpointValues;
  readonly isNew?: boolean;
  readonly onChange: (values: EndpointValues) => void;
}

function EndpointFields({ values, isNew = false, onChange }: FieldsProps) {
  const { name, description } = values;
  return (
    <>
      <Field
        label={words.name}
        hint={words.nameHint}
        error={name.trim() === '' ? undefined : problemOf(values)}
        required
      >
        <TextInput
          mono
          autoFocus={isNew}
          maxLength={100}
          value={name}
          onChange={(event) => onChange({ ...values, name: event.target.value })}
        />
      </Field>
      <Field label={words.description} hint={words.descriptionHint}>
        <TextInput
          maxLength={255}
          value={description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
    </>
  );
}

interface CreateProps {
  readonly onCreated: (endpoint: SignalEndpoint) => void;
  readonly onClose: () => void;
}

export function CreateEndpoint({ onCreated, onClose }: CreateProps) {
  const [values, setValues] = useKept('values', EMPTY);
  return (
    <EditPanel<SignalEndpoint>
      title={words.createTitle}
      mayNot={useMay('ADMIN')}
      problem={problemOf(values)}
      label={parts.create}
      save={() => createEndpoint(values)}
      saved={{ text: words.created(values.name.trim()), refresh: [keys.signalEndpoints] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <EndpointFields isNew values={values} onChange={setValues} />
    </EditPanel>
  );
}

const NAMES = { name: words.name, description: words.description };

interface EditProps {
  readonly endpoint: SignalEndpoint;
  readonly onClose: () => void;
}

export function EditEndpoint({ endpoint, onClose }: EditProps) {
  const [base] = useState(() => valuesOf(endpoint));
  const [values, setValues] = useKept('values', base);
  const { id } = endpoint;
  return (
    <EditPanel<SignalEndpoint>
      title={words.editTitle(endpoint.name)}
      mayNot={useMay('ADMIN')}
      problem={problemOf(values)}
      sentences={fieldSentences(base, values, NAMES)}
      effects={values.name !== base.name && <Banner tone="warn">{words.renamed}</Banner>}
      save={(reason) => saveEndpoint(id, base, values, reason)}
      saved={{ text: words.saved(values.name.trim()), refresh: afterEndpoint(id) }}
      onSaved={onClose}
      onClose={onClose}
    >
      <EndpointFields values={values} onChange={setValues} />
    </EditPanel>
  );
}
