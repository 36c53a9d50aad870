import { useQuery } from '@tanstack/react-query';
import { Copy, Ellipsis, Milestone, Plus, Shapes, Shield } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { linkedDraft } from '../../data/draft-link.ts';
import { formOfDraft, resolve, useDrafts } from '../../data/drafts.ts';
import { usePendingRequests } from '../../data/feature.ts';
import { isFirstViewShown } from '../../data/first-view.ts';
import { keys } from '../../data/keys.ts';
import { usePresent } from '../../data/live.ts';
import { type MayNot, useMay, useMe } from '../../data/may.ts';
import { lazyScreen } from '../../data/new-version.ts';
import { showReceipt } from '../../data/receipts.ts';
import { useHasTemplates } from '../../data/release-templates.ts';
import { safeguardsQuery } from '../../data/safeguards.ts';
import { saveSettings } from '../../data/save.ts';
import { useStore } from '../../data/store.ts';
import { useUrlState } from '../../data/url-state.ts';
import { countOfChanges } from '../../domain/changes.ts';
import { type Conflict, mergeSettings } from '../../domain/merge.ts';
import { type EnvironmentSettings, type Feature, isNew } from '../../domain/model.ts';
import { same } from '../../domain/same.ts';
import { addedWhenOn, waitingMilestone, withAdded } from '../../domain/waiting-milestone.ts';
import { DraftBar } from '../../kit/changes/DraftBar.tsx';
import { EnvironmentMark, productionEdge } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleLead, RuleList } from '../../kit/changes/RuleSentence.tsx';
import { classes } from '../../kit/classes.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Switch } from '../../kit/inputs/Switch.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { toast } from '../../kit/notices/toast.ts';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { Rows } from '../../parts/Rows.tsx';
import { path } from '../../paths.ts';
import { usePlanAsk } from '../../release-plans/use-plan-ask.ts';
import { RestoredText } from '../../save/Restored.tsx';
import { SaveDialog } from '../../save/SaveDialog.tsx';
import { useSegmentNames } from '../../save/SettingsRule.tsx';
import { type EnvironmentInfo, useEnvironmentInfo } from '../../save/use-env-info.ts';
import { refreshed } from '../../save/use-write.ts';
import { constraintsProblem } from '../../strategies/condition.ts';
import { type EnvironmentDraft, newStrategy, useEnvironmentDraft } from '../../strategies/use-environment-draft.ts';
import { variantsProblem } from '../../strategies/VariantsEditor.tsx';
import { feature as words } from '../../words/en/flags/feature.ts';
import { features as listWords } from '../../words/en/flags/features.ts';
import { plans as planWords } from '../../words/en/flags/release.ts';
import { guards as guardWords } from '../../words/en/flags/safeguards.ts';
import { kit } from '../../words/en/kit.ts';
import { parts } from '../../words/en/parts.ts';
import { rulesOf, strategyName } from '../../words/en/rule-sentences.ts';
import { save as saveWords } from '../../words/en/save.ts';
import styles from './Environments.module.css';
import { StrategyCard } from './StrategyCard.tsx';
import { usePanel } from './use-panel.ts';

const PlanSection = lazyScreen(() => import('../../release-plans/PlanSection.tsx'), 'PlanSection');

interface EnvironmentColumnProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly all: readonly string[];
}

interface Asked {
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  readonly conflicts: readonly Conflict[];
}

/** The switch saves at once where nothing guards it and nothing else is unsaved; otherwise it changes the draft, or asks. */
function useColumnSwitch(env: EnvironmentDraft, isGuarded: boolean, setAsked: (asked: Asked) => void) {
  const [isPending, setPending] = useState(false);
  const does = env.draft ? 'joins' : isGuarded ? 'asks' : 'saves';
  const onSwitch = async (enabled: boolean) => {
    if (does === 'joins') return env.change((settings) => ({ ...settings, enabled }));
    const mine = { ...env.saved, enabled };
    if (does === 'asks') return setAsked({ base: env.saved, mine, conflicts: [] });
    setPending(true);
    const outcome = await saveSettings(env.target, env.saved, mine, '');
    const { project, feature, environment } = env.target;
    if (outcome.kind === 'saved') await refreshed([keys.feature(project, feature)]);
    setPending(false);
    if (outcome.kind === 'saved') {
      showReceipt(
        enabled ? listWords.switchedOn(feature, environment) : listWords.switchedOff(feature, environment),
        outcome.revisions,
      );
    } else if (outcome.kind === 'changed')
      setAsked({ base: outcome.base, mine: outcome.merged, conflicts: outcome.conflicts });
    else if (outcome.failure.status === 400 || outcome.failure.status === 403)
      setAsked({ base: env.saved, mine, conflicts: [] });
    else toast({ tone: 'bad', text: outcome.failure.message });
  };
  return { does, onSwitch, isPending } as const;
}

