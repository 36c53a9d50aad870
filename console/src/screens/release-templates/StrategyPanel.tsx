import { Trash2 } from 'lucide-react';
import type { StrategyDraft } from '../../domain/model.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import editor from '../../strategies/Editor.module.css';
import { StrategyForm } from '../../strategies/StrategyFields.tsx';
import { strategyEditor } from '../../words/en/flags/feature.ts';
import { templates as words } from '../../words/en/flags/release.ts';

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
  const { milestone, strategy, saved, onChange, onRemove, onClose } = props;
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
      {/* No project: only segments of all projects can be chosen. */}
      <StrategyForm project="" flag="" strategy={strategy} saved={saved} onChange={onChange}>
        <p className={editor.quiet}>{words.notFlagHint}</p>
      </StrategyForm>
    </Inspector>
  );
}
