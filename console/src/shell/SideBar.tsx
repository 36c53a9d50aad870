import {
  AppWindow,
  Archive,
  ArrowLeftRight,
  Blocks,
  Boxes,
  ChevronRight,
  CircleHelp,
  Construction,
  GitCompareArrows,
  Globe,
  Hourglass,
  KeyRound,
  Layers,
  Link2,
  LogIn,
  type LucideIcon,
  Megaphone,
  Milestone,
  Plug,
  RadioTower,
  Server,
  Shield,
  SlidersHorizontal,
  Sparkles,
  Tags,
  Users,
  UsersRound,
} from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { liveState } from '../data/live.ts';
import { useMe } from '../data/may.ts';
import { useStore } from '../data/store.ts';
import { classes } from '../kit/classes.ts';
import { DAILY_SCREENS } from '../page/daily-screens.ts';
import { PATHS, path, type Screen } from '../paths.ts';
import { shell as words } from '../words/en/shell.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { Mark } from './Mark.tsx';
import { SearchButton } from './palette/SearchButton.tsx';
import styles from './SideBar.module.css';

type Plain = Extract<Screen, keyof (typeof words)['screens']>;

const GROUPS: readonly {
  readonly name: keyof (typeof words)['groups'];
  readonly screens: readonly (readonly [Plain, LucideIcon])[];
}[] = [
  {
    name: 'work',
    screens: DAILY_SCREENS,
  },
  {
    name: 'use',
    screens: [
      ['applications', AppWindow],
      ['unknownFlags', CircleHelp],
      ['cleanUp', Sparkles],
      ['drift', GitCompareArrows],
      ['archive', Archive],
    ],
  },
  {
    name: 'configure',
    screens: [
      ['environments', Layers],
      ['segments', Boxes],
      ['context', SlidersHorizontal],
      ['releaseTemplates', Milestone],
      ['tokens', KeyRound],
      ['transfer', ArrowLeftRight],
    ],
  },
  {
    name: 'people',
    screens: [
      ['users', Users],
      ['groups', UsersRound],
      ['roles', Shield],
      ['serviceAccounts', KeyRound],
    ],
  },
  {
    name: 'admin',
    screens: [
      ['signOnSettings', LogIn],
      ['signupLinks', Link2],
      ['banners', Megaphone],
      ['integrations', Plug],
      ['signals', RadioTower],
      ['maintenance', Construction],
      ['origins', Globe],
      ['tagTypes', Tags],
      ['featureTypes', Hourglass],
      ['strategyTypes', Blocks],
      ['instance', Server],
    ],
  },
];

/** What only admins may read. */
const OF_ADMINS: ReadonlySet<Plain> = new Set(['signOnSettings', 'signupLinks', 'banners', 'maintenance', 'origins']);

/** Change requests of a project have an item of their own. */
const OF_REQUESTS = /^\/projects\/[^/]+\/change-requests(\/|$)/;

function isWithin(location: string, screen: Screen): boolean {
  if (screen === 'home') return location === '/';
  if (OF_REQUESTS.test(location)) return screen === 'changeRequests';
  return location === PATHS[screen] || location.startsWith(`${PATHS[screen]}/`);
}

interface SideBarProps {
  readonly className: string | undefined;
  /** A screen was chosen, which may be the one that is shown. */
  readonly onChosen: () => void;
}

export function SideBar({ className, onChosen }: SideBarProps) {
  const [location] = useLocation();
  const live = useStore(liveState);
  const { data: me } = useMe();
  const isAdmin = me?.permissions.some(({ permission }) => permission === 'ADMIN') ?? false;
  const navigation = useRef<HTMLElement>(null);
  const groups = GROUPS.map(({ name, screens }) => ({
    name,
    screens: screens.filter(([screen]) => isAdmin || !OF_ADMINS.has(screen)),
  })).filter(({ name, screens }) => screens.length > 0 && (name !== 'people' || isAdmin));
  const current = groups.find(({ screens }) => screens.some(([screen]) => isWithin(location, screen)))?.name;
  // One group is open: that of the screen, until the person opens another one.
  const [open, setOpen] = useState<string | null>(null);
  useEffect(() => setOpen(current ?? null), [current]);
  // An address may name a screen whose item is below the edge. Items of admins appear when the permissions are read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both change which item is the current one.
  useEffect(() => {
    navigation.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [location, isAdmin, open]);
  return (
    <section aria-label={words.product} className={classes(styles.bar, className)}>
      <p className={styles.product}>
        <Mark />
        <strong>{words.product}</strong>
        <span className={styles.live} data-state={live} title={words[live]} role="img" aria-label={words[live]} />
      </p>
      <SearchButton />
      <nav ref={navigation} aria-label={words.navigation} className={styles.screens}>
        {groups.map(({ name, screens }) => {
          const isDaily = name === 'work';
          const isOpen = isDaily || open === name;
          return (
            <div key={name}>
              {!isDaily && (
                <button
                  type="button"
                  className={styles.group}
                  aria-expanded={isOpen}
                  aria-controls={isOpen ? `screens-${name}` : undefined}
                  onClick={() => setOpen(isOpen ? null : name)}
                >
                  <ChevronRight aria-hidden />
                  {words.groups[name]}
                </button>
              )}
              {isOpen && (
                <ul id={`screens-${name}`}>
                  {screens.map(([screen, Icon]) => (
                    <li key={screen}>
                      <Link
                        href={path(screen)}
                        className={styles.link}
                        onClick={onChosen}
                        aria-current={isWithin(location, screen) ? 'page' : undefined}
                      >
                        <Icon aria-hidden />
                        {words.screens[screen]}
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          );
        })}
      </nav>
      <AccountMenu />
    </section>
  );
}
