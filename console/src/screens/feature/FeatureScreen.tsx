import { CircleHelp, History } from 'lucide-react';
import { Suspense } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Failure } from '../../data/failure.ts';
import { useFeature } from '../../data/feature.ts';
import { lazyScreen } from '../../data/new-version.ts';
import { useOpened } from '../../data/opened.ts';
import { useProductionNames } from '../../data/settings.ts';
import type { Feature } from '../../domain/model.ts';
import { CreateFlag } from '../../flags/CreateFlag.tsx';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { CopyButton } from '../../kit/inputs/CopyButton.tsx';
import { Tabs } from '../../kit/lists/Tabs.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Badge, Tag } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { Page } from '../../page/Page.tsx';
import { useMoment } from '../../past/moment.ts';
import { path } from '../../paths.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
import { features as listWords } from '../../words/en/flags/features.ts';
import { past as pastWords } from '../../words/en/past.ts';
import { ChangedByActions } from './ChangedByActions.tsx';
import { Environments } from './Environments.tsx';
import styles from './Feature.module.css';
import { FeatureActions } from './FeatureActions.tsx';
import { FeatureHistory } from './FeatureHistory.tsx';
import { FeatureInspector } from './FeatureInspector.tsx';
import { FeatureSettings } from './FeatureSettings.tsx';

const PastFlag = lazyScreen(async () => ({ default: (await import('./PastFlag.tsx')).PastFlag }));
const UseTab = lazyScreen(async () => ({ default: (await import('./use/UseTab.tsx')).UseTab }));

const TABS = ['environments', 'use', 'history', 'settings'] as const;
type Tab = (typeof TABS)[number];
/** Unleash calls the history `logs`, and the use `metrics`. */
const TAB_OF: ReadonlyMap<string, Tab> = new Map([
  ['logs', 'history'],
  ['history', 'history'],
  ['metrics', 'use'],
  ['use', 'use'],
  ['settings', 'settings'],
]);
const tabOf = (text = ''): Tab => TAB_OF.get(text) ?? 'environments';
const pathOfTab: Readonly<Record<Tab, string>> = {
  environments: '',
  use: 'metrics',
  history: 'logs',
  settings: 'settings',
};

function Facts({ flag }: { readonly flag: Feature }) {
  return (
    <div className={styles.facts}>
      {flag.description && <p className={styles.description}>{flag.description}</p>}
      <p className={styles.line}>
        {flag.tags?.map(({ type, value }) => (
          <Tag key={`${type}:${value}`} wraps {...(type === 'simple' ? {} : { type })} value={value} />
        ))}
        {flag.dependencies.map(({ feature }) => (
          <Link
            key={feature}
            href={path('feature', { projectId: flag.project, featureId: feature })}
            className={styles.link}
          >
            {words.parent(feature)}
          </Link>
        ))}
        {flag.children.length > 0 && <span>{words.children(flag.children.join(', '))}</span>}
        {flag.links.map(({ id, url, title }) => (
          <a key={id} href={url} rel="noreferrer" target="_blank" className={styles.link}>
            {title || url}
          </a>
        ))}
        <span className={styles.quiet}>
          {flag.lastSeenAt ? (
            <>
              {words.seen} <TimeText at={flag.lastSeenAt} />
            </>
          ) : (
            words.neverSeen
          )}
        </span>
      </p>
      {!flag.archived && <ChangedByActions flag={flag} />}
    </div>
  );
}

/** To the playground, which asks for a user: at first for production. */
function ExplainLink({ flag }: { readonly flag: Feature }) {
  const production = useProductionNames();
  const first = flag.environments.find(({ name }) => production.has(name))?.name;
  return (
    <Link
      className={buttonClass()}
      href={path('playground', {}, { projects: flag.project, flag: flag.name, in: first })}
    >
      <CircleHelp aria-hidden />
      {words.explain}
    </Link>
  );
}

/** One flag: as it is now, or at the moment that the address names. */
export function FeatureScreen() {
  const {
    projectId = '',
    featureId = '',
    tab = '',
  } = useParams<{ projectId: string; featureId: string; tab?: string }>();
  const { at } = useMoment();
  if (at === '') return <FeatureNow projectId={projectId} featureId={featureId} tabText={tab} />;
  return (
    <Suspense fallback={<Skeleton shape="card" />}>
      <PastFlag projectId={projectId} featureId={featureId} />
    </Suspense>
  );
}

interface FeatureNowProps {
  readonly projectId: string;
  readonly featureId: string;
  readonly tabText: string;
}

/** The flag with all of its environments beside each other. */
function FeatureNow({ projectId, featureId, tabText }: FeatureNowProps) {
  const moment = useMoment();
  const tab = tabOf(tabText);
  const { data, error } = useFeature(projectId, featureId);
  const [, navigate] = useLocation();
  const [panel, setPanel] = useOpened('panel');
  const flag = data?.value;
  if (error instanceof Failure && (error.status === 404 || error.status === 403)) return <NotFound />;
  if (error && !flag) return <Banner tone="bad">{error.message}</Banner>;
  if (!flag) return <Skeleton shape="card" />;
  const move = (to: Tab) => {
    const base = path('feature', { projectId, featureId });
    navigate(pathOfTab[to] ? `${base}/${pathOfTab[to]}` : base);
  };
  return (
    <Page
      name={flag.name}
      above={
        <Link href={path('projectFeatures', { projectId: flag.project })} className={styles.link}>
          {flag.project}
        </Link>
      }
      title={
        <>
          <code>{flag.name}</code>
          <CopyButton text={flag.name} label={words.copyName} />
          <Badge>{listWords.types[flag.type]}</Badge>
          {flag.stale && <Badge tone="warn">{words.stale}</Badge>}
          {flag.archived && <Badge tone="bad">{words.archived}</Badge>}
        </>
      }
      actions={
        <>
          {!flag.archived && <ExplainLink flag={flag} />}
          <Button icon={<History aria-hidden />} onClick={moment.open}>
            {pastWords.open}
          </Button>
          <FeatureActions flag={flag} />
        </>
      }
      inspector={
        panel === 'clone' ? (
          <CreateFlag project={flag.project} cloned={flag.name} onClose={() => setPanel('')} />
        ) : (
          <FeatureInspector flag={flag} />
        )
      }
    >
      <Facts flag={flag} />
      <Tabs
        label={words.tabsLabel}
        tabs={TABS.map((value) => ({ value, label: words.tabs[value] }))}
        value={tab}
        onChange={move}
      >
        {tab === 'environments' && <Environments flag={flag} />}
        {tab === 'use' && (
          <Suspense fallback={<Skeleton shape="card" />}>
            <UseTab flag={flag} />
          </Suspense>
        )}
        {tab === 'history' && <FeatureHistory flag={flag} />}
        {tab === 'settings' && <FeatureSettings flag={flag} etag={data.etag} />}
      </Tabs>
    </Page>
  );
}
