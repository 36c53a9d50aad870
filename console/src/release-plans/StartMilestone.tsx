import { useMemo } from 'react';
import { useMay } from '../data/may.ts';
import { type EnvironmentSettings, type FeatureEnvironment, settingsOf } from '../domain/model.ts';
import { plannedStrategy } from '../domain/waiting-milestone.ts';
import parts from '../parts/parts.module.css';
import { SettingsRule } from '../save/SettingsRule.tsx';
import { WhoChanges } from '../save/WhoChanges.tsx';
import { plans as words } from '../words/en/flags/release.ts';
import { save as saveWords } from '../words/en/save.ts';
import type { OfPlan } from './PlanActs.tsx';
import { PlanDialog } from './PlanDialog.tsx';
import { activeIndex, ownStrategies, type Plan, type PlanMilestone, startMilestone } from './plan-data.ts';

/** The settings with the strategies of the milestone, after those that do not belong to the plan. */
const settingsAfter = (
  settings: EnvironmentSettings,
  plan: Plan,
  { strategies }: PlanMilestone,
): EnvironmentSettings => ({
  ...settings,
  strategies: [...ownStrategies(settings, plan), ...strategies.map(plannedStrategy)],
});

interface StartProps extends OfPlan {
  readonly milestone: PlanMilestone;
  readonly environment: FeatureEnvironment;
}

/** Asks before a milestone is started, with the rules before and after it, and who changes. */
export function StartMilestone({ milestone, environment, ...of }: StartProps) {
  const { target, info, plan, isOn, onClose } = of;
  const mayNot = useMay('UPDATE_FEATURE_STRATEGY', target.project, target.environment);
  const active = plan.milestones[activeIndex(plan)];
  const { name } = milestone;
  const isBack = plan.milestones.indexOf(milestone) < activeIndex(plan);
  const settings = useMemo(() => settingsOf(environment), [environment]);
  const after = useMemo(() => settingsAfter(settings, plan, milestone), [settings, plan, milestone]);
  const change = useMemo(
    () => ({ action: 'startMilestone', payload: { planId: plan.id, milestoneId: milestone.id } }),
    [plan.id, milestone.id],
  );
  return (
    <PlanDialog
      target={target}
      info={info}
      title={words.startTitle(name, target.environment)}
      sentences={[
        active ? words.startReplaces(active.name, name) : words.startFirst(name),
        ...(isBack ? [words.startBack] : []),
        ...(isOn ? [] : [words.startOff]),
      ]}
      label={words.startLabel}
      mayNot={mayNot}
      done={words.wasStarted(name)}
      isDelivered={isOn}
      send={(reason) => startMilestone(target, plan, milestone.id, reason)}
      changes={[change]}
      onClose={onClose}
    >
      <section className={parts.tight}>
        <h3 className={parts.heading}>{words.ruleNow}</h3>
        <SettingsRule settings={settings} />
      </section>
      <section className={parts.tight}>
        <h3 className={parts.heading}>{saveWords.rule}</h3>
        <SettingsRule settings={after} />
      </section>
      <WhoChanges target={target} base={settings} mine={after} change={change} />
    </PlanDialog>
  );
}
