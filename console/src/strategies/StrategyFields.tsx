import type { ReactNode } from 'react';
import { useStrategyTypes } from '../data/feature.ts';
import { useSegments } from '../data/settings.ts';
import { isNew, type StrategyDraft } from '../domain/model.ts';
import { RuleSentence } from '../kit/changes/RuleSentence.tsx';
import { MultiSelect } from '../kit/inputs/Combobox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { check, FieldList, select, text } from '../parts/fields.tsx';
import { DeletedBanner } from '../parts/RowPanel.tsx';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { strategyEditor as words } from '../words/en/flags/feature.ts';
import { asRule } from '../words/en/rule-sentences.ts';
import { Constraints } from './Constraints.tsx';
import styles from './Editor.module.css';
import { Parameters } from './Parameters.tsx';
import { VariantsEditor } from './VariantsEditor.tsx';

/** The types of strategies; a deprecated one only if the strategy has it. */
function Kind({ strategy, onChange }: Pick<StrategyFieldsProps, 'strategy' | 'onChange'>) {
  const { data = [] } = useStrategyTypes();
  const options = data
    .filter(({ deprecated, name }) => !deprecated || name === strategy.name)
    .map(({ name, title, displayName }) => ({ value: name, label: title || displayName || name }));
  return (
    <FieldList
      fields={{ name: select(words.kind, options) }}
      values={strategy}
      onChange={({ name }) => onChange({ name, parameters: {} })}
    />
  );
}

const TITLE = { title: text(words.name, { max: 100, hint: words.nameHint }) };
const OFF = { disabled: check(words.disabled, false, words.disabledHint) };

interface StrategyFieldsProps {
  readonly project: string;
  /** The name of the flag; empty for a default strategy. */
  readonly flag: string;
  readonly strategy: StrategyDraft;
  /** The strategy as it is saved. */
  readonly saved?: StrategyDraft | undefined;
  /** The type of a saved strategy stays. */
  readonly hasKind: boolean;
  /** One that is off is stored, and SDKs do not get it. */
  readonly canBeOff?: boolean;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

/** The fields that decide when a strategy is on, and its variants and name. */
export function StrategyFields(props: StrategyFieldsProps) {
  const { project, flag, strategy, saved, hasKind, canBeOff = false, onChange: set } = props;
  const { data: segments = [] } = useSegments();
  const usable = segments.filter((segment) => !segment.project || segment.project === project);
  return (
    <>
      {hasKind && <Kind strategy={strategy} onChange={set} />}
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
      <FieldList
        fields={TITLE}
        values={{ title: strategy.title ?? '' }}
        onChange={({ title }) => set({ title: title || null })}
      />
      {canBeOff && <FieldList fields={OFF} values={strategy} onChange={(_, changed) => set(changed)} />}
    </>
  );
}

interface StrategyFormProps extends Omit<StrategyFieldsProps, 'hasKind' | 'canBeOff'> {
  readonly children?: ReactNode;
}

/** A strategy of a flag or of a milestone: what it says in words, and its fields. */
export function StrategyForm({ children, ...fields }: StrategyFormProps) {
  const { strategy } = fields;
  const names = useSegmentNames();
  return (
    <div className={styles.editor}>
      <DeletedBanner />
      <p className={styles.words} role="status" aria-label={words.inWords}>
        <RuleSentence strategy={asRule(strategy, names)} />
      </p>
      <StrategyFields {...fields} hasKind={isNew(strategy)} canBeOff />
      {children}
    </div>
  );
}
