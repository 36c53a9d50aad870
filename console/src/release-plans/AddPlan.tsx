import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { useKept } from '../data/kept.ts';
import { useMay } from '../data/may.ts';
import { usableTemplatesQuery } from '../data/release-templates.ts';
import { deletingAfter } from '../data/save.ts';
import { type EnvironmentSettings, type FeatureEnvironment, type StrategyDraft, settingsOf } from '../domain/model.ts';
import { plannedStrategy, strategyForFlag } from '../domain/waiting-milestone.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Field } from '../kit/inputs/Field.tsx';
import { Segmented } from '../kit/inputs/Segmented.tsx';
import { Select } from '../kit/inputs/Select.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import parts from '../parts/parts.module.css';
import { path } from '../paths.ts';
import { SettingsRule, useSegmentNames } from '../save/SettingsRule.tsx';
import { WhoChanges } from '../save/WhoChanges.tsx';
import { plans as words } from '../words/en/flags/release.ts';
import { asRule, strategyWords } from '../words/en/rule-sentences.ts';
import { save as saveWords } from '../words/en/save.ts';
import { isForEveryone } from '../words/rule-words.ts';
import type { OfEnvironment } from './PlanActs.tsx';
import { PlanDialog } from './PlanDialog.tsx';
import { addPlan, ownStrategies, type Plan } from './plan-data.ts';
import styles from './Release.module.css';
import type { Template } from './template-data.ts';

interface MilestonesProps extends Pick<OfEnvironment, 'target'> {
  readonly template: Template;
  readonly settings: EnvironmentSettings;
  /** The strategies that stay beside those of the plan. */
  readonly staying: readonly StrategyDraft[];
}

/** The rule with each milestone of the template, and who changes compared with now. A flag that is off is tried as it is when it is on. */
function Milestones({ target, template, settings, staying }: MilestonesProps) {
  const [shown, setShown] = useState('');
  const mayNotSwitch = useMay('UPDATE_FEATURE_ENVIRONMENT', target.project, target.environment);
  const { milestones } = template;
  const milestone = milestones.find(({ id }) => id === shown) ?? milestones[0];
  const enabled = settings.enabled || mayNotSwitch === undefined;
  const after = useMemo(() => {
    const planned = (milestone?.strategies ?? []).map((stored) =>
      strategyForFlag(plannedStrategy(stored), target.feature),
    );
    return { ...settings, enabled, strategies: [...staying, ...planned] };
  }, [settings, enabled, staying, milestone, target.feature]);
  return (
    <>
      <section className={parts.tight}>
        <h3 className={parts.heading}>{saveWords.rule}</h3>
        {milestones.length > 1 && (
          <Segmented
            label={words.milestoneShown}
            options={milestones.map(({ id, name }) => ({
              value: id,
              label: <span className={styles.milestoneShown}>{name}</span>,
            }))}
            value={milestone?.id ?? ''}
            onChange={setShown}
          />
        )}
        {!settings.enabled && enabled && <p className={parts.quiet}>{words.whenOn}</p>}
        <SettingsRule settings={after} />
      </section>
      <WhoChanges target={target} base={settings} mine={after} />
    </>
  );
}

interface ReplaceProps extends Pick<OfEnvironment, 'target'> {
  readonly own: readonly StrategyDraft[];
  readonly isReplaced: boolean;
  readonly onChange: (isReplaced: boolean) => void;
}

/** Offers to replace the strategies that are there, and says when the plan does nothing beside them. */
function Replace({ target, own, isReplaced, onChange }: ReplaceProps) {
  const segments = useSegmentNames();
  const mayNotDelete = useMay('DELETE_FEATURE_STRATEGY', target.project, target.environment);
  const isPointless = !isReplaced && own.some((one) => isForEveryone(asRule(one, segments)));
  return (
    <>
      {isPointless && <Banner tone="warn">{words.everyoneStays}</Banner>}
      <Checkbox
        label={words.replace}
        hint={own.map((one) => strategyWords(one, segments)).join(' · ')}
        checked={isReplaced}
        reason={mayNotDelete}
        onChange={onChange}
      />
    </>
  );
}

interface AddPlanProps extends OfEnvironment {
  readonly environment: FeatureEnvironment;
  /** It is there as soon as it is added, while strategies that it replaces are still deleted. */
  readonly plan: Plan | undefined;
}

function ChooseTemplate({ templates, ...of }: AddPlanProps & { readonly templates: readonly Template[] }) {
  const { target, info, isOn, environment, plan, onClose } = of;
  const [id, setId] = useKept('id', templates[0]?.id ?? null);
  const [isReplacing, setReplacing] = useKept('replace', false);
  const segments = useSegmentNames();
  const settings = useMemo(() => settingsOf(environment), [environment]);
  const own = useMemo(() => ownStrategies(settings, plan), [settings, plan]);
  const mayNot = useMay('CREATE_FEATURE_STRATEGY', target.project, target.environment);
  const chosen = templates.find((one) => one.id === id);
  const first = chosen?.milestones[0]?.name ?? '';
  const removed = isReplacing ? own : [];
  const staying = useMemo(() => (isReplacing ? [] : own), [isReplacing, own]);
  const beside = isReplacing ? words.addReplaces(own.map((one) => strategyWords(one, segments))) : words.addKeeps;
  const templateId = chosen?.id ?? '';
  return (
    <PlanDialog
      target={target}
      info={info}
      title={words.addTitle(target.environment)}
      sentences={chosen ? [isOn ? words.addOn(first) : words.addOff(first), ...(own.length > 0 ? [beside] : [])] : []}
      label={words.addLabel}
      mayNot={mayNot}
      problem={plan ? words.hasOne : chosen ? undefined : words.noTemplates}
      done={words.added(chosen?.name ?? '')}
      isDelivered={isOn}
      send={(reason) => {
        const adding = addPlan(target, templateId, reason);
        const ids = removed.map((one) => one.id);
        return ids.length === 0 ? adding : deletingAfter(adding, { target, base: settings, ids, reason });
      }}
      changes={[
        { action: 'addReleasePlan', payload: { templateId } },
        ...removed.map((one) => ({ action: 'deleteStrategy', payload: { id: one.id } })),
      ]}
      onClose={onClose}
    >
      {chosen ? (
        <>
          <Field label={words.template} hint={chosen.description ?? undefined}>
            <Select
              value={id}
              onChange={setId}
              options={templates.map(({ id: value, name, milestones }) => ({
                value,
                label: name,
                hint: milestones.map((one) => one.name).join(' → '),
              }))}
            />
          </Field>
          {own.length > 0 && <Replace target={target} own={own} isReplaced={isReplacing} onChange={setReplacing} />}
          <Milestones target={target} template={chosen} settings={settings} staying={staying} />
        </>
      ) : (
        <p>
          {words.noTemplates}{' '}
          <Link className={parts.inline} href={path('releaseTemplates')}>
            {words.toTemplates}
          </Link>
        </p>
      )}
    </PlanDialog>
  );
}

/** Asks which template, says who changes in each of its milestones, and adds a plan of it. */
export function AddPlan(of: AddPlanProps) {
  const query = useQuery(usableTemplatesQuery(of.target.project));
  return <Loaded query={query}>{(templates) => <ChooseTemplate {...of} templates={templates} />}</Loaded>;
}
