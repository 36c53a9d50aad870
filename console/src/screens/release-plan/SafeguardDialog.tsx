import { useState } from 'react';
import { useMay } from '../../data/may.ts';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { plans as words } from '../../words/en/flags/release.ts';
import { parts as partWords } from '../../words/en/parts.ts';
import type { OfPlan } from './PlanActs.tsx';
import { PlanDialog } from './PlanDialog.tsx';
import { type Safeguard, saveSafeguard } from './plan-data.ts';
import styles from './Release.module.css';

interface Values {
  readonly metricName: string;
  readonly aggregation: Safeguard['aggregation'];
  readonly operator: Safeguard['operator'];
  readonly threshold: string;
  readonly windowMinutes: string;
  readonly action: Safeguard['action'];
}

const EMPTY: Values = {
  ...{ metricName: '', aggregation: 'count', operator: '>', threshold: '', windowMinutes: '15', action: 'pause' },
};

const valuesOf = ({ threshold, windowMinutes, ...guard }: Safeguard): Values => ({
  ...guard,
  ...{ threshold: String(threshold), windowMinutes: String(windowMinutes) },
});

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const WINDOW_MAX = 1_440;

function problemsOf({ threshold, windowMinutes }: Values) {
  const minutes = Number(windowMinutes);
  return {
    threshold: threshold.trim() === '' || !Number.isFinite(Number(threshold)) ? words.thresholdWrong : undefined,
    window: Number.isInteger(minutes) && minutes >= 1 && minutes <= WINDOW_MAX ? undefined : words.windowWrong,
  };
}

interface FieldsProps {
  readonly values: Values;
  readonly set: (values: Partial<Values>) => void;
}

function Fields({ values, set }: FieldsProps) {
  const problems = problemsOf(values);
  return (
    <>
      <Field label={words.metric} hint={words.metricHint} required>
        <TextInput
          mono
          maxLength={150}
          value={values.metricName}
          onChange={(event) => set({ metricName: event.target.value })}
        />
      </Field>
      <Field label={words.aggregation}>
        <Select
          options={optionsOf(words.aggregations)}
          value={values.aggregation}
          onChange={(value) => set({ aggregation: value as Values['aggregation'] })}
        />
      </Field>
      <div className={styles.pair}>
        <Field label={words.operator}>
          <Select
            options={optionsOf(words.operators)}
            value={values.operator}
            onChange={(value) => set({ operator: value as Values['operator'] })}
          />
        </Field>
        <Field label={words.threshold} error={values.threshold === '' ? undefined : problems.threshold} required>
          <TextInput
            inputMode="decimal"
            value={values.threshold}
            onChange={(event) => set({ threshold: event.target.value })}
          />
        </Field>
      </div>
      <Field label={words.window} error={problems.window}>
        <TextInput
          inputMode="numeric"
          value={values.windowMinutes}
          onChange={(event) => set({ windowMinutes: event.target.value.replace(/\D/g, '') })}
        />
      </Field>
      <Field label={words.action}>
        <Select
          options={optionsOf(words.guardActions)}
          value={values.action}
          onChange={(value) => set({ action: value as Values['action'] })}
        />
      </Field>
    </>
  );
}

/** Adds a safeguard to the plan, or changes one. */
export function SafeguardDialog({ guard, ...of }: OfPlan & { readonly guard: Safeguard | undefined }) {
  const { target, info, plan, onClose } = of;
  const [values, setValues] = useState(() => (guard ? valuesOf(guard) : EMPTY));
  const problems = problemsOf(values);
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', target.project, target.environment);
  const mayNotSwitch = useMay('UPDATE_FEATURE_ENVIRONMENT', target.project, target.environment);
  const { metricName, aggregation, operator, action } = values;
  const safeguard = {
    ...{ metricName: metricName.trim(), aggregation, operator, action, labels: guard?.labels ?? {} },
    ...{ threshold: Number(values.threshold), windowMinutes: Number(values.windowMinutes) },
  };
  const nameMissing = safeguard.metricName === '' ? partWords.fieldMissing(words.metric) : undefined;
  return (
    <PlanDialog
      target={target}
      info={info}
      title={guard ? words.guardTitle : words.newGuard}
      sentences={[]}
      label={partWords.save}
      mayNot={mayNotUpdate ?? (action === 'disable' ? mayNotSwitch : undefined)}
      problem={nameMissing ?? problems.threshold ?? problems.window}
      done={words.guardSaved}
      send={(reason) => saveSafeguard(target, plan, { ...(guard && { id: guard.id }), ...safeguard }, reason)}
      change={{
        action: 'changeSafeguard',
        payload: { planId: plan.id, ...(guard && { safeguardId: guard.id }), safeguard },
      }}
      onClose={onClose}
    >
      <Fields values={values} set={(changed) => setValues((before) => ({ ...before, ...changed }))} />
    </PlanDialog>
  );
}
