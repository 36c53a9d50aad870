import { X } from 'lucide-react';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import { lazyScreen } from '../data/new-version.ts';
import { Button } from '../kit/inputs/Button.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { Menu } from '../kit/overlays/Menu.tsx';
import { path } from '../paths.ts';
import { bulk as words } from '../words/en/flags/bulk.ts';
import styles from './BulkBar.module.css';
import { ADDRESS_CHARS_MAX, type BulkKind } from './bulk-kinds.ts';
import type { ListEnvironment } from './list-environments.ts';

const BulkDialog = lazyScreen(async () => ({ default: (await import('./BulkDialog.tsx')).BulkDialog }));

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly environments: readonly ListEnvironment[];
  /** What is asked about. */
  readonly kind: BulkKind | null;
  readonly setKind: (kind: BulkKind | null) => void;
  readonly onDone: () => void;
}

/** The screen that exports the flags. */
const exportOf = (names: ReadonlySet<string>) =>
  path('transfer', {}, { tab: 'export', which: 'flags', flags: [...names].map(encodeURIComponent).join(',') });

/** What can be done with the selected flags. */
export function BulkBar({ selected, environments, kind, setKind, onDone }: BulkBarProps) {
  const [, navigate] = useLocation();
  const exported = exportOf(selected);
  return (
    <section className={styles.bar} aria-label={words.selected(selected.size)}>
      <IconButton size="small" icon={<X aria-hidden />} label={words.deselect} onClick={onDone} />
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
          {
            label: words.export,
            reason: exported.length > ADDRESS_CHARS_MAX ? words.tooManyToExport : undefined,
            onSelect: () => navigate(exported),
          },
          'line',
          { label: words.archive, danger: true, onSelect: () => setKind('archive') },
        ]}
      />
      {kind && (
        <Suspense>
          <BulkDialog
            kind={kind}
            selected={selected}
            environments={environments}
            onClose={() => setKind(null)}
            onDone={onDone}
          />
        </Suspense>
      )}
    </section>
  );
}
