import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import { ProjectTabs, ToProjects } from '../../parts/ProjectTabs.tsx';
import styles from '../../parts/parts.module.css';
import { projectQuery } from '../../projects/project-data.ts';
import { health as words } from '../../words/en/flags/clean-up.ts';
import { numberText } from '../../words/number-text.ts';
import { useInsights } from './clean-up-data.ts';
import { Desk } from './Desk.tsx';
import { type Figure, Figures } from './Figures.tsx';

type Insights = NonNullable<ReturnType<typeof useInsights>['data']>;

function figuresOf({ health, stats, leadTime }: Insights): Figure[] {
  return [
    { label: words.rating, value: `${numberText(health.rating)}%`, hint: words.ratingHint },
    { label: words.active, value: numberText(health.activeCount) },
    { label: words.stale, value: numberText(health.staleCount) },
    { label: words.lifetime, value: numberText(health.potentiallyStaleCount) },
    {
      label: words.created,
      value: numberText(stats.createdCurrentWindow),
      hint: words.before(stats.createdPastWindow),
    },
    {
      label: words.archived,
      value: numberText(stats.archivedCurrentWindow),
      hint: words.before(stats.archivedPastWindow),
    },
    {
      label: words.lead30,
      value: leadTime.features.length === 0 ? words.notYet : numberText(leadTime.projectAverage),
      hint: words.leadHint,
    },
  ];
}

/** How much of a project is in use, and its flags to clean up. */
export function HealthPage() {
  const { projectId = '' } = useParams<{ projectId: string }>();
  const insights = useInsights(projectId);
  return (
    <Loaded query={useQuery(projectQuery(projectId))}>
      {({ name }) => (
        <Page
          name={`${name} · ${words.title}`}
          title={name}
          above={<ToProjects />}
          tabs={<ProjectTabs project={projectId} value="health" />}
          lead={words.lead}
        >
          <Loaded query={insights} shape="text" rows={2}>
            {(found) => <Figures figures={figuresOf(found)} />}
          </Loaded>
          <h2 className={styles.heading}>{words.desk}</h2>
          <Desk project={projectId} />
        </Page>
      )}
    </Loaded>
  );
}
