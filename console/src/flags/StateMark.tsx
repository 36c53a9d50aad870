import { Hourglass } from 'lucide-react';
import { Badge } from '../kit/texts/Badge.tsx';
import { features as words } from '../words/en/flags/features.ts';
import styles from './StateMark.module.css';

/** That a flag is stale, or potentially stale. Where the name has little space beside the switches, the longer mark is only its icon. */
export function StateMark({ state }: { readonly state: 'stale' | 'potentially-stale' }) {
  const text = words.states[state];
  if (state === 'stale') return <Badge tone="warn">{text}</Badge>;
  return (
    <span role="img" aria-label={text} title={text} className={styles.mark}>
      <Badge tone="warn" icon={<Hourglass aria-hidden />}>
        <span className={styles.text}>{text}</span>
      </Badge>
    </span>
  );
}
