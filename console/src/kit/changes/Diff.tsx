import { Minus, PencilLine, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { classes } from '../classes.ts';
import { Button } from '../inputs/Button.tsx';
import styles from './Diff.module.css';
import { productionEdge } from './EnvironmentMark.tsx';

export interface Change {
  readonly kind: 'added' | 'removed' | 'changed';
  /** A sentence: "Rollout of strategy 1 goes from 10 % to 25 %". */
  readonly text: ReactNode;
  /** The values, where the sentence is clearer with them below it. */
  readonly before?: string;
  readonly after?: string;
}

export interface DiffGroup {
  readonly key: string;
  /** An EnvironmentMark, or the name of what changes. */
  readonly title: ReactNode;
  readonly production?: boolean;
  readonly changes: readonly Change[];
}

export interface DiffProps {
  readonly groups: readonly DiffGroup[];
  /** Shown on demand. */
  readonly json?: { readonly before: unknown; readonly after: unknown };
}

const ICONS = { added: Plus, removed: Minus, changed: PencilLine } as const;
const TONES = { added: 'good', removed: 'bad', changed: 'accent' } as const;

const JsonDiff = lazy(async () => ({ default: (await import('./JsonDiff.tsx')).JsonDiff }));

export function Diff({ groups, json }: DiffProps) {
  const [isJson, setJson] = useState(false);
  const id = useId();
  return (
    <div className={styles.diff}>
      {groups.map(({ key, title, production = false, changes }) => (
        <section key={key} className={classes(styles.group, productionEdge(production))}>
          <h3 className={styles.title}>{title}</h3>
          {changes.length === 0 ? (
            <p className={styles.none}>{words.noChanges}</p>
          ) : (
            <ul className={styles.changes}>
              {changes.map((change, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: changes have no identity.
                <ChangeLine key={at} change={change} />
              ))}
            </ul>
          )}
        </section>
      ))}
      {json && (
        <div>
          <Button kind="quiet" size="small" aria-expanded={isJson} aria-controls={id} onClick={() => setJson(!isJson)}>
            {isJson ? words.hideJson : words.showJson}
          </Button>
          <div id={id} hidden={!isJson} className={styles.json}>
            {isJson && (
              <Suspense>
                <JsonDiff before={json.before} after={json.after} />
              </Suspense>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function ChangeLine({ change }: { readonly change: Change }) {
  const { kind, text, before, after } = change;
  const Icon = ICONS[kind];
  return (
    <li className={styles.change}>
      <span data-tone={TONES[kind]} className={styles.sign}>
        <Icon size={12} role="img" aria-label={words.changeKinds[kind]} />
      </span>
      <div className={styles.text}>
        {text}
        {(before !== undefined || after !== undefined) && (
          <div className={styles.values}>
            {before !== undefined && (
              <del data-tone="bad" className={classes(styles.value, styles.before)}>
                {before}
              </del>
            )}
            {after !== undefined && (
              <ins data-tone="good" className={styles.value}>
                {after}
              </ins>
            )}
          </div>
        )}
      </div>
    </li>
  );
}
