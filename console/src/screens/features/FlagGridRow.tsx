import { memo } from 'react';
import { Link } from 'wouter';
import type { FlagRow } from '../../data/flag-rows.ts';
import type { MayNot } from '../../data/may.ts';
import { stateOf } from '../../domain/flag-filter.ts';
import { Badge, Tag } from '../../kit/Badge.tsx';
import { Checkbox } from '../../kit/Checkbox.tsx';
import { Switch } from '../../kit/Switch.tsx';
import { TimeText } from '../../kit/TimeText.tsx';
import { path } from '../../paths.ts';
import { features as words } from '../../words/en/features.ts';
import styles from './FlagGrid.module.css';

export interface GridEnvironment {
  readonly name: string;
  readonly isProduction: boolean;
  readonly isGuarded: boolean;
}

export interface FlagGridRowProps {
  readonly row: FlagRow;
  readonly index: number;
  readonly top: number;
  readonly environments: readonly GridEnvironment[];
  readonly hasProject: boolean;
  readonly isSelected: boolean;
  /** The column that the keyboard is at, or -1: the list has one tab stop. */
  readonly column: number;
  readonly mayNot: (project: string, environment: string) => MayNot;
  readonly onSelect: (name: string, selected: boolean) => void;
  readonly onSwitch: (row: FlagRow, environment: string, on: boolean) => void;
}

export const FIXED_COLUMNS = 2;

const tabIndexOf = (column: number, at: number) => (column === at ? 0 : -1);

function Switches({ row, environments, column, mayNot, onSwitch }: FlagGridRowProps) {
  return environments.map((environment, at) => {
    const isOn = row.environments.get(environment.name);
    return (
      // biome-ignore lint/a11y/useFocusableInteractive: the control in the cell has the focus.
      <div role="gridcell" key={environment.name} className={styles.state} data-column={FIXED_COLUMNS + at} data-environment={environment.name}>
        {isOn === undefined ? (
          <span className={styles.none} title={words.notInProject(environment.name)}>
            —
          </span>
        ) : (
          <Switch
            checked={isOn}
            label={words.switchLabel(row.name, environment.name)}
            guarded={environment.isGuarded}
            tabIndex={tabIndexOf(column, FIXED_COLUMNS + at)}
            reason={mayNot(row.project, environment.name)}
            onChange={(on) => onSwitch(row, environment.name, on)}
          />
        )}
      </div>
    );
  });
}

/** One flag. It keeps its element while others change, so that the focus stays. */
export const FlagGridRow = memo(function FlagGridRow(props: FlagGridRowProps) {
  const { row, index, top, hasProject, isSelected, column, onSelect } = props;
  const state = stateOf(row);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: a control in the row has the focus.
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={styles.row}
      data-index={index}
      data-flag={row.name}
      style={{ transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useFocusableInteractive: the control in the cell has the focus. */}
      <div role="gridcell" className={styles.select} data-column={0}>
        <Checkbox
          isLabelHidden
          label={words.select(row.name)}
          checked={isSelected}
          tabIndex={tabIndexOf(column, 0)}
          onChange={(on) => onSelect(row.name, on)}
        />
      </div>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the control in the cell has the focus. */}
      <div role="gridcell" className={styles.name} data-column={1}>
        <Link
          href={path('feature', { projectId: row.project, featureId: row.name })}
          className={styles.link}
          tabIndex={tabIndexOf(column, 1)}
          title={row.description || undefined}
        >
          {row.name}
        </Link>
        {row.favorite && <span role="img" aria-label={words.favorite} className={styles.favorite}>★</span>}
        {state !== 'active' && <Badge tone="warn">{words.states[state]}</Badge>}
        {row.tags.slice(0, 2).map((tag) => (
          <Tag key={tag} value={tag.replace(/^simple:/, '')} />
        ))}
        {row.tags.length > 2 && <span className={styles.more}>+{row.tags.length - 2}</span>}
      </div>
      <Switches {...props} />
      {!hasProject && (
        // biome-ignore lint/a11y/useFocusableInteractive: it has no control.
        <div role="gridcell" className={styles.quiet}>
          {row.project}
        </div>
      )}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it has no control. */}
      <div role="gridcell" className={styles.quiet}>
        {words.types[row.type as keyof typeof words.types] ?? row.type}
      </div>
      {/* biome-ignore lint/a11y/useFocusableInteractive: it has no control. */}
      <div role="gridcell" className={styles.quiet}>
        {row.lastSeenAt ? <TimeText at={row.lastSeenAt} /> : words.never}
      </div>
      {/* biome-ignore lint/a11y/useFocusableInteractive: it has no control. */}
      <div role="gridcell" className={styles.quiet}>
        {row.createdAt && <TimeText at={row.createdAt} />}
      </div>
    </div>
  );
});
