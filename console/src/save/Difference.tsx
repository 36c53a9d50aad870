import { save as words } from '../words/en/save.ts';
import type { Sentence } from '../words/en/differences.ts';
import styles from './Save.module.css';
import { Words } from './Words.tsx';

const json = (value: unknown) => (value === undefined ? '—' : JSON.stringify(value, null, 2));
const isShort = (value: unknown) => value === undefined || value === null || typeof value !== 'object';

/** Changes in sentences. The exact values are there on demand. */
export function Difference({ sentences }: { readonly sentences: readonly Sentence[] }) {
  return (
    <ul className={styles.sentences}>
      {sentences.map(({ text, before, after }, index) => (
        <li key={`${index} ${text}`}>
          <Words text={text} />
          {!(isShort(before) && isShort(after)) && (
            <details>
              <summary className={styles.exact}>{words.exact}</summary>
              <div className={styles.values}>
                <figure>
                  <figcaption>{words.before}</figcaption>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
                  <pre tabIndex={0}>{json(before)}</pre>
                </figure>
                <figure>
                  <figcaption>{words.after}</figcaption>
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
                  <pre tabIndex={0}>{json(after)}</pre>
                </figure>
              </div>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}
