import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../data/may.ts';
import { type Feature, settingsOf } from '../domain/model.ts';
import { plannedStrategy } from '../domain/waiting-milestone.ts';
import { RuleSentence } from '../kit/changes/RuleSentence.tsx';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Menu } from '../kit/overlays/Menu.tsx';
import { Badge, type Tone } from '../kit/texts/Badge.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import parts from '../parts/parts.module.css';
import { useSegmentNames } from '../save/SettingsRule.tsx';
import { feature as featureWords } from '../words/en/flags/feature.ts';
import { minutesText, plans as words } from '../words/en/flags/release.ts';
import { guards as guardWords } from '../words/en/flags/safeguards.ts';
import { asRule } from '../words/en/rule-sentences.ts';
import { isForEveryone } from '../words/rule-words.ts';
import {
  type MilestoneState,
  ownStrategies,
  type Plan,
  type PlanMilestone,
  type SafeguardCheck,
  stateOf,
} from './plan-data.ts';
import styles from './Release.module.css';
import { Safeguards } from './Safeguards.tsx';
import { usePlanAsk } from './use-plan-ask.ts';

const TONES: Readonly<Record<MilestoneState, Tone>> = {
  done: 'neutral',
  active: 'good',
  next: 'accent',
  later: 'neutral',
};

export interface PlanProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly plan: Plan;
  /** What the last comparisons of safeguards gave. */
  readonly checks: readonly SafeguardCheck[];
}

interface OfMilestone extends PlanProps {
  readonly milestone: PlanMilestone;
  readonly index: number;
}

/** What ends the milestone, or when it did. */
function endingOf({ flag, environment, plan, milestone, index }: OfMilestone): ReactNode {
  const state = stateOf(plan, index);
  const isOn = flag.environments.some(({ name, enabled }) => name === environment && enabled);
  const isLast = index === plan.milestones.length - 1;
  const minutes = milestone.transitionCondition?.intervalMinutes;
  if (state === 'next' && index === 0 && !isOn) return words.waits;
  if (isLast || state === 'done') return null;
  if (state === 'active' && plan.nextMilestoneAt !== null)
    return (
      <>
        {words.nextAt} <TimeText at={plan.nextMilestoneAt} />
      </>
    );
  if (state === 'active' && plan.pausedAt !== null) return null;
  if (minutes === undefined) return state === 'active' ? words.waitsForPerson : null;
  return `${words.afterTime(minutesText(minutes))}${state === 'active' && !isOn ? ` ${words.flagOff}` : ''}`;
}

function Rules({ milestone }: Pick<OfMilestone, 'milestone'>) {
  const segments = useSegmentNames();
  return (
    <ul className={styles.rule}>
      {milestone.strategies.map((stored) => (
        <li key={stored.id}>
          <RuleSentence strategy={asRule(plannedStrategy(stored), segments)} />
        </li>
      ))}
    </ul>
  );
}

function Step(props: OfMilestone) {
  const { flag, environment, plan, milestone, index } = props;
  const { ask } = usePlanAsk();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const reason = (flag.archived ? featureWords.archivedBanner : undefined) ?? mayNotUpdate;
  const state = stateOf(plan, index);
  const { id, name, startedAt } = milestone;
  const start = () => ask(environment, 'start', id);
  const isLast = index === plan.milestones.length - 1;
  const entries = [
    ...(state === 'done' || state === 'later' ? [{ label: words.startOf(name), reason, onSelect: start }] : []),
    ...(isLast ? [] : [{ label: words.time, reason, onSelect: () => ask(environment, 'time', id) }]),
  ];
  const ending = endingOf(props);
  return (
    <li className={styles.step} data-state={state} aria-current={state === 'active' ? 'step' : undefined}>
      <span className={styles.dot} aria-hidden />
      <div className={styles.stepBody}>
        <div className={styles.stepHead}>
          <span className={styles.stepName}>{name}</span>
          <Badge tone={TONES[state]} dot={state === 'active'}>
            {words.states[state]}
          </Badge>
          <span className={styles.stepActs}>
            {state === 'next' && (
              <Button size="small" reason={reason} aria-label={words.startOf(name)} onClick={start}>
                {words.start}
              </Button>
            )}
            {entries.length > 0 && (
              <Menu
                label={featureWords.actionsOf(name)}
                icon={<Ellipsis aria-hidden />}
                size="small"
                align="end"
                entries={entries}
              />
            )}
          </span>
        </div>
        <Rules milestone={milestone} />
        {(ending !== null || (startedAt && state !== 'later' && state !== 'next')) && (
          <p className={parts.quiet}>
            {startedAt && (state === 'active' || state === 'done') && (
              <>
                {words.started} <TimeText at={startedAt} />
                {ending !== null && ' · '}
              </>
            )}
            {ending}
          </p>
        )}
      </div>
    </li>
  );
}

function Head({ flag, environment, plan }: PlanProps) {
  const { ask } = usePlanAsk();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const mayNotDelete = useMay('DELETE_FEATURE_STRATEGY', flag.project, environment);
  const archived = flag.archived ? featureWords.archivedBanner : undefined;
  const isPaused = plan.pausedAt !== null;
  const act = isPaused ? 'resume' : 'pause';
  return (
    <div className={styles.planHead}>
      <h3 className={styles.planName}>
        {words.title}: {plan.name}
      </h3>
      {isPaused && <Badge tone="warn">{words.paused}</Badge>}
      <Menu
        label={words.actions}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          {
            label: isPaused ? words.resume : words.pause,
            reason: archived ?? mayNotUpdate,
            onSelect: () => ask(environment, act),
          },
          { label: guardWords.addGuard, reason: archived ?? mayNotUpdate, onSelect: () => ask(environment, 'guard') },
          {
            label: words.remove,
            danger: true,
            reason: archived ?? mayNotDelete,
            onSelect: () => ask(environment, 'remove'),
          },
        ]}
      />
    </div>
  );
}

/** The release plan of a flag in one environment: its milestones, what continues it, and what stops it. */
export function ReleasePlan(props: PlanProps) {
  const { flag, environment, plan } = props;
  const { ask } = usePlanAsk();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const segments = useSegmentNames();
  const found = flag.environments.find(({ name }) => name === environment);
  const own = found ? ownStrategies(settingsOf(found), plan) : [];
  return (
    <section className={styles.plan} aria-label={`${words.title}: ${plan.name}`}>
      <Head {...props} />
      {plan.pausedAt !== null && (
        <Banner
          tone="warn"
          action={
            <Button size="small" reason={mayNotUpdate} onClick={() => ask(environment, 'resume')}>
              {words.resume}
            </Button>
          }
        >
          {words.pausedSince} <TimeText at={plan.pausedAt} />
          {plan.pauseReason ? `: ${plan.pauseReason}` : '.'}
        </Banner>
      )}
      {own.some((one) => isForEveryone(asRule(one, segments))) && <Banner tone="warn">{words.everyoneBeside}</Banner>}
      <ol className={styles.steps} aria-label={words.milestones}>
        {plan.milestones.map((milestone, index) => (
          <Step key={milestone.id} {...props} milestone={milestone} index={index} />
        ))}
      </ol>
      <Safeguards {...props} guards={plan.safeguards} />
    </section>
  );
}
