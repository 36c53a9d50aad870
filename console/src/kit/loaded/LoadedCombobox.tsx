import { Combobox } from '@base-ui/react/combobox';
import type { BaseUIEvent } from '@base-ui/react/types';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import type { ComboboxProps, MultiSelectProps } from '../inputs/Combobox.tsx';
import { Edited } from '../inputs/edited.ts';
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

const isSame = (item: Option, other: Option) => item.value === other.value;

type Shared = Omit<ComboboxProps, 'value' | 'onChange'> & Loaded;

/** What one value and several have in common: the options, with what is typed as the last one where new values are allowed. */
function useShared({ options, allowsNew, onSearch, isOpenAtFirst }: Shared) {
  const [text, setText] = useState('');
  const items = useMemo(() => {
    const typed = text.trim();
    const isNew = allowsNew && typed !== '' && !options.some(({ value, label }) => value === typed || label === typed);
    return isNew ? [...options, { value: typed, label: typed, hint: words.newValue }] : [...options];
  }, [options, text, allowsNew]);
  const root = {
    items,
    onInputValueChange: (next: string) => {
      setText(next);
      onSearch?.(next);
    },
    isItemEqualToValue: isSame,
    filter: onSearch ? null : undefined,
    limit: SHOWN_MAX,
    autoHighlight: true,
    defaultOpen: isOpenAtFirst,
  } as const;
  return { text, root };
}

function Input({
  inputRef,
  mono,
  placeholder,
  label,
  field,
  press,
}: Omit<Shared, 'options'> & {
  readonly press?: { readonly onPointerDown: () => void; readonly onClick: () => void };
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
      onKeyDown={keepValue}
    />
  );
}

/** Escape closes the list, or the panel around the field. It does not remove what is chosen. */
function keepValue(event: BaseUIEvent<KeyboardEvent<HTMLInputElement>>): void {
  const isClosed = event.currentTarget.getAttribute('aria-expanded') !== 'true';
  if (event.key === 'Escape' && isClosed) event.preventBaseUIHandler();
}

/** Selects the text when the list opens, so that what is typed next takes its place. Typing opens the list, too, and must not select what it typed. */
function useSelectedText({ inputRef, isOpenAtFirst }: Loaded) {
  const isOpen = useRef(isOpenAtFirst);
  const isOpening = useRef(false);
  const select = () => inputRef.current?.select();
  useEffect(() => {
    if (isOpenAtFirst) inputRef.current?.select();
  }, [inputRef, isOpenAtFirst]);
  const onOpenChange = (next: boolean, { reason }: { readonly reason: string }) => {
    isOpen.current = next;
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
  const { root } = useShared(shared);
  const edited = useContext(Edited);
  const choose = (next: Option | null) => {
    edited();
    onChange(next?.value ?? null);
  };
  const text = (value && options.find((option) => option.value === value)?.label) ?? value;
  // Each new object would set what is typed back to the label.
  const chosen = useMemo(() => (value && text ? { value, label: text } : null), [value, text]);
  const { onOpenChange, press } = useSelectedText(shared);
  return (
    <Combobox.Root<Option> {...root} value={chosen} onValueChange={choose} onOpenChange={onOpenChange}>
      <Combobox.InputGroup className={styles.box}>
        <Input {...shared} press={press} />
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

export function LoadedMultiSelect({ values, onChange, ...shared }: MultiSelectProps & Loaded) {
  const { options, mono, placeholder, isSearching } = shared;
  const { root, text } = useShared(shared);
  const edited = useContext(Edited);
  const choose = (next: readonly Option[]) => {
    edited();
    onChange(next.map(({ value }) => value));
  };
  const chosen = useMemo(() => {
    const byValue = new Map(options.map((option) => [option.value, option]));
    return values.map((value) => byValue.get(value) ?? { value, label: value });
  }, [options, values]);
  return (
    <Combobox.Root<Option, true> {...root} multiple value={chosen} onValueChange={choose} inputValue={text}>
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
          <Input {...shared} placeholder={values.length === 0 ? placeholder : undefined} />
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
            {(option: Option) => (
              <Combobox.Item
                key={option.value}
                value={option}
                disabled={option.reason !== undefined}
                className={popup.item}
              >
                <span className={popup.label}>
                  <span className={mono ? popup.mono : undefined}>{option.label}</span>
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
