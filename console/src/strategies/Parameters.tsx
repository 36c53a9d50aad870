import { useStrategyTypes } from '../data/feature.ts';
import { useContextFields } from '../data/settings.ts';
import type { StrategyDraft } from '../domain/model.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
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

function Percentage({
  label,
  hint,
  value,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      <span className={styles.percentage}>
        <input
          type="range"
          min={0}
          max={100}
          aria-label={label}
          value={Number(value) || 0}
          onChange={(event) => onChange(event.target.value)}
        />
        <TextInput
          className={styles.number}
          inputMode="numeric"
          value={value}
          trailing="%"
          onChange={(event) => {
            const digits = event.target.value.replace(/\D/g, '').slice(0, 3);
            onChange(digits === '' ? '' : String(Math.min(100, Number(digits))));
          }}
        />
      </span>
    </Field>
  );
}

function Rollout({ strategy, feature, onChange }: ParametersProps) {
  const { parameters } = strategy;
  const set = (name: string, value: string) => onChange({ ...parameters, [name]: value });
  const stickinesses = useStickinesses();
  return (
    <>
      <Percentage
        label={words.rollout}
        hint={parameters.rollout === undefined ? words.rolloutMissing : undefined}
        value={parameters.rollout ?? ''}
        onChange={(value) => set('rollout', value)}
      />
      <Field label={words.stickiness} hint={words.stickinessHint}>
        <Select
          options={stickinesses}
          value={parameters.stickiness ?? 'default'}
          onChange={(value) => set('stickiness', value)}
        />
      </Field>
      <details>
        <summary className={styles.summary}>{words.groupId}</summary>
        <Field label={words.groupId} isLabelHidden hint={words.groupIdHint}>
          <TextInput
            mono
            value={parameters.groupId ?? feature}
            onChange={(event) => set('groupId', event.target.value)}
          />
        </Field>
      </details>
    </>
  );
}

/** The parameters of a strategy: a rollout, or what its type asks for. */
export function Parameters(props: ParametersProps) {
  const { strategy, onChange } = props;
  const { data } = useStrategyTypes();
  if (strategy.name === 'flexibleRollout') return <Rollout {...props} />;
  const type = data?.find(({ name }) => name === strategy.name);
  return (type?.parameters ?? []).map(({ name, type: kind, description, required }) => {
    const value = strategy.parameters[name] ?? '';
    const set = (next: string) => onChange({ ...strategy.parameters, [name]: next });
    if (kind === 'percentage') return <Percentage key={name} label={name} value={value} onChange={set} />;
    if (kind === 'boolean') {
      return (
        <Checkbox
          key={name}
          label={name}
          hint={description}
          checked={value === 'true'}
          onChange={(on) => set(String(on))}
        />
      );
    }
    if (kind === 'list') {
      const values = value
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean);
      return <ValuesEditor key={name} label={name} values={values} onChange={(list) => set(list.join(','))} />;
    }
    return (
      <Field key={name} label={name} hint={description} required={required}>
        <TextInput
          mono
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          value={value}
          onChange={(event) => set(event.target.value)}
        />
      </Field>
    );
  });
}
