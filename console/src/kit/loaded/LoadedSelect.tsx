import { Select } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { RefObject } from 'react';
import { classes } from '../classes.ts';
import type { FieldOfControl } from '../inputs/Field.tsx';
import triggerStyles from '../inputs/Select.module.css';
import { type SelectProps, selectClass } from '../inputs/Select.tsx';
import styles from './Popup.module.css';

interface LoadedSelectProps extends SelectProps {
  readonly field: Partial<FieldOfControl>;
  readonly triggerRef: RefObject<HTMLButtonElement | null>;
  readonly isOpenAtFirst: boolean;
}

export function LoadedSelect(props: LoadedSelectProps) {
  const { options, value, onChange, placeholder, label, mono, field, triggerRef, isOpenAtFirst } = props;
  const choose = (next: string | null) => {
    // What is chosen already is chosen again without an effect.
    if (next === null || next === value) return;
    onChange(next);
  };
  return (
    <Select.Root
      items={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value}
      onValueChange={choose}
      defaultOpen={isOpenAtFirst}
      modal={false}
    >
      <Select.Trigger ref={triggerRef} className={selectClass(props)} aria-label={label} {...field}>
        <Select.Value className={triggerStyles.value} placeholder={placeholder} />
        <ChevronsUpDown aria-hidden className={triggerStyles.icon} />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner
          className={styles.positioner}
          alignItemWithTrigger={false}
          align="start"
          sideOffset={4}
          collisionPadding={8}
        >
          <Select.Popup className={classes(styles.popup, styles.list)}>
            {options.map((option) => (
              <Select.Item
                key={option.value}
                value={option.value}
                label={option.label}
                disabled={option.reason !== undefined}
                className={styles.item}
              >
                <span className={classes(styles.label, mono && styles.mono)}>
                  <Select.ItemText>{option.label}</Select.ItemText>
                  {(option.reason ?? option.hint) && (
                    <span className={styles.hint}>{option.reason ?? option.hint}</span>
                  )}
                </span>
                <span className={styles.indicator}>
                  <Select.ItemIndicator>
                    <Check aria-hidden />
                  </Select.ItemIndicator>
                </span>
              </Select.Item>
            ))}
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}
