import { reachable } from '../data/client.ts';
import { liveState } from '../data/live.ts';
import { newVersion } from '../data/new-version.ts';
import { useBanners, useUiConfig } from '../data/settings.ts';
import { createStore, useStore } from '../data/store.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { Banner } from '../kit/notices/Banner.tsx';
import { shell as words } from '../words/en/shell.ts';
import { BannerNotice } from './BannerNotice.tsx';
import styles from './Frame.module.css';

/** Banners that the person closed, until the page is loaded again. */
const closed = createStore<ReadonlySet<number>>(new Set());

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
