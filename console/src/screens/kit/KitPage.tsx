import { Segmented } from '../../kit/inputs/Segmented.tsx';
import { chooseTheme, type Theme, useTheme } from '../../page/theme.ts';
import { Actions } from './Actions.tsx';
import { Changes } from './Changes.tsx';
import { Inputs } from './Inputs.tsx';
import styles from './KitPage.module.css';
import { Lists } from './Lists.tsx';
import { Notices } from './Notices.tsx';
import { Overlays } from './Overlays.tsx';
import { Texts } from './Texts.tsx';

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Every part of the kit in all of its states. Its texts are examples for developers, so they are not in the catalogue. */
export function KitPage() {
  const theme = useTheme();
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div>
          <h1 className={styles.title}>Kit</h1>
          <p className={styles.lead}>Every part of the console in all of its states.</p>
        </div>
        <Segmented label="Theme" options={THEMES} value={theme} onChange={chooseTheme} />
      </header>
      <Actions />
      <Inputs />
      <Overlays />
      <Lists />
      <Changes />
      <Notices />
      <Texts />
    </div>
  );
}
