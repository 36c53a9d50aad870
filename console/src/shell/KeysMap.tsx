import { useClosedByBack } from '../data/opened.ts';
import { type Shortcut, setSingleKeys, useShortcuts, useSingleKeys } from '../keys/registry.ts';
import { Checkbox } from '../kit/inputs/Checkbox.tsx';
import { Dialog } from '../kit/overlays/Dialog.tsx';
import { Kbd } from '../kit/texts/Kbd.tsx';
import { isKeysMapOpen } from '../page/keys-map-state.ts';
import { keysMap as words } from '../words/en/palette.ts';
import styles from './KeysMap.module.css';

/** The keys that work now. It is made from the registry, so it is never wrong. */
export function KeysMap() {
  const shortcuts = useShortcuts();
  const isOn = useSingleKeys();
  const close = () => isKeysMapOpen.set(false);
  useClosedByBack(true, close);
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts) groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
  return (
    <Dialog open onClose={close} title={words.title} size="medium">
      <div className={styles.map}>
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3 className={styles.group}>{group}</h3>
            <dl className={styles.list}>
              {list.map(({ keys, label }) => (
                <div key={keys} className={styles.line}>
                  <dt>{label}</dt>
                  <dd>
                    <Kbd keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <Checkbox label={words.singleKeys} hint={words.singleKeysHint} checked={isOn} onChange={setSingleKeys} />
      </div>
    </Dialog>
  );
}
