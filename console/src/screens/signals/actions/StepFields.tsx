import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { useFlagRows } from '../../../data/flag-rows.ts';
import { useProductionNames, useProjectEnvironments } from '../../../data/settings.ts';
import { productionEdge } from '../../../kit/changes/EnvironmentMark.tsx';
import { classes } from '../../../kit/classes.ts';
import { Button } from '../../../kit/inputs/Button.tsx';
import { Combobox } from '../../../kit/inputs/Combobox.tsx';
import { Field } from '../../../kit/inputs/Field.tsx';
import { IconButton } from '../../../kit/inputs/IconButton.tsx';
import { Select } from '../../../kit/inputs/Select.tsx';
import { TextInput } from '../../../kit/inputs/TextInput.tsx';
import styles from '../../../parts/parts.module.css';
import editor from '../../../strategies/Editor.module.css';
import { actions as words } from '../../../words/en/actions.ts';
import { EMPTY_STEP, type Step, type Verb } from './action-data.ts';

const VERBS = Object.keys(words.verbs) as Verb[];

interface StepFieldsProps {
  readonly project: string;
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

interface OneProps extends Pick<StepFieldsProps, 'project' | 'steps'> {
  readonly index: number;
  readonly step: Step;
  readonly onMove: (by: 1 | -1) => void;
  readonly onChange: (step: Step | null) => void;
}

function Head({ index, steps, onMove, onChange }: OneProps) {
  const number = index + 1;
  return (
    <div className={styles.between}>
      <span className={styles.label}>{words.step(number)}</span>
      <span className={styles.row}>
        {steps.length > 1 && (
          <>
            <IconButton
              size="small"
              icon={<ArrowUp aria-hidden />}
              label={words.up(number)}
              reason={index === 0 ? words.isFirst : undefined}
              onClick={() => onMove(-1)}
            />
            <IconButton
              size="small"
              icon={<ArrowDown aria-hidden />}
              label={words.down(number)}
              reason={index === steps.length - 1 ? words.isLast : undefined}
              onClick={() => onMove(1)}
            />
          </>
        )}
        <IconButton
          size="small"
          icon={<Trash2 aria-hidden />}
          label={words.removeStep(number)}
          onClick={() => onChange(null)}
        />
      </span>
    </div>
  );
}

function One(props: OneProps) {
  const { project, index, step, onChange } = props;
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
      <Head {...props} />
      <Field label={words.verb}>
        <Select
          value={action}
          onChange={(next) => onChange({ ...step, action: next as Verb })}
          options={VERBS.map((value) => ({ value, label: words.verbs[value] }))}
        />
      </Field>
      <Field label={words.flag} required>
        <Combobox
          mono
          options={flags}
          value={featureName === '' ? null : featureName}
          onChange={(name) => onChange({ ...step, featureName: name ?? '' })}
        />
      </Field>
      <Field label={words.environment} required>
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
  const move = (index: number, by: 1 | -1) => {
    const [one, other] = [steps[index], steps[index + by]];
    if (one && other) onChange(steps.with(index, other).with(index + by, one));
  };
  return (
    <fieldset className={editor.group}>
      <legend className={editor.legend}>{words.steps}</legend>
      {steps.length > 1 && <p className={styles.quiet}>{words.stepsHint}</p>}
      {steps.map((step, index) => (
        <One
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity.
          key={index}
          project={project}
          index={index}
          step={step}
          steps={steps}
          onMove={(by) => move(index, by)}
          onChange={(next) => onChange(next === null ? steps.toSpliced(index, 1) : steps.with(index, next))}
        />
      ))}
      <div>
        <Button size="small" icon={<Plus aria-hidden />} onClick={() => onChange([...steps, EMPTY_STEP])}>
          {words.addStep}
        </Button>
      </div>
    </fieldset>
  );
}
