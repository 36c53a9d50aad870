import { useMemo } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import styles from './JsonDiff.module.css';
import { diffLines } from './line-diff.ts';

export interface JsonDiffProps {
  readonly before: unknown;
  readonly after: unknown;
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const TONES = { same: undefined, added: 'good', removed: 'bad' } as const;

/** Two JSON values, line by line. */
export function JsonDiff({ before, after }: JsonDiffProps) {
  const lines = useMemo(() => diffLines(linesOf(before), linesOf(after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={styles.json} tabIndex={0} aria-label={words.jsonDifference}>
      <pre>
        {lines.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity.
          <span key={at} data-tone={TONES[kind]} className={styles.line}>
            {`${SIGNS[kind]} ${text}\n`}
          </span>
        ))}
      </pre>
    </section>
  );
}

function linesOf(json: unknown): readonly string[] {
  return json === undefined ? [] : JSON.stringify(json, undefined, 2).split('\n');
}
