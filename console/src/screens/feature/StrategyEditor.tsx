import { Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { reportPresence } from '../../data/presence.ts';
import { type Feature, isNew, type StrategyDraft } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import styles from '../../strategies/Editor.module.css';
import { StrategyFields, StrategyKind } from '../../strategies/StrategyFields.tsx';
import { useEnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { strategyEditor as words } from '../../words/en/flags/feature.ts';
import { plans as planWords } from '../../words/en/flags/release.ts';
import { asRule } from '../../words/en/rule-sentences.ts';
import { DraftCopies } from './DraftCopies.tsx';
import { editOf } from './use-panel.ts';

interface StrategyEditorProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly id: string;
  readonly isProduction: boolean;
  readonly onClose: () => void;
}

interface RulesProps {
  readonly flag: Feature;
  readonly strategy: StrategyDraft;
  readonly saved: StrategyDraft | undefined;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

/** The type of a new strategy can be chosen; that of a saved one stays. */
function Rules({ flag, strategy, saved, onChange: set }: RulesProps) {
  const names = useSegmentNames();
  return (
    <div className={styles.editor}>
      <p className={styles.words} role="status" aria-label={words.inWords}>
        <RuleSentence strategy={asRule(strategy, names)} />
      </p>
      {isNew(strategy) && (
        <StrategyKind
          strategy={strategy}
          onChange={(name) => set({ name, parameters: name === 'flexibleRollout' ? strategy.parameters : {} })}
        />
      )}
      <StrategyFields project={flag.project} flag={flag.name} strategy={strategy} saved={saved} onChange={set} />
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
  const milestone = env.milestoneOf(id);
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
          <DraftCopies env={env} edit={editOf(environment, id)} />
          <Button
            kind="quiet"
            icon={<Trash2 aria-hidden />}
            reason={milestone && planWords.ofMilestoneStays(milestone)}
            onClick={remove}
          >
            {words.remove}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </>
      }
    >
      <Rules
        flag={flag}
        strategy={strategy}
        saved={env.saved.strategies.find((one) => one.id === id)}
        onChange={(values) => env.setStrategy(id, values)}
      />
    </Inspector>
  );
}
