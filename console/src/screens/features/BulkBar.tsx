import { X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/inputs/Button.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { bulk as words } from '../../words/en/bulk.ts';
import styles from './BulkBar.module.css';
import { BulkDialog, type BulkKind } from './BulkDialog.tsx';
import type { ListEnvironment } from './columns.tsx';

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly environments: readonly ListEnvironment[];
  readonly onDone: () => void;
}

/** What can be done with the selected flags. */
export function BulkBar({ selected, environments, onDone }: BulkBarProps) {
  const [kind, setKind] = useState<BulkKind | null>(null);
  return (
    <section className={styles.bar} aria-label={words.selected(selected.size)}>
      <strong>{words.selected(selected.size)}</strong>
      <Button size="small" onClick={() => setKind('on')}>
        {words.switchOn}
      </Button>
      <Button size="small" onClick={() => setKind('off')}>
        {words.switchOff}
      </Button>
      <Button size="small" onClick={() => setKind('tag')}>
        {words.tag}
      </Button>
      <Menu
        label={words.more}
        size="small"
        entries={[
          { label: words.stale, onSelect: () => setKind('stale') },
          { label: words.active, onSelect: () => setKind('active') },
          'line',
          { label: words.archive, danger: true, onSelect: () => setKind('archive') },
        ]}
      />
      <Button size="small" kind="quiet" icon={<X aria-hidden />} onClick={onDone}>
        {words.deselect}
      </Button>
      {kind && (
        <BulkDialog
          kind={kind}
          selected={selected}
          environments={environments}
          onClose={() => setKind(null)}
          onDone={onDone}
        />
      )}
    </section>
  );
}
