import { Combobox } from '@base-ui/react/combobox';
import type { BaseUIEvent } from '@base-ui/react/types';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import type { ComboboxProps, MultiSelectProps } from '../inputs/Combobox.tsx';
import { type FieldOfControl, useFieldLabel } from '../inputs/Field.tsx';
import type { Option } from '../inputs/Select.tsx';
import styles from './LoadedCombobox.module.css';
import popup from './Popup.module.css';

interface Loaded {
  readonly field: Partial<FieldOfControl>;
  readonly inputRef: RefObject<HTMLInputElement | null>;
  readonly isOpenAtFirst: boolean;
}

/** The list shows so many: a longer one is narrowed by typing. */
const SHOWN_MAX = 100;

/** What the list offers. */
interface Item extends Option {
  /** It is what is typed, and none of the options. */
  readonly isNew?: boolean;
}

const isSame = (item: Item, other: Item) => item.value === other.value;
const isExact = ({ value, label }: Option, typed: string) => value === typed || label === typed;

/** How well an option matches what is typed: it is the same, it begins with it, or it has it somewhere. */
function rankOf(option: Option, typed: string): number {
  if (isExact(option, typed)) return 0;
  const at = option.label.toLowerCase().indexOf(typed.toLowerCase());
  return at === -1 ? 3 : Math.min(at + 1, 2);
}

/** The options that match, the best ones first. What is typed is last, where new values are allowed. */
function itemsFor({ options, newIs, onSearch }: Omit<Shared, 'field'>, typed: string): readonly Item[] {
  const ranked = options.map((option) => ({ option, rank: typed === '' ? 0 : rankOf(option, typed) }));
  // The server has found its options already, perhaps by more than their names.
  const matching = onSearch ? ranked : ranked.filter(({ rank }) => rank < 3);
  const items = matching
    .sort((a, b) => a.rank - b.rank)
    .slice(0, SHOWN_MAX)
    .map(({ option }) => option);
  const isNew = newIs !== undefined && typed !== '' && !options.some((option) => isExact(option, typed));
  return isNew ? [...items, { value: typed, label: typed, hint: newIs, isNew: true }] : items;
}

interface Typing {
  readonly onType: (text: string, isFirst: boolean) => void;
  /** Takes back what was typed since the list was opened. */
  readonly onEscape: () => void;
}

/** Where every text is a value, what is typed is the value as soon as it is typed. What the server searches for is not. */
const countsWhileTyped = ({ newIs, onSearch }: Pick<Shared, 'newIs' | 'onSearch'>) =>
  newIs !== undefined && onSearch === undefined;

type Shared = Omit<ComboboxProps, 'value' | 'onChange'> & Loaded;

/**
 * What one value and several have in common. The best match is highlighted while a text is typed. The first Down stays there, so that Down and Enter
 * take it; Tab takes it, too. Leaving the field by the pointer takes only what is typed in full, unless every text is a value.
 */
