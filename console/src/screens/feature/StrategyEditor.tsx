import { Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { useStrategyTypes } from '../../data/feature.ts';
import { reportPresence } from '../../data/presence.ts';
import { useSegments } from '../../data/settings.ts';
import { type Feature, isNew, type StrategyDraft } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { MultiSelect } from '../../kit/inputs/Combobox.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { Select } from '../../kit/inputs/Select.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { strategyEditor as words } from '../../words/en/flags/feature.ts';
import { asRule } from '../../words/en/rule-sentences.ts';
import { Constraints } from './Constraints.tsx';
import styles from './Editor.module.css';
import { Parameters } from './Parameters.tsx';
import { useEnvironmentDraft } from './use-environment-draft.ts';
import { VariantsEditor } from './VariantsEditor.tsx';

interface StrategyEditorProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly id: string;
  readonly isProduction: boolean;
  readonly onClose: () => void;
}

/** The kind of a new strategy can be chosen; that of a saved one stays. */
function Kind({ strategy, onChange }: { readonly strategy: StrategyDraft; readonly onChange: (name: string) => void }) {
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
  readonly flag: Feature;
  readonly strategy: StrategyDraft;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

function StrategyFields({ flag, strategy, onChange: set }: StrategyFieldsProps) {
  const { data: segments } = useSegments();
  const names = useSegmentNames();
  const usable = (segments ?? []).filter(({ project }) => !project || project === flag.project);
  return (
    <div className={styles.editor}>
      <p className={styles.words} role="status" aria-label={words.inWords}>
        <RuleSentence strategy={asRule(strategy, names)} />
      </p>
      {isNew(strategy) && (
        <Kind
          strategy={strategy}
          onChange={(name) => set({ name, parameters: name === 'flexibleRollout' ? strategy.parameters : {} })}
        />
      )}
      <Parameters strategy={strategy} feature={flag.name} onChange={(parameters) => set({ parameters })} />
      <Field label={words.segments} hint={words.segmentsHint}>
        <MultiSelect
          options={usable.map((segment) => ({ value: String(segment.id), label: segment.name }))}
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
      <Field label={words.name} hint={words.nameHint}>
        <TextInput
          value={strategy.title ?? ''}
          maxLength={100}
          onChange={(event) => set({ title: event.target.value || null })}
        />
      </Field>
      <Checkbox
        label={words.disabled}
        hint={words.disabledHint}
        checked={strategy.disabled}
        onChange={(disabled) => set({ disabled })}
      />
    </div>
  );
}

/** Edits the draft of one strategy. Nothing is saved here: the draft bar of the environment saves. */
export function StrategyEditor({ flag, environment, id, isProduction, onClose }: StrategyEditorProps) {
  const env = useEnvironmentDraft(flag, environment);
  useEffect(() => reportPresence('feature', flag.name, 'editing'), [flag.name]);
  const strategy = env.shown.strategies.find((one) => one.id === id);
  const title = (
    <span className={styles.title}>
      {strategy && isNew(strategy) ? words.newTitle : words.title}{' '}
      <EnvironmentMark name={environment} production={isProduction} />
    </span>
  );
  if (!strategy) {
    return (
      <Inspector title={title} production={isProduction} onClose={onClose}>
        <p>{words.gone}</p>
      </Inspector>
    );
  }
  const remove = () => {
    env.removeStrategy(id);
    onClose();
  };
  return (
    <Inspector
      title={title}
      production={isProduction}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" icon={<Trash2 aria-hidden />} onClick={remove}>
            {words.remove}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </>
      }
    >
      <StrategyFields flag={flag} strategy={strategy} onChange={(values) => env.setStrategy(id, values)} />
    </Inspector>
  );
}
