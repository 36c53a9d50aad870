import type { PreviewAnswer } from '../data/save.ts';
import { save as words } from '../words/en/save.ts';
import { numberText } from '../words/number-text.ts';
import styles from './Save.module.css';

type Measures = PreviewAnswer['flags'][number]['measures'];
type Name = keyof typeof words.measures;

const NAMES = Object.keys(words.measures) as Name[];

/** How near the rules come to a limit: of all measures, the one that is nearest after the change. */
export function CostAfter({ measures }: { readonly measures: Measures }) {
  const [nearest] = NAMES.map((name) => {
    const { before, after, limit } = measures[name];
    return { name, before: (before ?? 0) / limit, after: (after ?? 0) / limit };
  }).sort((a, b) => b.after - a.after);
  if (!nearest) return null;
  const { name, before, after } = nearest;
  return (
    <p className={styles.quiet}>
      {words.nearestLimit(words.measures[name], numberText(after, 'percent'), numberText(before, 'percent'))}
    </p>
  );
}