/** A link brings its draft with it. It is combined with what was saved since, and never replaces a draft of this page. */
function useLinkedDraft(env: EnvironmentDraft, setAsked: (asked: Asked) => void) {
  const [review, setReview] = useUrlState('review');
  const [edited, setEdited] = useUrlState('draft');
  const isReview = review === env.target.environment;
  const isLinked = isReview || edited === env.target.environment;
  useEffect(() => {
    if (!isLinked) return;
    const linked = linkedDraft(location.hash);
    setReview('');
    setEdited('');
    if (!linked) return toast({ tone: 'bad', text: words.linkedDraftUnreadable });
    const { value, conflicts } = mergeSettings(linked.base, linked.mine, env.saved);
    if (same(value, env.saved) && conflicts.length === 0) return toast({ tone: 'good', text: words.linkedDraftSaved });
    if (!env.draft) env.change(() => value);
    if (isReview) setAsked({ base: env.saved, mine: value, conflicts });
  }, [isLinked, isReview, setReview, setEdited, env, setAsked]);
}

function Pending({ flag, environment }: { readonly flag: Feature; readonly environment: string }) {
  const { data = [] } = usePendingRequests(flag.project, flag.name);
  const pending = data.filter((request) => request.environment === environment);
  return pending.map(({ id, state, schedule }) => (
    <Link key={id} className={styles.request} href={path('changeRequest', { projectId: flag.project, id })}>
      {schedule?.status === 'pending'
        ? saveWords.scheduledRequest(id, schedule.scheduledAt)
        : state === 'Draft'
          ? words.draftRequest(id)
          : words.pendingRequest(id, state)}
    </Link>
  ));
}

const planOf = (flag: Feature, environment: string) =>
  flag.environments.find(({ name }) => name === environment)?.releasePlans[0];

interface HeadProps {
  readonly flag: Feature;
  readonly env: EnvironmentDraft;
  readonly info: EnvironmentInfo;
  readonly isAlone: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function Head({ flag, env, info, isAlone, onAsk }: HeadProps) {
  const panel = usePanel();
  const plans = usePlanAsk();
  const { environment } = env.target;
  const { shown } = env;
  const isGuarded = info.isProduction || info.needsReason || info.isReviewed;
  const { does, onSwitch, isPending } = useColumnSwitch(env, isGuarded || !info.isKnown, onAsk);
  const mayNotSwitch = useMay('UPDATE_FEATURE_ENVIRONMENT', flag.project, environment);
  const mayNotAdd = useMay('CREATE_FEATURE_STRATEGY', flag.project, environment);
  const mayNotGuard = useMay('UPDATE_FEATURE_STRATEGY', flag.project, environment);
  const archived = flag.archived ? words.archivedBanner : undefined;
  return (
    <header className={styles.head}>
      <Switch
        checked={shown.enabled}
        label={words.switchLabel(flag.name, environment)}
        does={does}
        guarded={isGuarded}
        pending={isPending}
        reason={archived ?? mayNotSwitch}
        onChange={(on) => void onSwitch(on)}
      />
      <h2 className={styles.name}>
        <EnvironmentMark name={environment} production={info.isProduction} protected={info.isReviewed} />
      </h2>
      <p aria-hidden className={styles.does}>
        {kit.switches[does]}
      </p>
      <Menu
        label={parts.actionsFor(environment)}
        icon={<Ellipsis aria-hidden />}
        size="small"
        align="end"
        entries={[
          {
            label: words.copyThis,
            icon: <Copy aria-hidden />,
            reason: isAlone ? parts.isLast : archived,
            onSelect: () => panel.copy(environment),
          },
          {
            label: planWords.add,
            icon: <Milestone aria-hidden />,
            reason: archived ?? mayNotAdd ?? (planOf(flag, environment) && planWords.hasOne),
            onSelect: () => plans.ask(environment, 'add'),
          },
          {
            label: guardWords.addGuard,
            icon: <Shield aria-hidden />,
            reason: archived ?? mayNotGuard,
            onSelect: () => plans.ask(environment, 'flagguard'),
          },
          {
            label: words.editVariants,
            icon: <Shapes aria-hidden />,
            reason: archived,
            onSelect: () => panel.editVariants(environment),
          },
        ]}
      />
    </header>
  );
}

/** The page is narrower beside the panel: what is edited stays in view, and so does its draft bar as soon as there is one. */
function useInView(isEdited: boolean, hasBar: boolean) {
  const column = useRef<HTMLElement>(null);
  const isScrolledFor = isEdited && (hasBar ? 'bar' : 'column');
  useEffect(() => {
    if (isScrolledFor) column.current?.scrollIntoView({ block: 'nearest' });
  }, [isScrolledFor]);
  return column;
}

function Variants({ variants }: Pick<EnvironmentSettings, 'variants'>) {
  if (variants.length === 0) return null;
  return (
    <p className={styles.quiet}>
      {words.variants}: {variants.map(({ name, weight }) => `${name} ${weight / 10}%`).join(', ')}
    </p>
  );
}

interface PlanProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly info: EnvironmentInfo;
}

