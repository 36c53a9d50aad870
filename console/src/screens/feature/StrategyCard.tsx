import { CopyPlus, Ellipsis, Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../../data/may.ts';
import { isNew, type StrategyDraft } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { RuleSentence } from '../../kit/changes/RuleSentence.tsx';
import { classes } from '../../kit/classes.ts';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import type { EnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
import { plans as planWords } from '../../words/en/flags/release.ts';
import { parts } from '../../words/en/parts.ts';
import { asRule, strategyName } from '../../words/en/rule-sentences.ts';
import { ruleSign } from '../../words/rule-words.ts';
import styles from './Environments.module.css';
import { usePanel } from './use-panel.ts';

interface StrategyCardProps {
  readonly env: EnvironmentDraft;
  readonly strategy: StrategyDraft;
  readonly index: number;
  /** The buttons that move it. */
  readonly order: ReactNode;
  readonly isArchived: boolean;
}

function CardActions({
  env,
  strategy,
  order,
  isArchived,
  name,
}: Omit<StrategyCardProps, 'index'> & { readonly name: string }) {
  const panel = usePanel();
  const { project, environment } = env.target;
  const archived = isArchived ? words.archivedBanner : undefined;
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', project, environment);
  const mayNotEdit = archived ?? mayNotUpdate;
  const mayNotAdd = useMay('CREATE_FEATURE_STRATEGY', project, environment);
  const mayNotDelete = useMay('DELETE_FEATURE_STRATEGY', project, environment);
  const milestone = env.milestoneOf(strategy.id);
  const duplicate = () => {
    const { id: _, ...content } = strategy;
    panel.edit(environment, env.addStrategy(content, strategy.id));
  };
  return (
    <div className={styles.cardActions}>
      <IconButton
        size="small"
        icon={<Pencil aria-hidden />}
        label={parts.edit}
        reason={mayNotEdit}
        onClick={() => panel.edit(environment, strategy.id)}
      />
      {order}
      <IconButton
        size="small"
        icon={<CopyPlus aria-hidden />}
        label={words.duplicate}
        reason={archived ?? mayNotAdd}
        onClick={duplicate}
      />
      <Menu
        label={words.strategyActions(name)}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          {
            label: strategy.disabled ? parts.onLabel : parts.offLabel,
            reason: mayNotEdit,
            onSelect: () => env.setStrategy(strategy.id, { disabled: !strategy.disabled }),
          },
          {
            label: parts.delete,
            danger: true,
            reason: archived ?? mayNotDelete ?? (milestone && planWords.ofMilestoneStays(milestone)),
            onSelect: () => env.removeStrategy(strategy.id),
          },
        ]}
      />
    </div>
  );
}

export function StrategyCard({ env, strategy, index, order, isArchived }: StrategyCardProps) {
  const panel = usePanel();
  const segments = useSegmentNames();
  const { environment } = env.target;
  const milestone = env.milestoneOf(strategy.id);
  const name = strategyName(strategy, segments);
  const saved = env.saved.strategies.find(({ id }) => id === strategy.id);
  const isOpen = panel.open?.environment === environment && panel.open.id === strategy.id;
  return (
    <li className={classes(styles.card, isOpen && styles.open)}>
      <div className={styles.cardHead}>
        <button type="button" className={styles.cardTitle} onClick={() => panel.edit(environment, strategy.id)}>
          {env.shown.strategies.length > 1 && <span aria-hidden>{ruleSign(index)} </span>}
          {strategy.title ?? <RuleSentence strategy={asRule(strategy, segments)} />}
        </button>
        {isNew(strategy) && <Badge tone="accent">{words.isNew}</Badge>}
        {saved && !same(saved, strategy) && <Badge tone="accent">{words.isChanged}</Badge>}
        {strategy.disabled && <Badge>{words.disabled}</Badge>}
      </div>
      {strategy.title && (
        <p className={styles.cardRule}>
          <RuleSentence strategy={asRule(strategy, segments)} />
        </p>
      )}
      {milestone !== undefined && <p className={styles.quiet}>{planWords.ofMilestone(milestone)}</p>}
      {strategy.variants.length > 0 && (
        <p className={styles.quiet}>{strategy.variants.map((one) => `${one.name} ${one.weight / 10}%`).join(' · ')}</p>
      )}
      <CardActions env={env} strategy={strategy} order={order} isArchived={isArchived} name={name} />
    </li>
  );
}
