import type { MouseEvent } from 'react';
import { BASE_PATH } from '../base-path.ts';
import type { LastUse } from '../data/last-use.ts';
import type { MayNot } from '../data/may.ts';
import { type Sort, stateOf } from '../domain/flag-filter.ts';
import { type FlagRow, isOnIn } from '../domain/flag-row.ts';
import { classes } from '../kit/classes.ts';
import { Switch } from '../kit/inputs/Switch.tsx';
import type { Column } from '../kit/lists/Table.tsx';
import { Tag } from '../kit/texts/Badge.tsx';
import { TimeText } from '../kit/texts/TimeText.tsx';
import parts from '../parts/parts.module.css';
import { path } from '../paths.ts';
import { features as words } from '../words/en/flags/features.ts';
import styles from './FlagList.module.css';
import type { ListEnvironment } from './list-environments.ts';
import { StateMark } from './StateMark.tsx';

interface ColumnsOf {
  readonly environments: readonly ListEnvironment[];
  readonly lastUse: LastUse;
  /** The columns of texts, with commas between them. */
  readonly texts: string;
  readonly isGuarded: (project: string, environment: ListEnvironment) => boolean;
  readonly mayNot: (project: string, environment: string) => MayNot;
  readonly onSwitch: (row: FlagRow, environment: string, on: boolean) => void;
  readonly onOpen: (row: FlagRow) => void;
}

const TAGS_SHOWN = 2;
/** 24 characters of which none is cut, and a star or a mark. */
const NAME_PX = 248;
/** The edges of a row, its check box, and the gap before each column: Table.module.css. */
const [EDGES_PX, CHECK_PX, GAP_PX] = [24, 28, 12];
const environmentPx = ({ name }: ListEnvironment) => Math.min(140, Math.max(72, name.length * 7 + 16));

/** With a modifier or another button, the browser opens the link in its own way. */
const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;

const TEXT_COLUMNS = { project: 112, type: 92, lastSeenAt: 84, createdAt: 84 } as const;
type TextColumn = keyof typeof TEXT_COLUMNS;
const COLUMNS = Object.keys(TEXT_COLUMNS) as TextColumn[];

/** The columns of texts that fit beside the names and the environments, and the width that the others need if they do not fit. */
export function fitting(widthPx: number, environments: readonly ListEnvironment[], hasProject: boolean) {
  const leastPx = environments.reduce(
    (sum, one) => sum + GAP_PX + environmentPx(one),
    EDGES_PX + CHECK_PX + GAP_PX + NAME_PX,
  );
  let leftPx = widthPx - leastPx;
  const texts = COLUMNS.filter((key) => {
    if (key === 'project' && hasProject) return false;
    leftPx -= TEXT_COLUMNS[key] + GAP_PX;
    return leftPx >= 0;
  });
  return { texts: texts.join(), leastPx: leastPx > widthPx ? leastPx : undefined };
}

const nameColumn = (onOpen: ColumnsOf['onOpen']): Column<FlagRow> => ({
  key: 'name' satisfies Sort,
  header: words.columns.name,
  width: `minmax(${NAME_PX}px, 1fr)`,
  sortable: true,
  cell: (row, controls) => {
    const state = stateOf(row);
    const hasMore = row.favorite || state !== 'active' || row.tags.length > 0;
    return (
      <span className={classes(styles.name, hasMore && styles.withMore)}>
        {/* A link of the router would read the address in each row. */}
        <a
          {...controls}
          href={BASE_PATH + path('feature', { projectId: row.project, featureId: row.name })}
          onClick={(event) => {
            if (!isPlain(event)) return;
            event.preventDefault();
            onOpen(row);
          }}
          className={styles.link}
          title={[row.description, ...row.tags].filter(Boolean).join('\n') || undefined}
        >
          {row.name}
        </a>
        {row.favorite && (
          <span role="img" aria-label={words.favorite} className={styles.favorite}>
            ★
          </span>
        )}
        {state !== 'active' && <StateMark state={state} />}
        {row.tags.length > 0 && (
          <span className={styles.tags}>
            {row.tags.slice(0, TAGS_SHOWN).map((tag) => (
              <Tag key={tag} value={tag.replace(/^simple:/, '')} />
            ))}
            {row.tags.length > TAGS_SHOWN && <span className={parts.quiet}>+{row.tags.length - TAGS_SHOWN}</span>}
          </span>
        )}
      </span>
    );
  },
});

const text = (key: TextColumn, cell: Column<FlagRow>['cell']): Column<FlagRow> => ({
  key,
  header: words.columns[key],
  width: `${TEXT_COLUMNS[key]}px`,
  sortable: true,
  from: 'wide',
  isText: true,
  cell,
});

/** The columns of the list: a switch for each environment. */
export function columnsOf({
  environments,
  lastUse,
  texts,
  isGuarded,
  mayNot,
  onSwitch,
  onOpen,
}: ColumnsOf): Column<FlagRow>[] {
  return [
    nameColumn(onOpen),
    ...environments.map(
      (environment): Column<FlagRow> => ({
        key: `environment:${environment.name}`,
        header: environment.name,
        width: `${environmentPx(environment)}px`,
        isBelow: true,
        production: environment.isProduction,
        cell: (row, controls) => {
          const isOn = isOnIn(row, environment.name);
          return isOn === undefined ? (
            <span className={parts.quiet} title={words.notInProject(environment.name)}>
              —
            </span>
          ) : (
            <Switch
              does={isGuarded(row.project, environment) ? 'asks' : 'saves'}
              {...controls}
              checked={isOn}
              label={words.switchLabel(row.name, environment.name)}
              guarded={isGuarded(row.project, environment)}
              reason={mayNot(row.project, environment.name)}
              onChange={(on) => onSwitch(row, environment.name, on)}
            />
          );
        },
      }),
    ),
    ...[
      text('project', (row) => <span className={styles.cut}>{row.project}</span>),
      text(
        'type',
        ({ type }) => words.types[type as keyof typeof words.types] ?? <span className={styles.cut}>{type}</span>,
      ),
      text('lastSeenAt', ({ name }) => {
        const at = lastUse.times.get(name);
        if (at === undefined) return lastUse.isComplete ? words.never : null;
        return <TimeText at={at} />;
      }),
      text('createdAt', ({ createdMs }) => <TimeText at={createdMs} />),
    ].filter(({ key }) => texts.split(',').includes(key)),
  ];
}
