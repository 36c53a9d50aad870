import { setSingleKeys, useSingleKeys } from '../../keys/registry.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { Checkbox } from '../../kit/inputs/Checkbox.tsx';
import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { isKeysMapOpen } from '../../page/keys-map-state.ts';
import { chooseDensity, chooseTheme, type Density, type Theme, useDensity, useTheme } from '../../page/theme.ts';
import styles from '../../parts/parts.module.css';
import { profile as words } from '../../words/en/people/profile.ts';
import { shell } from '../../words/en/shell.ts';

/** What this browser keeps: the theme, the height of rows, and whether single keys are heard. */
export function PageSettings() {
  const theme = useTheme();
  const density = useDensity();
  const hasKeys = useSingleKeys();
  return (
    <section className={styles.card}>
      <div className={styles.tight}>
        <span className={styles.label}>{words.theme}</span>
        <Segmented<Theme>
          label={words.theme}
          value={theme}
          onChange={chooseTheme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: shell.themes[value] }))}
        />
        <p className={styles.quiet}>{words.onlyHere}</p>
      </div>
      <div className={styles.tight}>
        <span className={styles.label}>{words.density}</span>
        <Segmented<Density>
          label={words.density}
          value={density}
          onChange={chooseDensity}
          options={(['comfortable', 'compact'] as const).map((value) => ({ value, label: words.densities[value] }))}
        />
        <p className={styles.quiet}>{words.onlyHere}</p>
      </div>
      <Checkbox label={words.keys} hint={words.keysHint} checked={hasKeys} onChange={setSingleKeys} />
      <div>
        <Button onClick={() => isKeysMapOpen.set(true)}>{words.showKeys}</Button>
      </div>
    </section>
  );
}
