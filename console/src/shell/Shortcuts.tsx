import { lazy, Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import { afterFirstView } from '../data/first-view.ts';
import { loadPart } from '../data/new-version.ts';
import { useStore } from '../data/store.ts';
import { useShortcut } from '../keys/registry.ts';
import { isKeysMapOpen, isPaletteOpen } from '../page/keys-map-state.ts';
import { path, type Screen } from '../paths.ts';
import { keysMap as words } from '../words/en/palette.ts';
import { shell } from '../words/en/shell.ts';

const loadPalette = () => import('./palette/Palette.tsx');
const Palette = lazy(async () => ({ default: (await loadPart(loadPalette)).Palette }));
const KeysMap = lazy(async () => ({ default: (await loadPart(() => import('./KeysMap.tsx'))).KeysMap }));

type Plain = Extract<Screen, keyof (typeof shell)['screens']>;

const GO: readonly (readonly [letter: string, screen: Plain])[] = [
  ['h', 'home'],
  ['f', 'features'],
  ['p', 'projects'],
  ['r', 'changeRequests'],
  ['y', 'playground'],
  ['l', 'events'],
  ['e', 'environments'],
  ['s', 'segments'],
  ['c', 'context'],
  ['t', 'tokens'],
  ['n', 'recent'],
  ['i', 'transfer'],
];

function GoTo({ letter, screen }: { readonly letter: string; readonly screen: Plain }) {
  const [, navigate] = useLocation();
  useShortcut({
    keys: `g ${letter}`,
    label: words.goTo(shell.screens[screen]),
    group: words.groups.go,
    run: () => navigate(path(screen)),
  });
  return null;
}

const focusFilter = () => document.querySelector<HTMLElement>('[data-shortcut-target="filter"]')?.focus();

/** The keys that work on every screen, and what they open. */
export function Shortcuts() {
  const isPalette = useStore(isPaletteOpen);
  const isMap = useStore(isKeysMapOpen);
  const group = words.groups.everywhere;
  useShortcut({ keys: 'mod+k', label: words.palette, group, run: () => isPaletteOpen.set(true) });
  useShortcut({ keys: '/', label: words.filter, group, run: focusFilter });
  useShortcut({ keys: '?', label: words.map, group, run: () => isKeysMapOpen.set(true) });
  useEffect(() => {
    // What is typed right after the key of the palette must not be lost. A key before that loads the palette at once.
    afterFirstView(() => void loadPalette().catch(() => undefined));
  }, []);
  return (
    <>
      {GO.map(([letter, screen]) => (
        <GoTo key={letter} letter={letter} screen={screen} />
      ))}
      <Suspense>
        {isPalette && <Palette />}
        {isMap && <KeysMap />}
      </Suspense>
    </>
  );
}
