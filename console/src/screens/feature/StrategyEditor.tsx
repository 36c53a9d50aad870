import { Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import { reportPresence } from '../../data/presence.ts';
import { type Feature, isNew } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Inspector } from '../../kit/overlays/Inspector.tsx';
import styles from '../../strategies/Editor.module.css';
import { StrategyForm } from '../../strategies/StrategyFields.tsx';
import { useEnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { strategyEditor as words } from '../../words/en/flags/feature.ts';
import { plans as planWords } from '../../words/en/flags/release.ts';
import { DraftCopies } from './DraftCopies.tsx';
import { editOf } from './use-panel.ts';

interface StrategyEditorProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly id: string;
  readonly isProduction: boolean;
  readonly onClose: () => void;
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
      <StrategyForm
        project={flag.project}
        flag={flag.name}
        strategy={strategy}
        saved={env.saved.strategies.find((one) => one.id === id)}
        onChange={(values) => env.setStrategy(id, values)}
      />
    </Inspector>
  );
}
