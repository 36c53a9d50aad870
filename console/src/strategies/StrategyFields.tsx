import { useStrategyTypes } from '../data/feature.ts';
import { useSegments } from '../data/settings.ts';
import type { StrategyDraft } from '../domain/model.ts';
import { MultiSelect } from '../kit/inputs/Combobox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { TextInput } from '../kit/inputs/TextInput.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { Constraints } from './Constraints.tsx';
import { Parameters } from './Parameters.tsx';
import { VariantsEditor } from './VariantsEditor.tsx';

interface StrategyKindProps {
  readonly strategy: StrategyDraft;
  readonly onChange: (name: string) => void;
}

/** The types of strategies; a deprecated one only if the strategy has it. */
export function StrategyKind({ strategy, onChange }: StrategyKindProps) {
  const { data } = useStrategyTypes();
  const options = (data ?? [])
    .filter(({ deprecated, name }) => !deprecated || name === strategy.name)
    .map(({ name, title, displayName }) => ({ value: name, label: title || displayName || name }));
  return (
    <Field label={words.kind}>
      <Select options={options} value={strategy.name} onChange={onChange} />
    </Field>
  );
}

interface StrategyFieldsProps {
  readonly project: string;
  /** The name of the flag; empty for a default strategy. */
  readonly flag: string;
  readonly strategy: StrategyDraft;
  /** The strategy as it is saved. */
  readonly saved?: StrategyDraft | undefined;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

/** The fields that decide when a strategy is on, and its variants and name. */
export function StrategyFields({ project, flag, strategy, saved, onChange: set }: StrategyFieldsProps) {
  const { data: segments } = useSegments();
  const usable = (segments ?? []).filter((segment) => !segment.project || segment.project === project);
  return (
    <>
      <Parameters strategy={strategy} feature={flag} onChange={(parameters) => set({ parameters })} />
      <Field label={words.segments} hint={words.segmentsHint}>
        <MultiSelect
          options={usable.map(({ id, name }) => ({ value: String(id), label: name }))}
          values={strategy.segments.map(String)}
          onChange={(values) => set({ segments: values.map(Number) })}
        />
      </Field>
      <Constraints
        constraints={strategy.constraints}
        saved={saved?.constraints}
        onChange={(constraints) => set({ constraints })}
      />
      <VariantsEditor
        variants={strategy.variants}
        stickiness={strategy.parameters.stickiness ?? 'default'}
        onChange={(variants) =>
          set({
            variants: variants.map((one) => ({
              ...one,
              weightType: one.weightType ?? 'variable',
              stickiness: one.stickiness ?? 'default',
            })),
          })
        }
      />
      <Field label={words.name} hint={words.nameHint}>
        <TextInput
          value={strategy.title ?? ''}
          maxLength={100}
          onChange={(event) => set({ title: event.target.value || null })}
        />
      </Field>
    </>
  );
}
