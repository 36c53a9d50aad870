import { Trash2 } from 'lucide-react';
import { isNew, type StrategyDraft } from '../../domain/model.ts';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import editor from '../../strategies/Editor.module.css';
import { StrategyFields, StrategyKind } from '../../strategies/StrategyFields.tsx';
import { strategyEditor } from '../../words/en/flags/feature.ts';
import { templates as words } from '../../words/en/flags/release.ts';
import { asRule } from '../../words/en/rule-sentences.ts';

interface StrategyPanelProps {
  readonly milestone: string;
  readonly strategy: StrategyDraft;
  readonly saved: StrategyDraft | undefined;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** Edits one strategy of a milestone. Nothing is saved here: the draft bar of the template saves. */
export function StrategyPanel(props: StrategyPanelProps) {
  const { milestone, strategy, saved, onChange: set, onRemove, onClose } = props;
  const names = useSegmentNames();
  return (
    <Inspector
      title={words.strategyTitle(milestone)}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" icon={<Trash2 aria-hidden />} onClick={onRemove}>
            {strategyEditor.remove}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {strategyEditor.done}
          </Button>
        </>
      }
    >
      <div className={editor.editor}>
        <p className={editor.words} role="status" aria-label={strategyEditor.inWords}>
          <RuleSentence strategy={asRule(strategy, names)} />
        </p>
        {isNew(strategy) && (
          <StrategyKind
            strategy={strategy}
            onChange={(name) => set({ name, parameters: name === 'flexibleRollout' ? strategy.parameters : {} })}
          />
        )}
        {/* No project: only segments of all projects can be chosen. */}
        <StrategyFields project="" flag="" strategy={strategy} saved={saved} onChange={set} />
        <Checkbox
          label={strategyEditor.disabled}
          hint={strategyEditor.disabledHint}
          checked={strategy.disabled}
          onChange={(disabled) => set({ disabled })}
        />
        <p className={editor.quiet}>{words.notFlagHint}</p>
      </div>
    </Inspector>
  );
}
