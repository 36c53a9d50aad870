import { Menu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, RefObject } from 'react';
import { classes } from '../classes.ts';
import type { MenuEntry, MenuProps } from '../overlays/Menu.tsx';
import { Kbd } from '../texts/Kbd.tsx';
import styles from './Popup.module.css';

interface LoadedMenuProps extends MenuProps {
  readonly trigger: ReactElement;
  readonly triggerRef: RefObject<HTMLButtonElement | null>;
  readonly isOpenAtFirst: boolean;
}

export function LoadedMenu({
  entries,
  align = 'start',
  focusAfter,
  trigger,
  triggerRef,
  isOpenAtFirst,
}: LoadedMenuProps) {
  return (
    <Menu.Root defaultOpen={isOpenAtFirst} modal={false}>
      <Menu.Trigger ref={triggerRef} render={trigger} />
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} align={align} sideOffset={4} collisionPadding={8}>
          <Menu.Popup
            className={classes(styles.popup, styles.list)}
            {...(focusAfter && { finalFocus: () => focusAfter.current ?? true })}
          >
            {groupsOf(entries)}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** A heading and what follows it, up to the next one, are a group. */
function groupsOf(entries: readonly MenuEntry[]) {
  const groups: { heading?: string; entries: MenuEntry[] }[] = [{ entries: [] }];
  for (const entry of entries) {
    if (typeof entry === 'object' && 'group' in entry) groups.push({ heading: entry.group, entries: [] });
    else groups.at(-1)?.entries.push(entry);
  }
  return groups.map(({ heading, entries: members }, at) =>
    heading === undefined ? (
      members.map(entryOf)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: groups have no other identity.
      <Menu.Group key={at}>
        <Menu.GroupLabel className={styles.group}>{heading}</Menu.GroupLabel>
        {members.map(entryOf)}
      </Menu.Group>
    ),
  );
}

function entryOf(entry: MenuEntry, at: number) {
  if (entry === 'line') return <Menu.Separator key={at} className={styles.line} />;
  if ('group' in entry) return null;
  if ('checked' in entry) {
    return (
      <Menu.CheckboxItem
        key={entry.label}
        className={styles.item}
        checked={entry.checked}
        onCheckedChange={entry.onChange}
      >
        <span className={styles.indicator}>
          <Menu.CheckboxItemIndicator>
            <Check aria-hidden />
          </Menu.CheckboxItemIndicator>
        </span>
        <span className={styles.label}>{entry.label}</span>
      </Menu.CheckboxItem>
    );
  }
  const { label, icon, keys, danger, reason, onSelect } = entry;
  return (
    <Menu.Item
      key={label}
      className={classes(styles.item, danger && styles.danger)}
      disabled={reason !== undefined}
      onClick={onSelect}
    >
      {icon}
      <span className={styles.label}>
        {label}
        {reason && <span className={styles.hint}>{reason}</span>}
      </span>
      {keys && <Kbd keys={keys} />}
    </Menu.Item>
  );
}
