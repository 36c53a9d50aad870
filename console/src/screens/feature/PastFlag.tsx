import { FlaskConical } from 'lucide-react';
import { Link } from 'wouter';
import { api, read } from '../../data/client.ts';
import { Failure } from '../../data/failure.ts';
import { isProduction, useEnvironments } from '../../data/settings.ts';
import { type Feature, type FeatureEnvironment, settingsOf } from '../../domain/model.ts';
import { questionQuery } from '../../domain/question.ts';
import { addedWhenOn, waitingMilestone, withAdded } from '../../domain/waiting-milestone.ts';
import { EnvironmentMark, productionEdge } from '../../kit/changes/EnvironmentMark.tsx';
import { RuleList } from '../../kit/changes/RuleSentence.tsx';
import { classes } from '../../kit/classes.ts';
import { buttonClass } from '../../kit/inputs/Button.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { EmptyState } from '../../kit/notices/EmptyState.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { Badge, Tag } from '../../kit/texts/Badge.tsx';
import { NotFound } from '../../page/NotFound.tsx';
import { Page } from '../../page/Page.tsx';
import { useMoment } from '../../past/moment.ts';
import { namesOf, type PastSegment, usePast, usePastSegments } from '../../past/past-data.ts';
import { TimeMachine } from '../../past/TimeMachine.tsx';
import { PATHS, path } from '../../paths.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
import { features as listWords } from '../../words/en/flags/features.ts';
import { past as pastWords } from '../../words/en/past.ts';
import { rulesOf, type SegmentNames } from '../../words/en/rule-sentences.ts';
import { constraintText } from '../../words/rule-words.ts';
import styles from './Past.module.css';

function PastEnvironment({
  environment,
  segments,
}: {
  readonly environment: FeatureEnvironment;
  readonly segments: SegmentNames;
}) {
  const settings = settingsOf(environment);
  const production = isProduction(environment.type);
  return (
    <section className={classes(styles.column, productionEdge(production))} aria-label={environment.name}>
      <header className={styles.head}>
        <h2 className={styles.name}>
          <EnvironmentMark name={environment.name} production={production} />
        </h2>
      </header>
      <RuleList
        enabled={settings.enabled}
        strategies={rulesOf(withAdded(settings, addedWhenOn(settings, waitingMilestone(environment))), segments)}
      />
      {settings.variants.length > 0 && (
        <p className={styles.quiet}>
          {words.variants}: {settings.variants.map(({ name, weight }) => `${name} ${weight / 10}%`).join(', ')}
        </p>
      )}
    </section>
  );
}

/** The segments that the flag used, with the constraints that they had. */
function UsedSegments({ flag, segments }: { readonly flag: Feature; readonly segments: readonly PastSegment[] }) {
  const used = new Set(flag.environments.flatMap(({ strategies }) => strategies.flatMap((one) => one.segments)));
  const shown = segments.filter(({ id }) => used.has(id));
  if (shown.length === 0) return null;
  return (
    <section className={styles.column} aria-label={pastWords.segments}>
      <h2 className={styles.name}>{pastWords.segments}</h2>
      <ul className={styles.segments}>
        {shown.map(({ id, name, constraints }) => (
          <li key={id}>
            <code>{name}</code>: {constraints.map(constraintText).join(' and ')}
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ flag, at }: { readonly flag: Feature; readonly at: string }) {
  const { data: order } = useEnvironments();
  const { data: segments } = usePastSegments(at);
  const names = namesOf(segments);
  const places = new Map((order ?? []).map(({ name, sortOrder }) => [name, sortOrder]));
  const environments = flag.environments.toSorted(
    (a, b) => (places.get(a.name) ?? a.sortOrder) - (places.get(b.name) ?? b.sortOrder),
  );
  return (
    <>
      <p className={styles.facts}>
        <Badge>{listWords.types[flag.type]}</Badge>
        {flag.stale && <Badge tone="warn">{words.stale}</Badge>}
        {flag.tags?.map(({ type, value }) => (
          <Tag key={`${type}:${value}`} wraps {...(type === 'simple' ? {} : { type })} value={value} />
        ))}
        {flag.dependencies.map(({ feature }) => (
          <span key={feature}>{words.parent(feature)}</span>
        ))}
        {flag.description && <span className={styles.quiet}>{flag.description}</span>}
      </p>
      <div className={styles.columns}>
        {environments.map((environment) => (
          <PastEnvironment key={environment.name} environment={environment} segments={names} />
        ))}
      </div>
      <UsedSegments flag={flag} segments={segments ?? []} />
    </>
  );
}

/** The link that evaluates the flag as of the moment, for a context that the playground then lets one change. */
function explainLink(flag: Feature, at: string): string {
  const question = {
    environments: flag.environments.map(({ name }) => name),
    projects: [flag.project],
    contexts: [{ appName: 'playground', userId: '7' }],
    at,
  };
  return `${PATHS.playground}?${questionQuery(question, { flag: flag.name })}`;
}

/** One flag as it was. It need not exist now. */
export function PastFlag({ projectId, featureId }: { readonly projectId: string; readonly featureId: string }) {
  const { at, setAt } = useMoment();
  const { data: flag, error } = usePast(at, ['feature', projectId, featureId], () =>
    read(
      api.GET('/api/admin/projects/{projectId}/features/{featureName}', {
        params: { path: { projectId, featureName: featureId }, query: { at } },
      }),
    ),
  );
  const isAbsent = error instanceof Failure && error.status === 404;
  if (error instanceof Failure && error.status === 403) return <NotFound />;
  return (
    <Page
      name={featureId}
      above={
        <Link href={path('projectFeatures', { projectId })} className={styles.link}>
          {projectId}
        </Link>
      }
      title={<code>{featureId}</code>}
      actions={
        flag && (
          <Link href={explainLink(flag, at)} className={buttonClass()}>
            <FlaskConical aria-hidden />
            {pastWords.explain}
          </Link>
        )
      }
    >
      <div className={styles.body}>
        <TimeMachine scope={{ of: 'feature', id: featureId }} at={at} onMove={setAt}>
          {isAbsent && <EmptyState sentence={`${pastWords.absent} ${error.message}`} />}
          {error && !isAbsent && <Banner tone="bad">{error.message}</Banner>}
          {!flag && !error && <Skeleton shape="card" />}
          {flag && <State flag={flag} at={at} />}
        </TimeMachine>
      </div>
    </Page>
  );
}
