import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react';
import type { MayNot } from '../../data/may.ts';
import type { StrategyDraft } from '../../domain/model.ts';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { Button } from '../../kit/inputs/Button.tsx';
import { Field } from '../../kit/inputs/Field.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { announce } from '../../kit/notices/live-region.ts';
import { IntervalField } from '../../release-plans/IntervalField.tsx';
import styles from '../../release-plans/Release.module.css';
import { addedStrategy, type MilestoneDraft, moved } from '../../release-plans/template-data.ts';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { templates as words } from '../../words/en/flags/release.ts';
import { asRule, strategyName } from '../../words/en/rule-sentences.ts';

interface OrderProps {
  readonly name: string;
  readonly index: number;
  readonly count: number;
  readonly reason: MayNot;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
}

/** The buttons that move an entry of a list, and remove it. */
function Order({ name, index, count, reason, onMove, onRemove }: OrderProps) {
  const move = (by: 1 | -1) => {
    onMove(by);
    announce(words.moved(name, index + 1 + by, count));
  };
  return (
    <>
      <IconButton
        size="small"
        icon={<ArrowUp aria-hidden />}
        label={words.moveUp(name)}
        reason={reason ?? (index === 0 ? words.isFirst : undefined)}
        onClick={() => move(-1)}
      />
      <IconButton
        size="small"
        icon={<ArrowDown aria-hidden />}
        label={words.moveDown(name)}
        reason={reason ?? (index === count - 1 ? words.isLast : undefined)}
        onClick={() => move(1)}
      />
      <IconButton
        size="small"
        icon={<Trash2 aria-hidden />}
        label={words.remove(name)}
        reason={reason}
        onClick={onRemove}
      />
    </>
  );
}

interface StrategiesProps {
  readonly strategies: readonly StrategyDraft[];
  readonly mayNot: MayNot;
  readonly onChange: (strategies: readonly StrategyDraft[]) => void;
  readonly onEdit: (id: string) => void;
}

function Strategies({ strategies, mayNot, onChange, onEdit }: StrategiesProps) {
  const segments = useSegmentNames();
  return (
    <ol className={styles.strategies}>
      {strategies.map((strategy, index) => {
        const name = strategyName(strategy, segments);
        return (
          <li key={strategy.id} className={styles.strategy}>
            <button type="button" className={styles.strategyText} onClick={() => onEdit(strategy.id)}>
              {strategy.title ?? <RuleSentence strategy={asRule(strategy, segments)} />}
            </button>
            <span className={styles.buttons}>
              <IconButton
                size="small"
                icon={<Pencil aria-hidden />}
                label={words.editStrategy(name)}
                reason={mayNot}
                onClick={() => onEdit(strategy.id)}
              />
              <Order
                name={name}
                index={index}
                count={strategies.length}
                reason={mayNot}
                onMove={(by) => onChange(moved(strategies, strategy.id, by))}
                onRemove={() => onChange(strategies.filter(({ id }) => id !== strategy.id))}
              />
            </span>
          </li>
        );
      })}
    </ol>
  );
}

interface MilestoneEditorProps {
  readonly milestone: MilestoneDraft;
  readonly index: number;
  readonly count: number;
  readonly mayNot: MayNot;
  readonly onChange: (values: Partial<MilestoneDraft>) => void;
  readonly onMove: (by: 1 | -1) => void;
  readonly onRemove: () => void;
  readonly onEdit: (strategyId: string) => void;
}

/** One milestone of a template: its name, its strategies, and what ends it. */
export function MilestoneEditor(props: MilestoneEditorProps) {
  const { milestone, index, count, mayNot, onChange, onMove, onRemove, onEdit } = props;
  const { name, minutes, strategies } = milestone;
  const label = name || words.milestone(index + 1);
  const add = () => {
    const strategy = addedStrategy();
    onChange({ strategies: [...strategies, strategy] });
    onEdit(strategy.id);
  };
  return (
    <li className={styles.milestone} aria-label={label}>
      <div className={styles.milestoneHead}>
        <Field label={words.milestone(index + 1)} className={styles.milestoneName} required>
          <TextInput
            value={name}
            maxLength={100}
            readOnly={mayNot !== undefined}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        </Field>
        <span className={styles.buttons}>
          <Order name={label} index={index} count={count} reason={mayNot} onMove={onMove} onRemove={onRemove} />
        </span>
      </div>
      <Strategies
        strategies={strategies}
        mayNot={mayNot}
        onChange={(next) => onChange({ strategies: next })}
        onEdit={onEdit}
      />
      <div>
        <Button size="small" icon={<Plus aria-hidden />} reason={mayNot} onClick={add}>
          {words.addStrategy}
        </Button>
      </div>
      {index < count - 1 && (
        <IntervalField minutes={minutes} reason={mayNot} onChange={(next) => onChange({ minutes: next })} />
      )}
    </li>
  );
}
