import { useMemo } from 'react';
import { useFlagRows } from '../../../data/flag-rows.ts';
import { useProductionNames, useProjectEnvironments } from '../../../data/settings.ts';
import { productionEdge } from '../../../kit/changes/EnvironmentMark.tsx';
import { classes } from '../../../kit/classes.ts';
import { Combobox } from '../../../kit/inputs/Combobox.tsx';
import { Field } from '../../../kit/inputs/Field.tsx';
import { Select } from '../../../kit/inputs/Select.tsx';
import { TextInput } from '../../../kit/inputs/TextInput.tsx';
import styles from '../../../parts/parts.module.css';
import { type Row, Rows } from '../../../parts/Rows.tsx';
import editor from '../../../strategies/Editor.module.css';
import { actions as words } from '../../../words/en/actions.ts';
import { parts } from '../../../words/en/parts.ts';
import { EMPTY_STEP, type Step, type Verb } from './action-data.ts';

const VERBS = Object.keys(words.verbs) as Verb[];

interface StepFieldsProps {
  readonly project: string;
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

interface OneProps extends Pick<StepFieldsProps, 'project'> {
  readonly row: Row<Step>;
}

function One({ project, row }: OneProps) {
  const { index, item: step, onChange } = row;
  const { action, featureName, environment } = step;
  const { rows } = useFlagRows();
  const production = useProductionNames();
  const { data: environments = [] } = useProjectEnvironments(project);
  const flags = useMemo(
    () => rows.flatMap((row) => (row.project === project ? [{ value: row.name, label: row.name }] : [])),
    [rows, project],
  );
  const isOfProduction = environment !== '' && production.has(environment);
  return (
    <fieldset className={classes(editor.constraint, productionEdge(isOfProduction))}>
      <legend className="visually-hidden">{words.step(index + 1)}</legend>
      <div className={styles.between}>
        <span className={styles.label}>{words.step(index + 1)}</span>
        <span className={styles.row}>
          {row.order}
          {row.remove}
        </span>
      </div>
      <Field label={words.verb}>
        <Select
          value={action}
          onChange={(next) => onChange({ ...step, action: next as Verb })}
          options={VERBS.map((value) => ({ value, label: words.verbs[value] }))}
        />
      </Field>
      <Field label={parts.flag} required>
        <Combobox
          mono
          options={flags}
          value={featureName === '' ? null : featureName}
          onChange={(name) => onChange({ ...step, featureName: name ?? '' })}
        />
      </Field>
      <Field label={parts.environment} required>
        <Select
          mono
          value={environment === '' ? null : environment}
          onChange={(name) => onChange({ ...step, environment: name })}
          options={environments.map(({ name, type }) => ({ value: name, label: name, hint: type }))}
        />
      </Field>
      {action === 'START_MILESTONE' && (
        <Field label={words.milestone} hint={words.milestoneHint} required>
          <TextInput
            value={step.milestone}
            onChange={(event) => onChange({ ...step, milestone: event.target.value })}
          />
        </Field>
      )}
    </fieldset>
  );
}

/** What is done, in this order. */
export function StepFields({ project, steps, onChange }: StepFieldsProps) {
  return (
    <fieldset className={editor.group}>
      <legend className={editor.legend}>{words.steps}</legend>
      {steps.length > 1 && <p className={styles.quiet}>{words.stepsHint}</p>}
      <Rows
        isOrdered
        items={steps}
        nameOf={(_, index) => words.stepName(index + 1)}
        addLabel={words.addStep}
        make={() => EMPTY_STEP}
        onChange={onChange}
      >
        {(row) => <One project={project} row={row} />}
      </Rows>
    </fieldset>
  );
}
