import { Menu, Search, X } from 'lucide-react';
import { Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useClosedByBack } from '../data/opened.ts';
import { LastReceipt } from '../history/LastReceipt.tsx';
import { useShortcut } from '../keys/registry.ts';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { Toasts } from '../kit/notices/Toasts.tsx';
import { isPaletteOpen } from '../page/keys-map-state.ts';
import { keysMap } from '../words/en/palette.ts';
import { shell as words } from '../words/en/shell.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import styles from './Frame.module.css';
import { Mark } from './Mark.tsx';
import { Notices } from './Notices.tsx';
import { Screens } from './Screens.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { SideBar } from './SideBar.tsx';
import { ExpiredSession } from './sign-on/ExpiredSession.tsx';

/** The menu of a small screen, which covers the page: Back, Escape and what is chosen in it close it. */
function useMenu(location: string) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const closeMenu = useCallback(() => setMenuOpen(false), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen may be shown by other ways than the menu.
  useEffect(closeMenu, [location]);
  useClosedByBack(isMenuOpen, closeMenu);
  const key = { keys: 'escape', label: words.closeMenu, group: keysMap.groups.everywhere, run: closeMenu };
  useShortcut(isMenuOpen ? key : undefined);
  return { isMenuOpen, setMenuOpen, closeMenu };
}

export function Frame({ onSignedOn }: { readonly onSignedOn: () => void }) {
  const [location] = useLocation();
  const { isMenuOpen, setMenuOpen, closeMenu } = useMenu(location);
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
        <span className={styles.search}>
          <IconButton
            icon={<Search aria-hidden />}
            label={words.search}
            keys="mod+k"
            onClick={() => isPaletteOpen.set(true)}
          />
        </span>
      </header>
      <SideBar className={styles.side} onChosen={closeMenu} />
      <div className={styles.column}>
        <Notices />
        <main id="content" tabIndex={-1} className={styles.content}>
          <ErrorBoundary resetBy={location}>
            <Suspense fallback={<Skeleton shape="rows" rows={8} />}>
              <Screens />
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
