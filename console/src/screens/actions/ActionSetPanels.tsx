import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { keys } from '../../data/keys.ts';
import { type MayNot, useMay, useMayIn } from '../../data/may.ts';
import { useProductionNames } from '../../data/settings.ts';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { path } from '../../paths.ts';
import { actions as words } from '../../words/en/actions.ts';
import { parts } from '../../words/en/parts.ts';
import { EditPanel } from '../parts/EditPanel.tsx';
import styles from '../parts/parts.module.css';
import { nameOf } from '../people/people-data.ts';
import { signalEndpointsQuery } from '../signals/signal-data.ts';
import {
  type ActionSet,
  type ActionValues,
  afterActionSet,
  createActionSet,
  EMPTY,
  problemOf,
  saveActionSet,
  sentencesOf,
  useActors,
  useNames,
  valuesOf,
} from './action-data.ts';
import { FilterFields } from './FilterFields.tsx';
import { StepFields } from './StepFields.tsx';

export const WRITING = ['UPDATE_PROJECT', 'PROJECT_SETTINGS_WRITE'] as const;

/** Who saves an action must be allowed to make each of its steps. */
export function useMayNotSave(project: string, { steps }: Pick<ActionValues, 'steps'>): MayNot {
  const mayNot = useMay(WRITING, project);
  const mayIn = useMayIn();
  const missing = steps.map(({ environment }) =>
    environment === '' ? undefined : mayIn('UPDATE_FEATURE_ENVIRONMENT', project, environment),
  );
  return mayNot ?? missing.find((reason) => reason !== undefined);
}

interface FieldsProps {
  readonly project: string;
  readonly values: ActionValues;
  readonly onChange: (values: ActionValues) => void;
}

type OneField = Pick<FieldsProps, 'values' | 'onChange'>;

function SourceField({ values, onChange }: OneField) {
  const { data: endpoints } = useQuery(signalEndpointsQuery);
  if (endpoints?.length === 0)
    return (
      <p>
        {words.noSource}{' '}
        <Link className={styles.inline} href={path('signals')}>
          {words.toSignals}
        </Link>
      </p>
    );
  return (
    <Field label={words.source} hint={words.sourceHint} required>
      <Select
        mono
        value={values.sourceId === null ? null : String(values.sourceId)}
        onChange={(id) => onChange({ ...values, sourceId: Number(id) })}
        options={(endpoints ?? []).map(({ id, name, description }) => ({
          value: String(id),
          label: name,
          ...(description && { hint: description }),
        }))}
      />
    </Field>
  );
}

function ActorField({ values, onChange }: OneField) {
  const actors = useActors();
  if (actors?.length === 0)
    return (
      <p>
        {words.noActor}{' '}
        <Link className={styles.inline} href={path('serviceAccounts')}>
          {words.toAccounts}
        </Link>
      </p>
    );
  return (
    <Field label={words.actor} hint={words.actorHint} required>
      <Select
        value={values.actorId === null ? null : String(values.actorId)}
        onChange={(id) => onChange({ ...values, actorId: Number(id) })}
        options={(actors ?? []).map((account) => ({ value: String(account.id), label: nameOf(account) }))}
      />
    </Field>
  );
}

function ActionSetFields({ project, values, onChange }: FieldsProps) {
  return (
    <>
      <Field label={words.name} hint={words.nameHint} required>
        <TextInput
          maxLength={100}
          value={values.name}
          onChange={(event) => onChange({ ...values, name: event.target.value })}
        />
      </Field>
      <SourceField values={values} onChange={onChange} />
      <FilterFields
        sourceId={values.sourceId}
        filters={values.filters}
        onChange={(filters) => onChange({ ...values, filters })}
      />
      <StepFields project={project} steps={values.steps} onChange={(steps) => onChange({ ...values, steps })} />
      <ActorField values={values} onChange={onChange} />
      <Field label={words.description}>
        <TextInput
          maxLength={255}
          value={values.description}
          onChange={(event) => onChange({ ...values, description: event.target.value })}
        />
      </Field>
      <Checkbox
        label={words.enabled}
        hint={words.enabledHint}
        checked={values.enabled}
        onChange={(enabled) => onChange({ ...values, enabled })}
      />
    </>
  );
}

function useIsForProduction({ steps }: ActionValues): boolean {
  const production = useProductionNames();
  return steps.some(({ environment }) => production.has(environment));
}

interface CreateProps {
  readonly project: string;
  readonly onCreated: (set: ActionSet) => void;
  readonly onClose: () => void;
}

export function CreateActionSet({ project, onCreated, onClose }: CreateProps) {
  const [values, setValues] = useState(EMPTY);
  return (
    <EditPanel<ActionSet>
      title={words.createTitle}
      production={useIsForProduction(values)}
      mayNot={useMayNotSave(project, values)}
      problem={problemOf(values)}
      label={parts.create}
      save={() => createActionSet(project, values)}
      saved={{ text: words.created(values.name.trim()), refresh: [keys.actionSets(project)] }}
      onSaved={onCreated}
      onClose={onClose}
    >
      <ActionSetFields project={project} values={values} onChange={setValues} />
    </EditPanel>
  );
}

interface EditProps {
  readonly set: ActionSet;
  readonly onClose: () => void;
}

export function EditActionSet({ set, onClose }: EditProps) {
  const [base] = useState(() => valuesOf(set));
  const [values, setValues] = useState(base);
  const { project, id } = set;
  return (
    <EditPanel<ActionSet>
      title={words.editTitle(set.name)}
      production={useIsForProduction(values)}
      mayNot={useMayNotSave(project, values)}
      problem={problemOf(values)}
      sentences={sentencesOf(base, values, useNames())}
      save={(reason) => saveActionSet(project, id, base, values, reason)}
      saved={{ text: words.saved(values.name.trim()), refresh: afterActionSet(project, id) }}
      onSaved={onClose}
      onClose={onClose}
    >
      <ActionSetFields project={project} values={values} onChange={setValues} />
    </EditPanel>
  );
}
