import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import { choice, FieldList, problemIn, text } from '../parts/fields.tsx';
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

const WINDOW_MAX = 1_440;
const isMetric = ({ source }: Readonly<Record<string, unknown>>) => source === 'metric';

const measure = {
  source: choice<Values['source']>(words.source, words.sources, 'metric'),
  query: text(words.query, {
    mono: true,
    max: 2_000,
    hint: words.queryHint,
    isRequired: true,
    when: (values) => !isMetric(values),
  }),
  metricName: text(words.metric, { mono: true, max: 150, hint: words.metricHint, isRequired: true, when: isMetric }),
  aggregation: { ...choice<Values['aggregation']>(words.aggregation, words.aggregations, 'count'), when: isMetric },
};
const level = {
  operator: choice<Values['operator']>(words.operator, words.operators, '>'),
  threshold: text(words.threshold, {
    inputMode: 'decimal',
    isRequired: true,
    problem: (value) => (Number.isFinite(Number(value)) ? undefined : words.thresholdWrong),
  }),
};
const windowOf = ({ source }: Values) => ({
  windowMinutes: text(source === 'query' ? words.queryWindow : words.window, {
    inputMode: 'numeric',
    isRequired: true,
    problem: (value) => (/^\d+$/.test(value) && isWindow(Number(value)) ? undefined : words.windowWrong),
  }),
});
const isWindow = (minutes: number) => minutes >= 1 && minutes <= WINDOW_MAX;
const effect = { action: choice<Values['action']>(words.action, words.guardActions, 'pause') };

interface SafeguardDialogProps extends OfEnvironment {
  /** Undefined: a safeguard of the flag itself. */
  readonly plan: Plan | undefined;
  readonly guard: Safeguard | undefined;
}

/** Adds a safeguard to the plan or to the flag, or changes one. */
export function SafeguardDialog({ guard, plan, target, info, onClose }: SafeguardDialogProps) {
  const isOfFlag = plan === undefined;
  const [values, setValues] = useKept('values', () => (guard ? valuesOf(guard) : EMPTY));
  const set = (_: unknown, changed: Partial<Values>) => setValues((before) => ({ ...before, ...changed }));
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', target.project, target.environment);
  const mayNotSwitch = useMay('UPDATE_FEATURE_ENVIRONMENT', target.project, target.environment);
  const safeguard = bodyOf(values, guard, isOfFlag);
  return (
    <PlanDialog
      target={target}
      info={info}
      title={guard ? words.guardTitle : words.newGuard}
      sentences={isOfFlag ? [words.flagEffect] : []}
      label={partWords.save}
      mayNot={mayNotUpdate ?? (safeguard.action === 'disable' ? mayNotSwitch : undefined)}
      problem={problemIn({ ...measure, ...level, ...windowOf(values) }, values, true)}
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
      <FieldList fields={measure} values={values} onChange={set} />
      <div className={styles.pair}>
        <FieldList fields={level} values={values} onChange={set} />
      </div>
      <FieldList fields={windowOf(values)} values={values} onChange={set} />
      {!isOfFlag && <FieldList fields={effect} values={values} onChange={set} />}
    </PlanDialog>
  );
}
