import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { guards as words } from '../words/en/flags/safeguards.ts';
import { parts as partWords } from '../words/en/parts.ts';
import type { OfEnvironment } from './PlanActs.tsx';
import { PlanDialog } from './PlanDialog.tsx';
import { type Plan, type Safeguard, type SafeguardBody, saveSafeguard } from './plan-data.ts';
import styles from './Release.module.css';

interface Values {
  readonly source: keyof typeof words.sources;
  readonly metricName: string;
  readonly query: string;
  readonly aggregation: Safeguard['aggregation'];
  readonly operator: Safeguard['operator'];
  readonly threshold: string;
  readonly windowMinutes: string;
  readonly action: Safeguard['action'];
}

const EMPTY: Values = {
  source: 'metric',
  metricName: '',
  query: '',
  aggregation: 'count',
  operator: '>',
  threshold: '',
  windowMinutes: '15',
  action: 'pause',
};

const valuesOf = ({ threshold, windowMinutes, query, ...guard }: Safeguard): Values => ({
  ...guard,
  source: query === null ? 'metric' : 'query',
  query: query ?? '',
  threshold: String(threshold),
  windowMinutes: String(windowMinutes),
});

/** The condition as it is sent. */
function bodyOf(values: Values, guard: Safeguard | undefined, isOfFlag: boolean): Omit<SafeguardBody, 'id'> {
  const { source, metricName, query, aggregation, operator, threshold, windowMinutes } = values;
  const measure =
    source === 'query'
      ? { query: query.trim() }
      : { metricName: metricName.trim(), aggregation, labels: guard?.labels ?? {} };
  const action = isOfFlag ? 'disable' : values.action;
  return { ...measure, operator, threshold: Number(threshold), windowMinutes: Number(windowMinutes), action };
}

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

/** The metric or the query. */
function Measure({ values, set }: Omit<FieldsProps, 'isOfFlag'>) {
  return (
    <>
      <Field label={words.source}>
        <Select
          options={optionsOf(words.sources)}
          value={values.source}
          onChange={(value) => set({ source: value as Values['source'] })}
        />
      </Field>
      {values.source === 'query' ? (
        <Field label={words.query} hint={words.queryHint} required>
          <TextInput
            mono
            maxLength={2_000}
            value={values.query}
            onChange={(event) => set({ query: event.target.value })}
          />
        </Field>
      ) : (
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
        </>
      )}
    </>
  );
}

interface FieldsProps {
  readonly isOfFlag: boolean;
  readonly values: Values;
  readonly set: (values: Partial<Values>) => void;
}

function Fields({ values, set, isOfFlag }: FieldsProps) {
  const problems = problemsOf(values);
  return (
    <>
      <Measure values={values} set={set} />
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
      <Field label={values.source === 'query' ? words.queryWindow : words.window} error={problems.window}>
        <TextInput
          inputMode="numeric"
          value={values.windowMinutes}
          onChange={(event) => set({ windowMinutes: event.target.value.replace(/\D/g, '') })}
        />
      </Field>
      {!isOfFlag && (
        <Field label={words.action}>
          <Select
            options={optionsOf(words.guardActions)}
            value={values.action}
            onChange={(value) => set({ action: value as Values['action'] })}
          />
        </Field>
      )}
    </>
  );
}

interface SafeguardDialogProps extends OfEnvironment {
  /** Undefined: a safeguard of the flag itself. */
  readonly plan: Plan | undefined;
  readonly guard: Safeguard | undefined;
}

/** Adds a safeguard to the plan or to the flag, or changes one. */
export function SafeguardDialog({ guard, plan, target, info, onClose }: SafeguardDialogProps) {
  const isOfFlag = plan === undefined;
  const [values, setValues] = useKept('values', () => (guard ? valuesOf(guard) : EMPTY));
  const problems = problemsOf(values);
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', target.project, target.environment);
  const mayNotSwitch = useMay('UPDATE_FEATURE_ENVIRONMENT', target.project, target.environment);
  const safeguard = bodyOf(values, guard, isOfFlag);
  const isQuery = values.source === 'query';
  const isMissing = (isQuery ? safeguard.query : safeguard.metricName) === '';
  const missing = isMissing ? partWords.fieldMissing(isQuery ? words.query : words.metric) : undefined;
  return (
    <PlanDialog
      target={target}
      info={info}
      title={guard ? words.guardTitle : words.newGuard}
      sentences={isOfFlag ? [words.flagEffect] : []}
      label={partWords.save}
      mayNot={mayNotUpdate ?? (safeguard.action === 'disable' ? mayNotSwitch : undefined)}
      problem={missing ?? problems.threshold ?? problems.window}
      done={words.guardSaved}
      send={(reason) => saveSafeguard(target, plan, { ...(guard && { id: guard.id }), ...safeguard }, reason)}
      changes={[
        {
          action: 'changeSafeguard',
          payload: { ...(plan && { planId: plan.id }), ...(guard && { safeguardId: guard.id }), safeguard },
        },
      ]}
      onClose={onClose}
    >
      <Fields
        isOfFlag={isOfFlag}
        values={values}
        set={(changed) => setValues((before) => ({ ...before, ...changed }))}
      />
    </PlanDialog>
  );
}
