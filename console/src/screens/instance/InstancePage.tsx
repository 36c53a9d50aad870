import { useQuery } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import { BASE_PATH } from '../../base-path.ts';
import { publicUrl } from '../../data/base.ts';
import { useMay } from '../../data/may.ts';
import { useUiConfig } from '../../data/settings.ts';
import { classes } from '../../kit/classes.ts';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { CodeBlock } from '../../kit/texts/CodeBlock.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { instance as words } from '../../words/en/admin/instance.ts';
import { numberText } from '../../words/number-text.ts';
import own from './Instance.module.css';
import { readyQuery, type Statistics, statisticsQuery } from './instance-data.ts';
import { Replica } from './Replica.tsx';

const FIGURES = classes(styles.facts, styles.figures);

type Named<T extends string> = readonly (readonly [label: string, value: number, name: T])[];

function Facts<T extends string>({ title, facts }: { readonly title: string; readonly facts: Named<T> }) {
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{title}</h2>
      <dl className={FIGURES}>
        {facts.map(([label, value, name]) => (
          <Fact key={name} label={label} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Fact({ label, value, limit }: { readonly label: string; readonly value: number; readonly limit?: number }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <NumberText value={value} />
        {limit !== undefined && <span className={styles.quiet}> {words.limit(numberText(limit))}</span>}
      </dd>
    </>
  );
}

function Counts({ statistics }: { readonly statistics: Statistics }) {
  const limits = useUiConfig()?.resourceLimits;
  const { clientApps, apiTokens } = statistics;
  const limitOf = {
    featureToggles: limits?.featureFlags,
    projects: limits?.projects,
    environments: limits?.environments,
    segments: limits?.segments,
  } as Readonly<Record<string, number | undefined>>;
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.counts}</h2>
      <dl className={FIGURES}>
        {COUNTED.map((name) => (
          <Fact key={name} label={words.names[name]} value={statistics[name]} {...limited(limitOf[name])} />
        ))}
        <Fact label={words.names.clientApps} value={clientApps[0]?.count ?? 0} />
        {Object.entries(apiTokens).map(([type, count]) => (
          <Fact key={type} label={words.tokens(words.tokenTypes[type] ?? type)} value={count} />
        ))}
      </dl>
    </section>
  );
}

const limited = (limit: number | undefined) => (limit === undefined ? {} : { limit });

const COUNTED = [
  ...(['featureToggles', 'archivedFeatureToggles', 'projects', 'environments', 'segments', 'contextFields'] as const),
  ...([
    'strategies',
    'users',
    'serviceAccounts',
    'groups',
    'roles',
    'customRootRoles',
    'customRootRolesInUse',
  ] as const),
  ...(['featureExports', 'featureImports'] as const),
];

function Largest({ statistics }: { readonly statistics: Statistics }) {
  const limits = useUiConfig()?.resourceLimits;
  const { maxEnvironmentStrategies, maxConstraints, maxConstraintValues } = statistics;
  const names = words.largestNames;
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.largest}</h2>
      <dl className={FIGURES}>
        <Fact
          label={names.maxEnvironmentStrategies}
          value={maxEnvironmentStrategies}
          {...limited(limits?.featureEnvironmentStrategies)}
        />
        <Fact label={names.maxConstraints} value={maxConstraints} {...limited(limits?.constraints)} />
        <Fact label={names.maxConstraintValues} value={maxConstraintValues} {...limited(limits?.constraintValues)} />
      </dl>
    </section>
  );
}

function Service({ statistics }: { readonly statistics: Statistics }) {
  const config = useUiConfig();
  const { versionOSS, instanceId, timestamp, passwordAuthEnabled, OIDCenabled, SAMLenabled } = statistics;
  const ways = [
    ...(passwordAuthEnabled ? [words.ways.password] : []),
    ...(OIDCenabled ? [words.ways.oidc] : []),
    ...(SAMLenabled ? [words.ways.saml] : []),
  ];
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.service}</h2>
      <dl className={styles.facts}>
        <dt>{words.version}</dt>
        <dd>
          <code>{versionOSS}</code>
        </dd>
        <dt>{words.id}</dt>
        <dd>
          <code>{instanceId}</code>
        </dd>
        <dt>{words.url}</dt>
        <dd>
          <code>{publicUrl(config?.serviceUrl)}</code>
        </dd>
        <dt>{words.signOn}</dt>
        <dd>{ways.join(', ') || words.noWay}</dd>
        <dt>{words.at}</dt>
        <dd>
          <TimeText at={timestamp} />
        </dd>
      </dl>
    </section>
  );
}

const backupCommand = () => `curl -OJ ${location.origin}${BASE_PATH}/api/admin/backup -H "Authorization: $ADMIN_TOKEN"`;

function Backup() {
  const mayNot = useMay('ADMIN');
  const address = `${BASE_PATH}/api/admin/backup`;
  return (
    <section className={styles.card}>
      <h2 className={styles.heading}>{words.backup}</h2>
      <p className={styles.quiet}>{words.backupHint}</p>
      <div>
        {mayNot === undefined ? (
          <a className={buttonClass()} href={address} download>
            <Download aria-hidden />
            {words.backupNow}
          </a>
        ) : (
          <Button icon={<Download aria-hidden />} reason={mayNot}>
            {words.backupNow}
          </Button>
        )}
      </div>
      <CodeBlock code={backupCommand()} label={words.backupCommand} title={words.backupCommand} />
    </section>
  );
}

function Figures({ statistics }: { readonly statistics: Statistics }) {
  const { activeUsers, productionChanges } = statistics;
  return (
    <>
      <Service statistics={statistics} />
      <Counts statistics={statistics} />
      <Facts
        title={words.active}
        facts={([7, 30, 60, 90] as const).map((days) => [words.lastDays(days), activeUsers[`last${days}`], `${days}`])}
      />
      <Facts
        title={words.production}
        facts={([30, 60, 90] as const).map((days) => [
          words.lastDays(days),
          productionChanges[`last${days}`],
          `${days}`,
        ])}
      />
      <Largest statistics={statistics} />
    </>
  );
}

/** Counts, version, the state of the replica that answers, and the backup. */
export function InstancePage() {
  const statistics = useQuery(statisticsQuery);
  const ready = useQuery(readyQuery);
  const refresh = () => {
    void statistics.refetch();
    void ready.refetch();
  };
  return (
    <Page
      name={words.title}
      lead={words.lead}
      actions={
        <>
          <a className={buttonClass()} href={`${BASE_PATH}/api/admin/instance-admin/statistics/csv`} download>
            <Download aria-hidden />
            {words.csv}
          </a>
          <Button icon={<RefreshCw aria-hidden />} pending={statistics.isFetching} onClick={refresh}>
            {words.refresh}
          </Button>
        </>
      }
    >
      <div className={own.cards}>
        <Loaded query={statistics}>{(value) => <Figures statistics={value} />}</Loaded>
        <Loaded query={ready}>{(value) => <Replica ready={value} />}</Loaded>
        <Backup />
      </div>
    </Page>
  );
}
