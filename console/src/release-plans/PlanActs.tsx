import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import type { Target } from '../data/save.ts';
import type { Feature } from '../domain/model.ts';
import type { EnvironmentInfo } from '../save/use-env-info.ts';
import { plans as words } from '../words/en/flags/release.ts';
import { guards as guardWords } from '../words/en/flags/safeguards.ts';
import { parts as partWords } from '../words/en/parts.ts';
import { AddPlan } from './AddPlan.tsx';
import { IntervalField, intervalProblem } from './IntervalField.tsx';
import { PlanDialog } from './PlanDialog.tsx';
import {
  activeIndex,
  type Plan,
  pausePlan,
  removePlan,
  removeSafeguard,
  resumePlan,
  type Safeguard,
  setTime,
} from './plan-data.ts';
import { SafeguardDialog } from './SafeguardDialog.tsx';
import { measureOf } from './Safeguards.tsx';
import { StartMilestone } from './StartMilestone.tsx';
import { usePlanAsk } from './use-plan-ask.ts';

export interface OfEnvironment {
  readonly target: Target;
  readonly info: EnvironmentInfo;
  readonly isOn: boolean;
  readonly onClose: () => void;
}

export interface OfPlan extends OfEnvironment {
  readonly plan: Plan;
}

const mayOf = ({ project, environment }: Target) => [project, environment] as const;

function PauseOrResume({ isPause, ...of }: OfPlan & { readonly isPause: boolean }) {
  const { target, info, plan, onClose } = of;
  const mayNot = useMay('UPDATE_FEATURE_STRATEGY', ...mayOf(target));
  return (
    <PlanDialog
      target={target}
      info={info}
      title={isPause ? words.pauseTitle : words.resumeTitle}
      sentences={isPause ? words.pauseEffects : words.resumeEffects}
      label={isPause ? words.pauseLabel : words.resumeLabel}
      mayNot={mayNot}
      done={isPause ? words.wasPaused : words.wasResumed}
      send={(reason) => (isPause ? pausePlan(target, plan, reason) : resumePlan(target, plan, reason))}
      onClose={onClose}
    />
  );
}

function Remove(of: OfPlan) {
  const { target, info, plan, isOn, onClose } = of;
  const mayNot = useMay('DELETE_FEATURE_STRATEGY', ...mayOf(target));
  const active = plan.milestones[activeIndex(plan)];
  return (
    <PlanDialog
      danger
      target={target}
      info={info}
      title={words.removeTitle(plan.name)}
      sentences={active ? [words.removeStrategies(active.name), words.removeOff] : []}
      label={words.removeLabel}
      mayNot={mayNot}
      done={words.wasRemoved(plan.name)}
      isDelivered={isOn && active !== undefined}
      send={(reason) => removePlan(target, plan, reason)}
      changes={[{ action: 'deleteReleasePlan', payload: { planId: plan.id } }]}
      onClose={onClose}
    />
  );
}

function Time({ milestoneId, ...of }: OfPlan & { readonly milestoneId: string }) {
  const { target, info, plan, onClose } = of;
  const milestone = plan.milestones.find(({ id }) => id === milestoneId);
  const stored = milestone?.transitionCondition?.intervalMinutes ?? null;
  const [minutes, setMinutes] = useKept('minutes', stored);
  const mayNot = useMay('UPDATE_FEATURE_STRATEGY', ...mayOf(target));
  if (!milestone) return null;
  const payload = {
    milestoneId,
    ...(minutes !== null && { transitionCondition: { intervalMinutes: minutes } }),
  };
  return (
    <PlanDialog
      target={target}
      info={info}
      title={words.timeTitle(milestone.name)}
      sentences={[]}
      label={partWords.save}
      mayNot={mayNot}
      problem={minutes === stored ? partWords.unchanged : intervalProblem(minutes)}
      done={words.timeSaved(milestone.name)}
      send={(reason) => setTime(target, milestoneId, minutes, reason)}
      changes={[{ action: minutes === null ? 'deleteMilestoneProgression' : 'changeMilestoneProgression', payload }]}
      onClose={onClose}
    >
      <IntervalField minutes={minutes} onChange={setMinutes} />
    </PlanDialog>
  );
}

interface RemoveGuardProps extends OfEnvironment {
  /** Undefined: a safeguard of the flag itself. */
  readonly plan: Plan | undefined;
  readonly guard: Safeguard | undefined;
}

function RemoveGuard({ guard, plan, target, info, onClose }: RemoveGuardProps) {
  const mayNot = useMay('UPDATE_FEATURE_STRATEGY', ...mayOf(target));
  if (!guard) return null;
  return (
    <PlanDialog
      danger
      target={target}
      info={info}
      title={guardWords.removeGuardTitle}
      sentences={[guardWords.removeGuardEffect(measureOf(guard))]}
      label={words.removeLabel}
      mayNot={mayNot}
      done={guardWords.guardRemoved}
      send={(reason) => removeSafeguard(target, plan, guard.id, reason)}
      changes={[{ action: 'deleteSafeguard', payload: { ...(plan && { planId: plan.id }), safeguardId: guard.id } }]}
      onClose={onClose}
    />
  );
}

interface PlanActsProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly info: EnvironmentInfo;
  readonly plan: Plan | undefined;
  /** Those of the flag itself. */
  readonly guards: readonly Safeguard[];
}

/** The dialog that the address opens. It waits until it is known what saving in the environment needs. */
export function PlanActs({ flag, environment, info, plan, guards }: PlanActsProps) {
  const { asked, close } = usePlanAsk();
  if (asked?.environment !== environment || !info.isKnown) return null;
  const found = flag.environments.find(({ name }) => name === environment);
  const isOn = found?.enabled ?? false;
  const target = { project: flag.project, feature: flag.name, environment };
  const of = { target, info, isOn, onClose: close };
  if (asked.act === 'add') return found ? <AddPlan {...of} plan={plan} environment={found} /> : null;
  const ofFlag = { ...of, plan: undefined, guard: guards.find((one) => one.id === asked.id) };
  if (asked.act === 'flagguard') return <SafeguardDialog key={asked.id} {...ofFlag} />;
  if (asked.act === 'flagunguard') return <RemoveGuard {...ofFlag} />;
  if (!plan) return null;
  const { act, id } = asked;
  const ofPlan = { ...of, plan };
  if (act === 'start') {
    const milestone = plan.milestones.find((one) => one.id === id);
    return milestone && found ? (
      <StartMilestone key={id} {...ofPlan} milestone={milestone} environment={found} />
    ) : null;
  }
  if (act === 'pause' || act === 'resume') return <PauseOrResume {...ofPlan} isPause={act === 'pause'} />;
  if (act === 'remove') return <Remove {...ofPlan} />;
  if (act === 'time') return <Time key={id} {...ofPlan} milestoneId={id} />;
  const guard = plan.safeguards.find((one) => one.id === id);
  if (act === 'unguard') return <RemoveGuard {...ofPlan} guard={guard} />;
  if (act !== 'guard') return null;
  return <SafeguardDialog key={id} {...ofPlan} guard={guard} />;
}
