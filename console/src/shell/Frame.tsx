import { Menu, X } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { FORMER_PATHS, filledPath } from '../former-paths.ts';
import { IconButton } from '../kit/IconButton.tsx';
import { Skeleton } from '../kit/Skeleton.tsx';
import { Toasts } from '../kit/Toasts.tsx';
import { PATHS } from '../paths.ts';
import { LastReceipt } from '../save/LastReceipt.tsx';
import { shell as words } from '../words/en/shell.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import styles from './Frame.module.css';
import { Mark } from './Mark.tsx';
import { NotFound } from './NotFound.tsx';
import { Notices } from './Notices.tsx';
import { ROUTES } from './routes.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { SideBar } from './SideBar.tsx';
import { ExpiredSession } from './sign-on/ExpiredSession.tsx';

export function Frame({ onSignedOn }: { readonly onSignedOn: () => void }) {
  const [location] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a small screen closes when the address changes.
  useEffect(() => setMenuOpen(false), [location]);
  return (
    <div className={styles.frame} data-menu={isMenuOpen || undefined}>
      <a href="#content" className={styles.skip}>
        {words.skip}
      </a>
      <header className={styles.top}>
        <IconButton
          icon={isMenuOpen ? <X aria-hidden /> : <Menu aria-hidden />}
          label={isMenuOpen ? words.closeMenu : words.openMenu}
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(!isMenuOpen)}
        />
        <Mark /> <strong>{words.product}</strong>
      </header>
      <SideBar className={styles.side} />
      <div className={styles.column}>
        <Notices />
        <main id="content" tabIndex={-1} className={styles.content}>
          <ErrorBoundary resetBy={location}>
            <Suspense fallback={<Skeleton shape="rows" rows={8} />}>
              <Switch>
                {ROUTES.map(({ screen, component: Screen }) => (
                  <Route key={screen} path={PATHS[screen]}>
                    <Screen />
                  </Route>
                ))}
                {Object.entries(FORMER_PATHS).map(([from, to]) => (
                  <Route key={from} path={from}>
                    {(params) => <Redirect to={filledPath(to, params)} replace />}
                  </Route>
                ))}
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            </Suspense>
          </ErrorBoundary>
        </main>
        <LastReceipt />
      </div>
      <ExpiredSession onSignedOn={onSignedOn} />
      <Shortcuts />
      <Toasts />
    </div>
  );
}
