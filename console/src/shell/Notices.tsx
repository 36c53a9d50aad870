import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, reachable, read } from '../data/client.ts';
import { isFirstViewShown } from '../data/first-view.ts';
import { keys } from '../data/keys.ts';
import { liveState } from '../data/live.ts';
import { useMay, useMayAnywhere } from '../data/may.ts';
import { newVersion } from '../data/new-version.ts';
import { useBanners, useUiConfig } from '../data/settings.ts';
import { createStore, useStore } from '../data/store.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import bannerStyles from '../page/BannerNotice.module.css';
import { BannerNotice } from '../page/BannerNotice.tsx';
import { path } from '../paths.ts';
import { shell as words } from '../words/en/shell.ts';
import styles from './Frame.module.css';

/** Banners that the person closed, until the page is loaded again. */
const closed = createStore<ReadonlySet<number>>(new Set());

const HOUR_MS = 3_600_000;

const READ_TOKENS = ['READ_CLIENT_API_TOKEN', 'READ_FRONTEND_API_TOKEN'];

/** Which tokens expire soon, for those who may read tokens of the instance or of a project. The service looks for them every hour. */
function ExpiringTokens() {
  const mayNot = useMayAnywhere(...READ_TOKENS, 'READ_PROJECT_API_TOKEN');
  const mayNotOpenList = useMay(READ_TOKENS);
  const isShown = useStore(isFirstViewShown);
  const { data = [] } = useQuery({
    queryKey: keys.tokens('expiring'),
    queryFn: async () => (await read(api.GET('/api/admin/expiring-api-tokens'))).tokens,
    enabled: isShown && mayNot === undefined,
    refetchInterval: HOUR_MS,
  });
  const [first] = data.toSorted((a, b) => a.expiresAt.localeCompare(b.expiresAt));
  if (first === undefined) return null;
  return (
    <Banner
      tone="warn"
      action={
        mayNotOpenList === undefined && (
          <Link className={bannerStyles.link} href={path('tokens', {}, { sort: 'expiresAt' })}>
            {words.screens.tokens}
          </Link>
        )
      }
    >
      {words.expiringTokens(first.tokenName, data.length - 1, first.days)}
    </Banner>
  );
}

/** What concerns every screen: messages of admins, maintenance, the connection, a new version. */
export function Notices() {
  const banners = useBanners();
  const config = useUiConfig();
  const isReachable = useStore(reachable);
  const live = useStore(liveState);
  const isOld = useStore(newVersion);
  const hidden = useStore(closed);
  return (
    <section className={styles.notices} aria-label={words.notices}>
      {isOld && (
        <Banner
          tone="warn"
          action={
            <Button size="small" onClick={() => location.reload()}>
              {words.reload}
            </Button>
          }
        >
          {words.newVersion}
        </Banner>
      )}
      {!isReachable && <Banner tone="warn">{words.unreachable}</Banner>}
      {isReachable && live === 'polling' && <Banner>{words.polling}</Banner>}
      {config?.maintenanceMode && <Banner tone="warn">{words.maintenance}</Banner>}
      <ExpiringTokens />
      {banners
        ?.filter(({ enabled, id }) => enabled && !hidden.has(id))
        .map((banner) => (
          <BannerNotice
            key={banner.id}
            banner={banner}
            onDismiss={() => closed.set((before) => new Set(before).add(banner.id))}
          />
        ))}
    </section>
  );
}
