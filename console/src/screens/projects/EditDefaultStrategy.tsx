import { useState } from 'react';
import { useStrategyTypes } from '../../data/feature.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { isProduction, useSegments } from '../../data/settings.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleList } from '../../kit/changes/RuleSentence.tsx';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { defaultStrategies as words } from '../../words/en/admin/default-strategies.ts';
import { strategyEditor } from '../../words/en/flags/feature.ts';
import { asRule } from '../../words/en/rule-sentences.ts';
import { Constraints } from '../feature/Constraints.tsx';
import { Parameters } from '../feature/Parameters.tsx';
import { VariantsEditor } from '../feature/VariantsEditor.tsx';
import { EditPanel } from '../parts/EditPanel.tsx';
import styles from '../parts/parts.module.css';
import { draftOf, type ProjectEnvironment, saveDefaultStrategy, sentencesOf } from './default-strategy-data.ts';

interface FieldsProps {
  readonly project: string;
  readonly strategy: StrategyDraft;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

function Kind({ strategy, onChange }: Pick<FieldsProps, 'strategy' | 'onChange'>) {
  const { data } = useStrategyTypes();
  const options = (data ?? [])
    .filter(({ deprecated, name }) => !deprecated || name === strategy.name)
    .map(({ name, title }) => ({ value: name, label: title || name }));
  return (
    <Field label={strategyEditor.kind}>
      <Select options={options} value={strategy.name} onChange={(name) => onChange({ name, parameters: {} })} />
    </Field>
  );
}

function Fields({ project, strategy, onChange: set }: FieldsProps) {
  const { data: segments } = useSegments();
  const names = useSegmentNames();
  const usable = (segments ?? []).filter((segment) => !segment.project || segment.project === project);
  return (
    <>
      <div role="status" aria-label={strategyEditor.inWords}>
        <RuleList enabled strategies={[asRule(strategy, names)]} />
      </div>
      <Kind strategy={strategy} onChange={set} />
      <Parameters strategy={strategy} feature="" onChange={(parameters) => set({ parameters })} />
      <Field label={strategyEditor.segments} hint={strategyEditor.segmentsHint}>
        <MultiSelect
          options={usable.map(({ id, name }) => ({ value: String(id), label: name }))}
          values={strategy.segments.map(String)}
          onChange={(values) => set({ segments: values.map(Number) })}
        />
      </Field>
      <Constraints constraints={strategy.constraints} onChange={(constraints) => set({ constraints })} />
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
      <Field label={strategyEditor.name} hint={strategyEditor.nameHint}>
        <TextInput
          value={strategy.title ?? ''}
          maxLength={100}
          onChange={(event) => set({ title: event.target.value || null })}
        />
      </Field>
    </>
  );
}

interface EditDefaultStrategyProps {
  readonly project: string;
  readonly stickiness: string;
  readonly environment: ProjectEnvironment;
  readonly onClose: () => void;
}

export function EditDefaultStrategy({ project, stickiness, environment, onClose }: EditDefaultStrategyProps) {
  const { name, type } = environment;
  const [stored] = useState(environment.defaultStrategy);
  const [base] = useState(() => draftOf(stored, stickiness));
  const [strategy, setStrategy] = useState(base);
  const segments = useSegmentNames();
  const mayNot = useMay(['UPDATE_PROJECT', 'PROJECT_DEFAULT_STRATEGY_WRITE'], project);
  return (
    <EditPanel<unknown>
      title={
        <span className={styles.row}>
          {words.title} <EnvironmentMark name={name} production={isProduction(type)} />
        </span>
      }
      production={isProduction(type)}
      mayNot={mayNot}
      sentences={sentencesOf(stored === null, base, strategy, segments)}
      effects={<p className={styles.quiet}>{`${words.applies} ${words.stays}`}</p>}
      needsReason={environment.requireReason}
      save={(reason) => saveDefaultStrategy({ project, environment: name, base: stored, after: strategy, reason })}
      saved={{ text: words.saved(name), refresh: [keys.project(project)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields
        project={project}
        strategy={strategy}
        onChange={(values) => setStrategy((before) => ({ ...before, ...values }))}
      />
    </EditPanel>
  );
}
