import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { Link, useLocation, useParams } from 'wouter';
import { api, stated, write } from '../../data/client.ts';
import { useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import { useProductionNames } from '../../data/settings.ts';
import { EnvironmentMark, productionEdge } from '../../kit/changes/EnvironmentMark.tsx';
import { classes } from '../../kit/classes.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { safeHref } from '../../kit/texts/Markdown.tsx';
import { NumberText } from '../../kit/texts/NumberText.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { EditPanel } from '../../parts/EditPanel.tsx';
import { area, FieldList, sentencesOf, text } from '../../parts/fields.tsx';
import { Loaded } from '../../parts/Loaded.tsx';
import { Page } from '../../parts/Page.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { applications, application as words } from '../../words/en/flags/applications.ts';
import { parts } from '../../words/en/parts.ts';
import { FlagsUsed, Instances } from './ApplicationLists.tsx';
import { type ApplicationDetails, type ApplicationOverview, applicationQuery } from './application-data.ts';
import { Problems } from './Problems.tsx';

const at = (appName: string) => ({ path: { appName } });

const fields = { description: area(parts.description, { rows: 3 }), url: text(words.url, { hint: words.urlHint }) };

function EditApplication({ about, onClose }: { readonly about: ApplicationDetails; readonly onClose: () => void }) {
  const base = { description: about.description ?? '', url: about.url ?? '' };
  const [values, setValues] = useKept('values', base);
  const { appName } = about;
  return (
    <EditPanel<unknown>
      title={parts.editTitle(appName)}
      mayNot={useMay('UPDATE_APPLICATION')}
      sentences={sentencesOf(fields, base, values)}
      save={(reason) =>
        write(
          api.POST('/api/admin/metrics/applications/{appName}', {
            params: at(appName),
            headers: stated({ reason }),
            body: values,
          }),
        )
      }
      saved={{ text: words.saved(appName), refresh: [keys.reports()] }}
      onSaved={onClose}
      onClose={onClose}
    >
      <FieldList fields={fields} values={values} onChange={setValues} />
    </EditPanel>
  );
}

function DeleteApplication({ appName, onClose }: { readonly appName: string; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog<unknown>
      danger
      title={words.deleteTitle(appName)}
      sentences={[words.deleteEffect(appName), words.deleteAgain]}
      label={parts.delete}
      mayNot={useMay('UPDATE_APPLICATION')}
      act={(reason) =>
        write(
          api.DELETE('/api/admin/metrics/applications/{appName}', {
            params: at(appName),
            headers: stated({ reason }),
          }),
        )
      }
      saved={{ text: words.deleted(appName), refresh: [keys.reports('applications')] }}
      onDone={() => navigate(path('applications'))}
      onClose={onClose}
    />
  );
}

type InEnvironment = ApplicationOverview['environments'][number];

function EnvironmentCard({ one, production }: { readonly one: InEnvironment; readonly production: boolean }) {
  const outdated = new Set(one.issues.outdatedSdks);
  return (
    <li className={classes(styles.card, productionEdge(production))}>
      <h3 className={styles.heading}>
        <EnvironmentMark name={one.name} production={production} />
      </h3>
      <p>{words.instances(one.instanceCount)}</p>
      <p className={styles.quiet}>
        {one.lastSeen ? (
          <>
            {words.lastSeen} <TimeText at={one.lastSeen} />
          </>
        ) : (
          words.notSeen
        )}
      </p>
      <ul className={styles.tight}>
        {one.sdks.length === 0 && <li className={styles.quiet}>{words.noSdk}</li>}
        {one.sdks.map((sdk) => (
          <li key={sdk} className={styles.row}>
            <code className={styles.mono}>{sdk}</code>
            {outdated.has(sdk) && <Badge tone="warn">{applications.outdated}</Badge>}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Facts({ about, overview }: { readonly about: ApplicationDetails; readonly overview: ApplicationOverview }) {
  // Applications and scripts write it: it can be any text.
  const href = about.url ? safeHref(about.url) : undefined;
  return (
    <dl className={styles.facts}>
      <dt>{words.since}</dt>
      <dd>
        <TimeText at={about.createdAt} />
      </dd>
      <dt>{words.flagCount}</dt>
      <dd>
        <NumberText value={overview.featureCount} />
      </dd>
      <dt>{words.projects}</dt>
      <dd className={styles.row}>
        {overview.projects.length === 0 && words.noProjects}
        {overview.projects.map((projectId) => (
          <Link key={projectId} className={styles.inline} href={path('projectFeatures', { projectId })}>
            {projectId}
          </Link>
        ))}
      </dd>
      {about.url && (
        <>
          <dt>{words.url}</dt>
          <dd>
            {href === undefined ? (
              about.url
            ) : (
              <a className={styles.inline} href={href} rel="noreferrer" target="_blank">
                {about.url}
              </a>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}

function Strategies({ strategies }: Pick<ApplicationDetails, 'strategies'>) {
  return (
    <section className={styles.stack}>
      <h2 className={styles.heading}>{words.strategies}</h2>
      {strategies.length === 0 ? (
        <p className={styles.quiet}>{words.noStrategies}</p>
      ) : (
        <ul className={styles.row}>
          {strategies.map(({ name, notFound }) => (
            <li key={name}>
              <Badge tone={notFound ? 'warn' : 'neutral'}>{notFound ? `${name} (${words.notHere})` : name}</Badge>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Content({
  details,
  overview,
}: {
  readonly details: ApplicationDetails;
  readonly overview: ApplicationOverview;
}) {
  const production = useProductionNames();
  const [panel, setPanel] = useOpened('panel');
  const mayNot = useMay('UPDATE_APPLICATION');
  const { appName, description } = details;
  return (
    <Page
      name={appName}
      above={
        <Link href={path('applications')} className={styles.crumb}>
          {applications.title}
        </Link>
      }
      lead={description || words.noDescription}
      actions={
        <>
          <Button icon={<Pencil aria-hidden />} reason={mayNot} onClick={() => setPanel('edit')}>
            {parts.edit}
          </Button>
          <Button icon={<Trash2 aria-hidden />} reason={mayNot} onClick={() => setPanel('delete')}>
            {parts.deleteMenu}
          </Button>
        </>
      }
    >
      <Facts about={details} overview={overview} />
      <Problems overview={overview} />
      <section className={styles.stack}>
        <h2 className={styles.heading}>{parts.environments}</h2>
        <ul className={styles.cards}>
          {overview.environments.map((one) => (
            <EnvironmentCard key={one.name} one={one} production={production.has(one.name)} />
          ))}
        </ul>
      </section>
      <Instances instances={details.instances} />
      <FlagsUsed flags={details.seenToggles} />
      <Strategies strategies={details.strategies} />
      {panel === 'edit' && <EditApplication about={details} onClose={() => setPanel('')} />}
      {panel === 'delete' && <DeleteApplication appName={appName} onClose={() => setPanel('')} />}
    </Page>
  );
}

/** One application: where it runs, with which SDKs, and what it uses. */
export function ApplicationPage() {
  const { appName = '' } = useParams<{ appName: string }>();
  return (
    <Loaded query={useQuery(applicationQuery(appName))}>
      {(found) => <Content key={found.details.appName} {...found} />}
    </Loaded>
  );
}
