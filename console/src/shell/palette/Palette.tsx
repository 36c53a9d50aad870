import { type KeyboardEvent, type Ref, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useFlagRows } from '../../data/flag-rows.ts';
import { useMayAnywhere } from '../../data/may.ts';
import { useClosedByBack } from '../../data/opened.ts';
import { useProjects } from '../../data/settings.ts';
import { useInSlices } from '../../data/use-in-slices.ts';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { focusContent } from '../../kit/overlays/focus-return.ts';
import { isKeysMapOpen, isPaletteOpen } from '../../page/keys-map-state.ts';
import { chooseTheme } from '../../page/theme.ts';
import { path } from '../../paths.ts';
import { palette as words } from '../../words/en/palette.ts';
import { entriesFor, FLAGS_SHOWN, type PaletteEntry } from './entries.ts';
import { FlagSearch } from './flag-search.ts';
import { matcher } from './matcher.ts';
import styles from './Palette.module.css';

const TEXT_MAX = 200;

const groupLabel = (entries: readonly PaletteEntry[], index: number) =>
  index === 0 || entries[index - 1]?.group !== entries[index]?.group
    ? words.groups[(entries[index] as PaletteEntry).group]
    : null;

/** The entries of the text, or those of an earlier text while its flags are searched. */
function useEntries(text: string, navigate: (to: string) => void) {
  const { rows } = useFlagRows();
  const { data: projects } = useProjects();
  const search = useMemo(() => new FlagSearch(rows, matcher), [rows]);
  const isEmpty = text.trim() === '';
  const mayCreate = useMayAnywhere('CREATE_FEATURE') === undefined;
  const favorites = useMemo(
    () => (isEmpty ? rows.filter(({ favorite }) => favorite).slice(0, FLAGS_SHOWN) : []),
    [rows, isEmpty],
  );
  const found = useInSlices(
    text,
    useCallback(() => search.find(text, FLAGS_SHOWN), [search, text]),
  );
  return useMemo(() => {
    const shown = isEmpty || !found ? { text: '', flags: favorites } : { text: found.key, flags: found.value };
    const entries = entriesFor(shown, matcher, projects ?? [], [
      ...(mayCreate
        ? [{ label: words.createFlag, run: () => navigate(path('features', {}, { panel: 'create' })) }]
        : []),
      { label: words.keys, run: () => isKeysMapOpen.set(true) },
      ...(['system', 'light', 'dark'] as const).map((theme) => ({
        label: words.themes[theme],
        run: () => chooseTheme(theme),
      })),
    ]);
    return { entries, isCurrent: isEmpty || found?.key === text };
  }, [text, isEmpty, favorites, found, projects, mayCreate, navigate]);
}

interface EntryProps {
  readonly entry: PaletteEntry;
  readonly group: string | null;
  readonly id: string;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function Entry({ entry, group, id, isActive, onChoose }: EntryProps) {
  return (
    <div role="presentation">
      {group && (
        <p role="presentation" className={styles.group}>
          {group}
        </p>
      )}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses. */}
      <div role="option" id={id} aria-selected={isActive} className={styles.entry} onClick={onChoose}>
        <span className={entry.isName ? styles.name : undefined}>{entry.label}</span>
        {entry.hint && <span className={styles.hint}>{entry.hint}</span>}
      </div>
    </div>
  );
}

interface ResultsProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly id: string;
  readonly entries: readonly PaletteEntry[];
  readonly active: number;
  readonly onChoose: (entry: PaletteEntry) => void;
}

function Results({ ref, id, entries, active, onChoose }: ResultsProps) {
  return (
    <div className={styles.results}>
      <div ref={ref} id={`${id}-list`} role="listbox" aria-label={words.title} className={styles.list}>
        {entries.map((entry, index) => (
          <Entry
            // biome-ignore lint/suspicious/noArrayIndexKey: to change an element costs the browser less than to make one, and entries have no state.
            key={index}
            entry={entry}
            group={groupLabel(entries, index)}
            id={`${id}-${index}`}
            isActive={index === active}
            onChoose={() => onChoose(entry)}
          />
        ))}
      </div>
      {entries.length === 0 && <p className={styles.none}>{words.none}</p>}
    </div>
  );
}

/** After an entry that opens another screen, the focus is in that screen, not where the palette was opened. */
function useFocusAfter() {
  const hasGone = useRef(false);
  const focusAfter = () => {
    if (hasGone.current) focusContent();
    return hasGone.current;
  };
  return { hasGone, focusAfter };
}

/** Flags, screens, projects and actions behind one field. */
export function Palette() {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { entries, isCurrent } = useEntries(text, navigate);
  /** Enter was pressed before the entries of this text were there. */
  const awaited = useRef<string>(null);
  const { hasGone, focusAfter } = useFocusAfter();
  const active = Math.min(at, entries.length - 1);
  const close = () => isPaletteOpen.set(false);
  useClosedByBack(true, close);
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    const before = location.href;
    close();
    entry.run(navigate);
    hasGone.current = location.href !== before;
  };
  useEffect(() => {
    if (!isCurrent || awaited.current !== text) return;
    awaited.current = null;
    choose(entries[0]);
  });
  const move = (to: number) => {
    const next = (to + entries.length) % Math.max(1, entries.length);
    setAt(next);
    list.current?.querySelector(`#${CSS.escape(`${id}-${next}`)}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key];
    if (step !== undefined) move(step);
    // Enter can be faster than the list: it opens what the text finds, not what an earlier text has found.
    else if (event.key === 'Enter' && isCurrent) choose(entries[active]);
    else if (event.key === 'Enter') awaited.current = text;
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open onClose={close} title={words.title} size="medium" focusAfter={focusAfter}>
      <div className={styles.palette}>
        <TextInput
          autoFocus
          role="combobox"
          aria-label={words.placeholder}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          placeholder={words.placeholder}
          value={text}
          maxLength={TEXT_MAX}
          onChange={(event) => {
            awaited.current = null;
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Results ref={list} id={id} entries={entries} active={active} onChoose={choose} />
        <p role="status" className="visually-hidden">
          {words.results(entries.length)}
        </p>
      </div>
    </Dialog>
  );
}
