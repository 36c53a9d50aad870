import { useStrategyTypes } from '../data/feature.ts';
import { useContextFields } from '../data/settings.ts';
import type { StrategyDraft } from '../domain/model.ts';
import { Field } from '../kit/inputs/Field.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { asText, check, FieldList, type FieldOf, firstOf, percentage, select, text } from '../parts/fields.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import styles from './Editor.module.css';
import { ValuesEditor } from './ValuesEditor.tsx';

interface ParametersProps {
  readonly strategy: StrategyDraft;
  readonly feature: string;
  readonly onChange: (parameters: StrategyDraft['parameters']) => void;
}

function useStickinesses() {
  const { data } = useContextFields();
  const known = Object.entries(words.stickinesses).map(([value, label]) => ({ value, label }));
  const own = (data ?? [])
    .filter(({ name, stickiness }) => stickiness && !(name in words.stickinesses))
    .map(({ name }) => ({ value: name, label: name }));
  return [...known, ...own];
}

/** The group is seldom changed. */
const group: FieldOf<string> = {
  label: words.groupId,
  first: '',
  show: ({ value, onChange }) => (
    <details>
      <summary className={styles.summary}>{words.groupId}</summary>
      <Field label={words.groupId} isLabelHidden hint={words.groupIdHint}>
        <TextInput mono value={value} onChange={({ target }) => onChange(target.value)} />
      </Field>
    </details>
  ),
};

function Rollout({ strategy, feature, onChange }: ParametersProps) {
  const { parameters } = strategy;
  const fields = {
    rollout: percentage(words.rollout, parameters.rollout === undefined ? words.rolloutMissing : undefined),
    stickiness: select(words.stickiness, useStickinesses(), { hint: words.stickinessHint }),
    groupId: group,
  };
  const values = { rollout: '', stickiness: 'default', groupId: feature, ...parameters };
  return (
    <FieldList
      fields={fields}
      values={values}
      onChange={(_, changed) => onChange({ ...parameters, ...(changed as typeof parameters) })}
    />
  );
}

const list = (label: string): FieldOf<readonly string[]> => ({
  label,
  first: [],
  show: ({ value, onChange }) => <ValuesEditor label={label} values={value} onChange={onChange} />,
});

const partsOf = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

type Parameter = NonNullable<ReturnType<typeof useStrategyTypes>['data']>[number]['parameters'][number];

function fieldOf({ name, type, description, required }: Parameter): FieldOf<string> {
  if (type === 'percentage') return percentage(name);
  if (type === 'boolean') return asText(check(name, false, description), (text) => text === 'true', String);
  if (type === 'list') return asText(list(name), partsOf, (values) => values.join(','));
  const inputMode = type === 'number' ? 'decimal' : 'text';
  return text(name, { mono: true, hint: description, isRequired: required, inputMode });
}

/** The parameters of a strategy: a rollout, or what its type asks for. */
export function Parameters(props: ParametersProps) {
  const { strategy, onChange } = props;
  const { data } = useStrategyTypes();
  if (strategy.name === 'flexibleRollout') return <Rollout {...props} />;
  const parameters = data?.find(({ name }) => name === strategy.name)?.parameters ?? [];
  const fields = Object.fromEntries(parameters.map((one) => [one.name, fieldOf(one)]));
  const values = { ...firstOf(fields), ...strategy.parameters };
  return (
    <FieldList
      fields={fields}
      values={values}
      onChange={(_, changed) => onChange({ ...strategy.parameters, ...(changed as typeof strategy.parameters) })}
    />
  );
}
