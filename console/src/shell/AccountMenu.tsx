import { useLocation } from 'wouter';
import { BASE_PATH } from '../base-path.ts';
import { useMe } from '../data/may.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionEnded } from '../data/session.ts';
import { useUiConfig } from '../data/settings.ts';
import { Menu, type MenuEntry } from '../kit/overlays/Menu.tsx';
import { Avatar } from '../kit/texts/Avatar.tsx';
import { isKeysMapOpen } from '../page/keys-map-state.ts';
import { chooseTheme, type Theme, useTheme } from '../page/theme.ts';
import { path } from '../paths.ts';
import { shell as words } from '../words/en/shell.ts';
import styles from './AccountMenu.module.css';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

async function signOut(): Promise<void> {
  await fetch(`${BASE_PATH}/logout`, { method: 'POST', credentials: 'same-origin', redirect: 'manual' });
  sessionEnded();
  queryClient.clear();
}

export function AccountMenu() {
  const { data: me } = useMe();
  const config = useUiConfig();
  const theme = useTheme();
  const [, navigate] = useLocation();
  const name = me?.user.name || me?.user.username || me?.user.email || '';
  const entries: MenuEntry[] = [
    { label: words.screens.profile, onSelect: () => navigate(path('profile')) },
    { label: words.keys, keys: '?', onSelect: () => isKeysMapOpen.set(true) },
    { label: words.documentation, onSelect: () => window.open(`${BASE_PATH}/docs`, '_blank', 'noopener') },
    'line',
    { group: words.theme },
    ...THEMES.map((one) => ({ label: words.themes[one], checked: theme === one, onChange: () => chooseTheme(one) })),
    'line',
    { label: words.signOut, onSelect: () => void signOut() },
  ];
  return (
    <div className={styles.account}>
      <Menu label={name} kind="quiet" entries={entries}>
        <span className={styles.who}>
          <Avatar name={name} size={24} />
          <span className={styles.name}>{name}</span>
        </span>
      </Menu>
      {config && <p className={styles.version}>{config.versionInfo.current.oss || config.version}</p>}
    </div>
  );
}
