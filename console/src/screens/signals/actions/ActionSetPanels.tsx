import { useState } from 'react';
import type { ActionSet } from '../../../data/action-sets.ts';
import { useKept } from '../../../data/kept.ts';
import { keys } from '../../../data/keys.ts';
import { type MayNot, useMay, useMayIn } from '../../../data/may.ts';
import { useProductionNames } from '../../../data/settings.ts';
import { EditPanel } from '../../../parts/EditPanel.tsx';
import { check, FieldList, text } from '../../../parts/fields.tsx';
import { actions as words } from '../../../words/en/actions.ts';
import { parts } from '../../../words/en/parts.ts';
import {
  type ActionValues,
  afterActionSet,
  createActionSet,
  EMPTY,
  problemOf,
  saveActionSet,
  sentencesOf,
  useNames,
  valuesOf,
} from './action-data.ts';
import { FilterFields } from './FilterFields.tsx';
import { ActorField, SourceField } from './SenderFields.tsx';
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

const NAME = { name: text(parts.name, { max: 100, hint: words.nameHint, isRequired: true }) };
const MORE = {
  description: text(parts.description, { max: 255 }),
  enabled: check(words.enabled, true, words.enabledHint),
};

function ActionSetFields({ project, values, onChange }: FieldsProps) {
  return (
    <>
      <FieldList fields={NAME} values={values} onChange={(_, changed) => onChange({ ...values, ...changed })} />
      <SourceField values={values} onChange={onChange} />
      <FilterFields
        sourceId={values.sourceId}
        filters={values.filters}
        onChange={(filters) => onChange({ ...values, filters })}
      />
      <StepFields project={project} steps={values.steps} onChange={(steps) => onChange({ ...values, steps })} />
      <ActorField project={project} values={values} onChange={onChange} />
      <FieldList fields={MORE} values={values} onChange={(_, changed) => onChange({ ...values, ...changed })} />
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
  const [values, setValues] = useKept('values', EMPTY);
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
  const [values, setValues] = useKept('values', base);
  const { project, id } = set;
  return (
    <EditPanel<ActionSet>
      title={parts.editTitle(set.name)}
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
