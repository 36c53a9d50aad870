import { useQuery } from '@tanstack/react-query';
import { Plug, Plus } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { api, read } from '../../data/client.ts';
import { useDrafts } from '../../data/drafts.ts';
import { useFlagRows } from '../../data/flag-rows.ts';
import { keys } from '../../data/keys.ts';
import { useMayAnywhere } from '../../data/may.ts';
import { useProductionNames } from '../../data/settings.ts';
import { useUrlState } from '../../data/url-state.ts';
import { HistoryList } from '../../history/HistoryList.tsx';
import { EnvironmentMark } from '../../kit/changes/EnvironmentMark.tsx';
import { Button, buttonClass } from '../../kit/inputs/Button.tsx';
import { Skeleton } from '../../kit/notices/Skeleton.tsx';
import { DAILY_SCREENS } from '../../page/daily-screens.ts';
import { Page, PageBody } from '../../page/Page.tsx';
import { Failed } from '../../parts/Failed.tsx';
import { FlagsNotCurrent } from '../../parts/FlagsNotCurrent.tsx';
import { StateBadge } from '../../parts/StateBadge.tsx';
import { path } from '../../paths.ts';
import { home as words } from '../../words/en/home.ts';
import { shell } from '../../words/en/shell.ts';
import { FirstRun } from './FirstRun.tsx';
import styles from './Home.module.css';

const PAGE = 15;
const REQUESTS = 8;

function Requests() {
  const { data, error, refetch } = useQuery({
    queryKey: keys.changeRequests('open'),
    queryFn: () =>
      read(api.GET('/api/admin/search/change-requests', { params: { query: { state: 'open', limit: REQUESTS } } })),
  });
  const production = useProductionNames();
  if (error) return <Failed message={error.message} onAgain={() => void refetch()} />;
  if (data?.changeRequests.length === 0) return <p className={styles.quiet}>{words.noRequests}</p>;
  return (
    <ul className={styles.links}>
      {data?.changeRequests.map(({ id, title, projectId, environment, state }) => (
        <li key={id} className={styles.request}>
          <Link className={styles.link} href={path('changeRequest', { projectId, id })}>
            {title}
          </Link>
          <StateBadge state={state} />
          <EnvironmentMark name={environment} production={production.has(environment)} />
        </li>
      ))}
    </ul>
  );
}

function Drafts() {
  const drafts = useDrafts();
  if (drafts.length === 0) return null;
  return (
    <section>
      <h2>{words.drafts}</h2>
      <ul className={styles.links}>
        {drafts.map(({ target }) => (
          <li key={`${target.feature} ${target.environment}`}>
            <Link
              className={styles.link}
              href={path('feature', { projectId: target.project, featureId: target.feature })}
            >
              <code>{target.feature}</code> · {target.environment}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Opens the form of a new token, which leads to the code of the SDK. */
function ConnectSdk() {
  const mayNot = useMayAnywhere('CREATE_CLIENT_API_TOKEN');
  const [, navigate] = useLocation();
  return (
    <Button
      icon={<Plug aria-hidden />}
      reason={mayNot}
      onClick={() => navigate(path('tokens', {}, { panel: 'create' }))}
    >
      {words.connect}
    </Button>
  );
}

/** How many flags are marked as stale: the list to clean up has them, and others. */
function CleanUp({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <section>
      <h2>{words.cleanUp}</h2>
      <ul className={styles.links}>
        <li>
          <Link className={styles.link} href={path('cleanUp', {}, { why: 'stale' })}>
            {words.stale(count)}
          </Link>
        </li>
      </ul>
    </section>
  );
}

/** On a phone, the side bar is folded: the screens of daily work are here, too. */
function Screens() {
  return (
    <nav aria-label={shell.navigation} className={styles.screens}>
      {DAILY_SCREENS.slice(1).map(([screen, Icon]) => (
        <Link key={screen} href={path(screen)} className={buttonClass()}>
          <Icon aria-hidden />
          {shell.screens[screen]}
        </Link>
      ))}
    </nav>
  );
}

function CreateFlag() {
  const mayNot = useMayAnywhere('CREATE_FEATURE');
  const [, navigate] = useLocation();
  return (
    <Button
      kind="primary"
      icon={<Plus aria-hidden />}
      reason={mayNot}
      onClick={() => navigate(path('features', {}, { panel: 'create' }))}
    >
      {words.createFlag}
    </Button>
  );
}

/** Without the flags, it is not known whether there are any. */
const NotRead = () => (
  <Page title={words.title}>
    <PageBody>
      <FlagsNotCurrent />
    </PageBody>
  </Page>
);

/** What concerns the person now: favorites, drafts, requests, and what others changed. In an empty store, the first flag. */
export function HomeScreen() {
  const { rows, isComplete, failure } = useFlagRows();
  const [first, setFirst] = useUrlState('first');
  if (!isComplete) return failure ? <NotRead /> : <Skeleton shape="card" />;
  if (rows.length === 0 || first !== '') return <FirstRun flag={first || null} onCreated={setFirst} />;
  const favorites = rows.filter(({ favorite }) => favorite);
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ConnectSdk />
          <CreateFlag />
        </>
      }
    >
      <PageBody>
        <FlagsNotCurrent />
        <Screens />
        <div className={styles.columns}>
          <Drafts />
          <section>
            <h2>{words.favorites}</h2>
            {favorites.length === 0 && <p className={styles.quiet}>{words.noFavorites}</p>}
            <ul className={styles.links}>
              {favorites.map(({ name, project }) => (
                <li key={name}>
                  <Link className={styles.link} href={path('feature', { projectId: project, featureId: name })}>
                    <code>{name}</code>
                  </Link>{' '}
                  <span className={styles.quiet}>{project}</span>
                </li>
              ))}
            </ul>
          </section>
          <section>
            <h2>{words.requests}</h2>
            <Requests />
          </section>
          <CleanUp count={rows.filter(({ stale }) => stale).length} />
        </div>
        <section className={styles.recent}>
          <h2>{words.recent}</h2>
          <HistoryList
            isInBody
            queryKey={['history', 'list']}
            read={(before) =>
              read(
                api.GET('/api/admin/history', {
                  params: { query: { limit: PAGE, ...(before === undefined ? {} : { before }) } },
                }),
              )
            }
          />
        </section>
      </PageBody>
    </Page>
  );
}