function useShared(shared: Shared, chosenLabel: string | undefined, take: (item: Item) => void, type: Typing) {
  const { onSearch, isOpenAtFirst } = shared;
  const [text, setText] = useState('');
  const [isTyping, setTyping] = useState(false);
  const highlighted = useRef<Item | undefined>(undefined);
  const isFresh = useRef(false);
  const isNotTyped = countsWhileTyped(shared) ? !isTyping : text === chosenLabel;
  const typed = isNotTyped ? '' : text.trim();
  const { options, newIs } = shared;
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the other properties, only whether there is a search matters.
  const items = useMemo(() => itemsFor(shared, typed), [options, typed, newIs, onSearch === undefined]);
  const exact = () => (typed === '' ? undefined : items.find((item) => !item.isNew && isExact(item, typed)));
  const root = {
    items,
    onInputValueChange: (next: string, { reason }: { readonly reason: string }) => {
      const isInput = reason === 'input-change';
      isFresh.current = isInput && next.trim() !== '';
      setText(next);
      // A field that was emptied loses its value, too, but Escape still takes back what was typed before.
      setTyping((was) => isInput || (was && next === ''));
      onSearch?.(next);
      if (isInput && countsWhileTyped(shared)) type.onType(next.trim(), !isTyping);
    },
    onItemHighlighted: (item: Item | undefined) => {
      highlighted.current = item;
    },
    isItemEqualToValue: isSame,
    filter: null,
    autoHighlight: true,
    defaultOpen: isOpenAtFirst,
  } as const;
  const takeUnlessRefused = (item: Item | undefined) => {
    if (item && item.reason === undefined) take(item);
  };
  const onKeyDown = (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>) => {
    const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true';
    // Escape closes the list, or the panel around the field. It does not remove what is chosen.
    if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler();
    if (event.key === 'ArrowDown' && isOpen && isFresh.current && highlighted.current) {
      isFresh.current = false;
      event.preventDefault();
      event.preventBaseUIHandler();
    }
    if (event.key === 'Tab' && isOpen) takeUnlessRefused(exact() ?? highlighted.current);
  };
  const onLeave = (reason: string) => {
    setTyping(false);
    if (countsWhileTyped(shared)) {
      if (isTyping && reason === 'escape-key') type.onEscape();
    } else if (reason === 'outside-press') takeUnlessRefused(exact());
  };
  return { text, root, onKeyDown, onLeave };
}

function Input({
  inputRef,
  mono,
  placeholder,
  label,
  field,
  press,
  onKeyDown,
}: Omit<Shared, 'options'> & {
  readonly press?: { readonly onPointerDown: () => void; readonly onClick: () => void };
  readonly onKeyDown: (event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>) => void;
}) {
  const fieldLabel = useFieldLabel();
  return (
    <Combobox.Input
      ref={inputRef}
      className={classes(styles.input, mono && styles.mono)}
      placeholder={placeholder}
      aria-label={label ?? fieldLabel}
      {...press}
      {...field}
      onKeyDown={onKeyDown}
    />
  );
}

/** Selects the text when the list opens, so that what is typed next takes its place. Typing opens the list, too, and must not select what it typed. */
function useSelectedText({ inputRef, isOpenAtFirst }: Loaded, onLeave: (reason: string) => void) {
  const isOpen = useRef(isOpenAtFirst);
  const isOpening = useRef(false);
  const select = () => inputRef.current?.select();
  useEffect(() => {
    if (isOpenAtFirst) inputRef.current?.select();
  }, [inputRef, isOpenAtFirst]);
  const onOpenChange = (next: boolean, { reason }: { readonly reason: string }) => {
    isOpen.current = next;
    if (!next) onLeave(reason);
    if (next && reason !== 'input-change' && reason !== 'input-press') select();
  };
  const press = {
    onPointerDown: () => {
      isOpening.current = !isOpen.current;
    },
    // Not before: a browser that finds the text selected when it is pressed puts the caret there at the end of the press.
    onClick: () => {
      if (isOpening.current) select();
    },
  };
  return { onOpenChange, press };
}

export function LoadedCombobox({ value, onChange, ...shared }: ComboboxProps & Loaded) {
  const { options, mono, isSearching } = shared;
  const choose = (next: Option | null) => onChange(next?.value ?? null);
  const text = (value && options.find((option) => option.value === value)?.label) ?? value;
  // Each new object would set what is typed back to the label.
  const chosen = useMemo(() => (value && text ? { value, label: text } : null), [value, text]);
  const before = useRef(value);
  const { root, onKeyDown, onLeave } = useShared(shared, text ?? undefined, choose, {
    onType: (typed, isFirst) => {
      if (isFirst) before.current = value;
      onChange(options.find((option) => isExact(option, typed))?.value ?? (typed || null));
    },
    onEscape: () => onChange(before.current),
  });
  const { onOpenChange, press } = useSelectedText(shared, onLeave);
  return (
    <Combobox.Root<Item> {...root} value={chosen} onValueChange={choose} onOpenChange={onOpenChange}>
      <Combobox.InputGroup className={styles.box}>
        <Input {...shared} press={press} onKeyDown={onKeyDown} />
        <Combobox.Clear className={styles.icon} aria-label={words.clear}>
          <X aria-hidden />
        </Combobox.Clear>
        <Combobox.Trigger className={styles.icon} aria-label={words.showOptions}>
          <ChevronsUpDown aria-hidden />
        </Combobox.Trigger>
      </Combobox.InputGroup>
      <Options mono={mono} isSearching={isSearching} />
    </Combobox.Root>
  );
}