function Plan({ flag, environment, info }: PlanProps) {
  const { asked } = usePlanAsk();
  const plan = planOf(flag, environment);
  const target = { project: flag.project, feature: flag.name, environment };
  const { data } = useQuery({ ...safeguardsQuery(target), enabled: useStore(isFirstViewShown) });
  const { safeguards = [], checks = [] } = data ?? {};
  if (!plan && safeguards.length === 0 && asked?.environment !== environment) return null;
  return (
    <Suspense fallback={<Skeleton rows={3} />}>
      <PlanSection flag={flag} environment={environment} info={info} plan={plan} guards={safeguards} checks={checks} />
    </Suspense>
  );
}

function Strategies({ flag, env }: { readonly flag: Feature; readonly env: EnvironmentDraft }) {
  const segments = useSegmentNames();
  const mayNotUpdate = useMay('UPDATE_FEATURE_STRATEGY', flag.project, env.target.environment);
  return (
    <Rows
      isOrdered
      isNamed={false}
      list={styles.strategies}
      items={env.shown.strategies}
      nameOf={(strategy) => strategyName(strategy, segments)}
      keyOf={({ id }) => id}
      reason={flag.archived ? words.archivedBanner : mayNotUpdate}
      onChange={(strategies) => env.change((settings) => ({ ...settings, strategies }))}
    >
      {({ item, index, order }) => (
        <StrategyCard env={env} strategy={item} index={index} order={order} isArchived={flag.archived} />
      )}
    </Rows>
  );
}

interface AdditionsProps {
  readonly flag: Feature;
  readonly environment: string;
  readonly reason: MayNot;
  readonly onAdd: () => void;
}

/** The buttons that add a strategy, or a release plan if there are templates. */
function Additions({ flag, environment, reason, onAdd }: AdditionsProps) {
  const plans = usePlanAsk();
  const hasTemplates = useHasTemplates(flag.project);
  return (
    <div className={styles.additions}>
      <Button size="small" icon={<Plus aria-hidden />} reason={reason} onClick={onAdd}>
        {words.addStrategy}
      </Button>
      {hasTemplates && !planOf(flag, environment) && (
        <Button
          size="small"
          icon={<Milestone aria-hidden />}
          reason={reason}
          onClick={() => plans.ask(environment, 'add')}
        >
          {planWords.addShown}
        </Button>
      )}
    </div>
  );
}

/** Of several drafts of a flag, the key reviews the one that the panel edits, or the first. */
function useHasKey({ target }: EnvironmentDraft, all: readonly string[], edited: string | undefined): boolean {
  const drafts = useDrafts();
  const ofFlag = drafts.filter((one) => one.target.project === target.project && one.target.feature === target.feature);
  const drafted = new Set(ofFlag.map((one) => one.target.environment));
  const reviewed = edited !== undefined && drafted.has(edited) ? edited : all.find((name) => drafted.has(name));
  return reviewed === target.environment;
}

