import { X } from 'lucide-react';
import { useLocation } from 'wouter';
import { Button } from '../kit/inputs/Button.tsx';
import { IconButton } from '../kit/inputs/IconButton.tsx';
import { Menu } from '../kit/overlays/Menu.tsx';
import { path } from '../paths.ts';
import { bulk as words } from '../words/en/flags/bulk.ts';
import { parts } from '../words/en/parts.ts';
import styles from './BulkBar.module.css';
import { ADDRESS_CHARS_MAX, type BulkKind } from './bulk-kinds.ts';

interface BulkBarProps {
  readonly selected: ReadonlySet<string>;
  readonly onAsk: (kind: BulkKind) => void;
  readonly onDeselect: () => void;
}

/** The screen that exports the flags. */
const exportOf = (names: ReadonlySet<string>) =>
  path('transfer', {}, { tab: 'export', which: 'flags', flags: [...names].map(encodeURIComponent).join(',') });

/** What can be done with the selected flags. */
export function BulkBar({ selected, onAsk, onDeselect }: BulkBarProps) {
  const [, navigate] = useLocation();
  const exported = exportOf(selected);
  return (
    <section className={styles.bar} aria-label={words.selected(selected.size)}>
      <IconButton size="small" icon={<X aria-hidden />} label={words.deselect} onClick={onDeselect} />
      <strong>{words.selected(selected.size)}</strong>
      <Button size="small" onClick={() => onAsk('on')}>
        {parts.switchOn}
      </Button>
      <Button size="small" onClick={() => onAsk('off')}>
        {parts.switchOff}
      </Button>
      <Button size="small" onClick={() => onAsk('tag')}>
        {words.tag}
      </Button>
      <Menu
        label={words.more}
        size="small"
        entries={[
          { label: words.stale, onSelect: () => onAsk('stale') },
          { label: words.active, onSelect: () => onAsk('active') },
          {
            label: words.export,
            reason: exported.length > ADDRESS_CHARS_MAX ? words.tooManyToExport : undefined,
            onSelect: () => navigate(exported),
          },
          'line',
          { label: parts.archiveMenu, danger: true, onSelect: () => onAsk('archive') },
        ]}
      />
    </section>
  );
}
