import { useState } from 'react';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { isProduction } from '../../data/settings.ts';
import { defaultStrategyOf } from '../../domain/default-strategy.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleList } from '../../kit/changes/RuleSentence.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import styles from '../../parts/parts.module.css';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { constraintsProblem } from '../../strategies/condition.ts';
import { StrategyFields } from '../../strategies/StrategyFields.tsx';
import { defaultStrategies as words } from '../../words/en/admin/default-strategies.ts';
import { strategyEditor } from '../../words/en/flags/feature.ts';
import { asRule } from '../../words/en/rule-sentences.ts';
import { type ProjectEnvironment, saveDefaultStrategy, sentencesOf } from './default-strategy-data.ts';

interface FieldsProps {
  readonly project: string;
  readonly strategy: StrategyDraft;
  readonly saved: StrategyDraft;
  readonly onChange: (values: Partial<StrategyDraft>) => void;
}

function Fields({ project, strategy, saved, onChange: set }: FieldsProps) {
  const names = useSegmentNames();
  return (
    <>
      <div role="status" aria-label={strategyEditor.inWords}>
        <RuleList enabled strategies={[asRule(strategy, names)]} />
      </div>
      <StrategyFields project={project} flag="" hasKind strategy={strategy} saved={saved} onChange={set} />
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
  const [base] = useState(() => defaultStrategyOf(stored, stickiness));
  const [strategy, setStrategy] = useKept('strategy', base);
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
      problem={constraintsProblem(strategy.constraints, base.constraints)}
      sentences={sentencesOf(stored === null, base, strategy, segments)}
      effects={<p className={styles.quiet}>{`${words.applies} ${words.stays}`}</p>}
      needsReason={environment.requireReason}
      save={(reason) => saveDefaultStrategy({ project, environment: name, base: stored, after: strategy, reason })}
      saved={{ canUndo: true, text: words.saved(name), refresh: [keys.project(project)] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <Fields
        project={project}
        strategy={strategy}
        saved={base}
        onChange={(values) => setStrategy((before) => ({ ...before, ...values }))}
      />
    </EditPanel>
  );
}
