import { Banner } from '../../kit/notices/Banner.tsx';
import styles from '../../parts/parts.module.css';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import own from './Transfer.module.css';
import type { Problem, Validation } from './transfer-data.ts';

const SHORT = 5;

function Items({ items }: { readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  if (items.length <= SHORT) return <code className={own.items}>{items.join(', ')}</code>;
  return (
    <details>
      <summary className={own.summary}>{words.items(items.length)}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, so the keyboard must reach it. */}
      <ul className={own.long} tabIndex={0} aria-label={words.items(items.length)}>
        {items.map((item) => (
          <li key={item}>
            <code>{item}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface KindProps {
  readonly title: string;
  readonly hint: string;
  readonly tone: 'bad' | 'warn';
  readonly problems: readonly Problem[];
}

function Kind({ title, hint, tone, problems }: KindProps) {
  if (problems.length === 0) return null;
  return (
    <section className={styles.stack} aria-label={title}>
      <Banner tone={tone} title={title}>
        {hint}
      </Banner>
      <ul className={own.problems}>
        {problems.map(({ message, affectedItems }) => (
          <li key={message}>
            <p>{message}</p>
            <Items items={affectedItems} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the check says, by kind: what prevents the import comes first. */
export function ProblemList({ errors, permissions, warnings }: Validation) {
  if (errors.length + permissions.length + warnings.length === 0) return <Banner tone="good">{words.noProblem}</Banner>;
  return (
    <>
      <Kind title={words.errors} hint={words.errorsHint} tone="bad" problems={errors} />
      <Kind title={words.permissions} hint={words.permissionsHint} tone="bad" problems={permissions} />
      <Kind title={words.warnings} hint={words.warningsHint} tone="warn" problems={warnings} />
    </>
  );
}