export function LoadedMultiSelect({ values: all, onChange, ...rest }: MultiSelectProps & Loaded) {
  const { mono, placeholder, isSearching } = rest;
  // The value that only the text has.
  const [own, setOwn] = useState('');
  const values = useMemo(() => all.filter((value) => value !== own), [all, own]);
  const options = useMemo(() => rest.options.filter(({ value }) => value !== own), [rest.options, own]);
  const shared = { ...rest, options };
  const choose = (next: readonly Option[]) => {
    setOwn('');
    onChange(next.map(({ value }) => value));
  };
  const add = (item: Item) => {
    if (!values.includes(item.value)) choose([...chosen, item]);
  };
  const { root, text, onKeyDown, onLeave } = useShared(shared, undefined, add, {
    onType: (typed) => {
      const isOwn = typed !== '' && !values.includes(typed);
      setOwn(isOwn ? typed : '');
      onChange(isOwn ? [...values, typed] : values);
    },
    onEscape: () => onChange(values),
  });
  const chosen = useMemo(() => {
    const byValue = new Map(options.map((option) => [option.value, option]));
    return values.map((value) => byValue.get(value) ?? { value, label: value });
  }, [options, values]);
  return (
    <Combobox.Root<Item, true>
      {...root}
      multiple
      value={chosen}
      onValueChange={choose}
      inputValue={text}
      onOpenChange={(isOpen, { reason }) => {
        if (isOpen) return;
        onLeave(reason);
        setOwn('');
      }}
    >
      <Combobox.InputGroup className={classes(styles.box, styles.many)}>
        <Combobox.Chips className={styles.chips} aria-label={words.chosen(values.length)}>
          {chosen.map((option) => (
            <Combobox.Chip
              key={option.value}
              className={classes(styles.chip, mono && styles.mono)}
              aria-label={option.label}
              aria-description={words.removeByKey}
            >
              {option.label}
              <Combobox.ChipRemove className={styles.remove} aria-label={words.remove(option.label)}>
                <X size={12} aria-hidden />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Input {...shared} placeholder={values.length === 0 ? placeholder : undefined} onKeyDown={onKeyDown} />
        </Combobox.Chips>
      </Combobox.InputGroup>
      <Options mono={mono} isSearching={isSearching} />
    </Combobox.Root>
  );
}

function Options({
  mono,
  isSearching,
}: {
  readonly mono?: boolean | undefined;
  readonly isSearching?: boolean | undefined;
}) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner className={popup.positioner} align="start" sideOffset={4} collisionPadding={8}>
        <Combobox.Popup className={classes(popup.popup, styles.popup)}>
          <Combobox.Empty className={popup.empty}>{isSearching ? words.searching : words.noMatch}</Combobox.Empty>
          <Combobox.List className={popup.options}>
            {(option: Item) => (
              <Combobox.Item
                key={option.value}
                value={option}
                disabled={option.reason !== undefined}
                className={popup.item}
              >
                <span className={popup.label}>
                  <span className={mono ? popup.mono : undefined}>
                    {option.isNew ? words.newValue(option.label) : option.label}
                  </span>
                  {(option.reason ?? option.hint) && <span className={popup.hint}>{option.reason ?? option.hint}</span>}
                </span>
                <span className={popup.indicator}>
                  <Combobox.ItemIndicator>
                    <Check aria-hidden />
                  </Combobox.ItemIndicator>
                </span>
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
