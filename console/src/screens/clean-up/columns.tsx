import { Link } from 'wouter';
import type { ListEnvironment } from '../../flags/list-environments.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import type { Column } from '../../kit/lists/Table.tsx';
import { Badge } from '../../kit/texts/Badge.tsx';
import { TimeText } from '../../kit/texts/TimeText.tsx';
import styles from '../../parts/parts.module.css';
import { path } from '../../paths.ts';
import { cleanUp as words } from '../../words/en/flags/clean-up.ts';
import { code } from '../../words/en/flags/code.ts';
import type { Candidate } from './clean-up-data.ts';

function environmentColumn({ name, isProduction }: ListEnvironment): Column<Candidate> {
  return {
    key: `environment:${name}`,
    header: name,
    width: '112px',
    from: 'wide',
    production: isProduction,
    cell: ({ environments }) => {
      const found = environments.find((one) => one.name === name);
      if (!found) {
        return (
          <span className={styles.quiet} title={words.notInProject(name)}>
            —
          </span>
        );
      }
      return (
        <>
          {found.lastSeenAt ? <TimeText at={found.lastSeenAt} /> : <span className={styles.quiet}>{words.never}</span>}
          {found.enabled && <Badge tone="good">{words.on}</Badge>}
        </>
      );
    },
  };
}

function whyColumn(notInCode: ReadonlySet<string>): Column<Candidate> {
  return {
    key: 'why',
    header: words.columns.why,
    width: 'minmax(0, 2fr)',
    from: 'medium',
    cell: ({ name, reasons }) => (
      <>
        {reasons.map((reason) => (
          <Badge key={reason} tone={reason === 'stale' || reason === 'completed' ? 'warn' : 'neutral'}>
            {words.reasons[reason]}
          </Badge>
        ))}
        {notInCode.has(name) && <Badge tone="good">{code.notInCode}</Badge>}
      </>
    ),
  };
}

interface Shown {
  readonly environments: readonly ListEnvironment[];
  readonly hasProject: boolean;
  /** The flags that no reported code uses. */
  readonly notInCode: ReadonlySet<string>;
  readonly onProof: (name: string) => void;
}

/** The flag, why it is listed, and when it was asked for last in each environment. */
export function columnsOf({ environments, hasProject, notInCode, onProof }: Shown): Column<Candidate>[] {
  const { columns } = words;
  const project: Column<Candidate> = {
    key: 'project',
    header: columns.project,
    width: '112px',
    from: 'wide',
    cell: (row) => <span className={`${styles.cut} ${styles.quiet}`}>{row.project}</span>,
  };
  return [
    {
      key: 'name',
      header: columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name, project: projectId }, controls) => (
        <Link
          {...controls}
          className={`${styles.cut} ${styles.mono} ${styles.link}`}
          href={path('feature', { projectId, featureId: name })}
        >
          {name}
        </Link>
      ),
    },
    whyColumn(notInCode),
    ...(hasProject ? [] : [project]),
    ...environments.map(environmentColumn),
    {
      key: 'proof',
      header: columns.proof,
      isHeaderHidden: true,
      width: '64px',
      align: 'end',
      cell: ({ name }, controls) => (
        <Button {...controls} size="small" aria-label={words.proofOf(name)} onClick={() => onProof(name)}>
          {words.proof}
        </Button>
      ),
    },
  ];
}
