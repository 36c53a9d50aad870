import { Pencil } from 'lucide-react';
import type { MayNot } from '../../data/may.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { type Row, Rows } from '../../parts/Rows.tsx';
import { IntervalField } from '../../release-plans/IntervalField.tsx';
import styles from '../../release-plans/Release.module.css';
import { addedStrategy, type MilestoneDraft } from '../../release-plans/template-data.ts';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { templates as words } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';
import { asRule, strategyName } from '../../words/en/rule-sentences.ts';

interface StrategiesProps {
  readonly strategies: readonly StrategyDraft[];
  readonly mayNot: MayNot;
  readonly onChange: (strategies: readonly StrategyDraft[]) => void;
  readonly onEdit: (id: string) => void;
}

function Strategies({ strategies, mayNot, onChange, onEdit }: StrategiesProps) {
  const segments = useSegmentNames();
  const nameOf = (strategy: StrategyDraft) => strategyName(strategy, segments);
  return (
    <Rows
      isOrdered
      list={styles.strategies}
      items={strategies}
      nameOf={nameOf}
      keyOf={({ id }) => id}
      reason={mayNot}
      addLabel={words.addStrategy}
      make={addedStrategy}
      onAdded={({ id }) => onEdit(id)}
      onChange={onChange}
    >
      {({ item: strategy, order, remove }) => (
        <li className={styles.strategy}>
          <button type="button" className={styles.strategyText} onClick={() => onEdit(strategy.id)}>
            {strategy.title ?? <RuleSentence strategy={asRule(strategy, segments)} />}
          </button>
          <span className={styles.buttons}>
            <IconButton
              size="small"
              icon={<Pencil aria-hidden />}
              label={parts.editTitle(nameOf(strategy))}
              reason={mayNot}
              onClick={() => onEdit(strategy.id)}
            />
            {order}
            {remove}
          </span>
        </li>
      )}
    </Rows>
  );
}

export const milestoneName = ({ name }: MilestoneDraft, index: number) => name || words.milestone(index + 1);

interface MilestoneEditorProps {
  readonly row: Row<MilestoneDraft>;
  readonly isLast: boolean;
  readonly mayNot: MayNot;
  readonly onEdit: (strategyId: string) => void;
}

/** One milestone of a template: its name, its strategies, and what ends it. */
export function MilestoneEditor({ row, isLast, mayNot, onEdit }: MilestoneEditorProps) {
  const { item: milestone, index } = row;
  const set = (values: Partial<MilestoneDraft>) => row.onChange({ ...milestone, ...values });
  return (
    <li className={styles.milestone} aria-label={milestoneName(milestone, index)}>
      <div className={styles.milestoneHead}>
        <Field label={words.milestone(index + 1)} className={styles.milestoneName} required>
          <TextInput
            value={milestone.name}
            maxLength={100}
            readOnly={mayNot !== undefined}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
        <span className={styles.buttons}>
          {row.order}
          {row.remove}
        </span>
      </div>
      <Strategies
        strategies={milestone.strategies}
        mayNot={mayNot}
        onChange={(strategies) => set({ strategies })}
        onEdit={onEdit}
      />
      {!isLast && (
        <IntervalField minutes={milestone.minutes} reason={mayNot} onChange={(minutes) => set({ minutes })} />
      )}
    </li>
  );
}