/** What must be mended before the draft can be saved. */
function draftProblem({ shown, saved }: EnvironmentDraft): string | undefined {
  const constraintsOf = new Map(saved.strategies.map(({ id, constraints }) => [id, constraints]));
  return [
    variantsProblem(shown.variants),
    ...shown.strategies.map(({ variants }) => variantsProblem(variants)),
    ...shown.strategies.map(({ id, constraints }) => constraintsProblem(constraints, constraintsOf.get(id))),
  ].find((one) => one !== undefined);
}

interface RuleProps {
  readonly shown: EnvironmentSettings;
  readonly added: Parameters<typeof withAdded>[1];
}

/** Each strategy is said once: by its card, or here while there are no cards. */
function Rule({ shown, added }: RuleProps) {
  const segments = useSegmentNames();
  const rules = { enabled: shown.enabled, strategies: rulesOf(withAdded(shown, added), segments) };
  return (
    <div className={styles.rule}>
      {shown.strategies.length > 0 ? <RuleLead {...rules} isAlone /> : <RuleList {...rules} />}
    </div>
  );
}

export function EnvironmentColumn({ flag, environment, all }: EnvironmentColumnProps) {
  const env = useEnvironmentDraft(flag, environment);
  const here = flag.environments.find(({ name }) => name === environment);
  const info = useEnvironmentInfo(env.target, here?.type);
  const panel = usePanel();
  const [asked, setAsked] = useState<Asked | null>(null);
  const mayNotAdd = useMay('CREATE_FEATURE_STRATEGY', flag.project, environment);
  const me = useMe().data?.user.id;
  const present = usePresent('feature', flag.name);
  const people = present?.filter(({ mode, id }) => mode === 'editing' && id !== me) ?? [];
  const { shown, draft } = env;
  const archived = flag.archived ? words.archivedBanner : undefined;
  const first = env.saved.enabled || flag.archived ? undefined : info.firstStrategy;
  const added = addedWhenOn(shown, waitingMilestone(here), first);
  useLinkedDraft(env, setAsked);

  const add = () => panel.edit(environment, env.addStrategy(newStrategy(flag.name, 'default')));
  const count = draft ? Math.max(1, countOfChanges(draft.base, draft.mine)) : 0;
  const hasKey = useHasKey(env, all, panel.open?.environment);
  const column = useInView(panel.open?.environment === environment, count > 0);
  return (
    <section
      ref={column}
      className={classes(styles.column, productionEdge(info.isProduction))}
      aria-label={environment}
    >
      <Head flag={flag} env={env} info={info} isAlone={all.length < 2} onAsk={setAsked} />
      <Pending flag={flag} environment={environment} />
      <Plan flag={flag} environment={environment} info={info} />
      <Rule shown={shown} added={added} />
      <Strategies flag={flag} env={env} />
      {first && added.includes(first) && <p className={styles.quiet}>{words.addsDefault}</p>}
      <Additions flag={flag} environment={environment} reason={archived ?? mayNotAdd} onAdd={add} />
      <Variants variants={shown.variants} />
      <DraftBar
        count={count}
        production={info.isProduction}
        reason={draftProblem(env)}
        hasNoKey={!hasKey}
        onReview={() => draft && setAsked(draft)}
        onDiscard={env.discard}
      >
        <RestoredText form={formOfDraft(env.target)} />
        {people.length > 0 && words.alsoEdit(people.map(({ name }) => name).join(', '))}
      </DraftBar>
      {asked && (
        <SaveDialog
          target={env.target}
          base={asked.base}
          mine={asked.mine}
          conflicts={asked.conflicts}
          onRebase={(base, mine, conflicts) => {
            setAsked({ base, mine, conflicts });
            if (draft) resolve(env.target, mine, conflicts);
          }}
          onClose={() => setAsked(null)}
          onSaved={() => {
            env.discard();
            setAsked(null);
            // A new strategy has another id as soon as it is saved.
            if (panel.open?.environment === environment && isNew(panel.open)) panel.close();
          }}
        />
      )}
    </section>
  );
}
