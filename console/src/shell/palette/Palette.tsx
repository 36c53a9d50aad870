import uFuzzy from '@leeoniya/ufuzzy';
import { type KeyboardEvent, useCallback, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useFlagRows } from '../../data/flag-rows.ts';
import { useProjects } from '../../data/settings.ts';
import { TextInput } from '../../kit/inputs/TextInput.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { path } from '../../paths.ts';
import { palette as words } from '../../words/en/palette.ts';
import { isKeysMapOpen, isPaletteOpen } from '../keys-map-state.ts';
import { chooseTheme } from '../theme.ts';
import { entriesFor, type PaletteEntry } from './entries.ts';
import type { Find } from './flag-search.ts';
import styles from './Palette.module.css';

const fuzzy = new uFuzzy({ intraMode: 0 });
const RANKED_MAX = 1000;

/** A better match is one that begins with the text, then one that contains it, then one that has its letters in order. */
const find: Find = (texts, needle) => {
  const [indexes, info, order] = fuzzy.search(texts as string[], needle, 1, RANKED_MAX);
  if (!indexes) return [];
  return info && order ? order.map((at) => info.idx[at] as number) : indexes;
};

const groupLabel = (entries: readonly PaletteEntry[], index: number) =>
  index === 0 || entries[index - 1]?.group !== entries[index]?.group
    ? words.groups[(entries[index] as PaletteEntry).group]
    : null;

/** Returns the entries of a text. */
function useFinder(navigate: (to: string) => void): (text: string) => readonly PaletteEntry[] {
  const { rows } = useFlagRows();
  const { data: projects } = useProjects();
  const names = useMemo(() => rows.map(({ name }) => name), [rows]);
  return useCallback(
    (text) =>
      entriesFor(text, find, { rows, names }, projects ?? [], [
        { label: words.createFlag, run: () => navigate(path('features', {}, { panel: 'create' })) },
        { label: words.keys, run: () => isKeysMapOpen.set(true) },
        ...(['system', 'light', 'dark'] as const).map((theme) => ({
          label: words.themes[theme],
          run: () => chooseTheme(theme),
        })),
      ]),
    [rows, names, projects, navigate],
  );
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

/** Flags, screens, projects and actions behind one field. */
export function Palette() {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const entriesOf = useFinder(navigate);
  const shownText = useDeferredValue(text);
  const entries = useMemo(() => entriesOf(shownText), [entriesOf, shownText]);
  const active = Math.min(at, entries.length - 1);
  const close = () => isPaletteOpen.set(false);
  const choose = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    close();
    entry.run(navigate);
  };
  const move = (to: number) => {
    const next = (to + entries.length) % Math.max(1, entries.length);
    setAt(next);
    list.current?.querySelector(`#${CSS.escape(`${id}-${next}`)}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: active + 1, ArrowUp: active - 1 }[event.key];
    if (step !== undefined) move(step);
    // Enter can be faster than the list: it opens what the text finds, not what an earlier text has found.
    else if (event.key === 'Enter') choose(shownText === text ? entries[active] : entriesOf(text)[0]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open onClose={close} title={words.title} size="medium">
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
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div className={styles.results}>
          <div ref={list} id={`${id}-list`} role="listbox" aria-label={words.title} className={styles.list}>
            {entries.map((entry, index) => (
              <Entry
                key={entry.id}
                entry={entry}
                group={groupLabel(entries, index)}
                id={`${id}-${index}`}
                isActive={index === active}
                onChoose={() => choose(entry)}
              />
            ))}
          </div>
          {entries.length === 0 && <p className={styles.none}>{words.none}</p>}
        </div>
        <p role="status" className="visually-hidden">
          {words.results(entries.length)}
        </p>
      </div>
    </Dialog>
  );
}
