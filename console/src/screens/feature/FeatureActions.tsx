import { Archive, Copy, Ellipsis, Star } from 'lucide-react';
import { Link } from 'wouter';
import { archiveFlag, reviveFlag, setFavorite, setStale } from '../../data/flag-actions.ts';
import { flagRows } from '../../data/flag-rows.ts';
import { forget, useFormKey, useKept } from '../../data/kept.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/may.ts';
import { useOpened } from '../../data/opened.ts';
import type { Feature } from '../../domain/model.ts';
import { Button } from '../../kit/inputs/Button.tsx';
import { IconButton } from '../../kit/inputs/IconButton.tsx';
import { Banner } from '../../kit/notices/Banner.tsx';
import { Dialog } from '../../kit/overlays/Dialog.tsx';
import { Menu } from '../../kit/overlays/Menu.tsx';
import { path } from '../../paths.ts';
import { FailureText } from '../../save/FailureText.tsx';
import { Reason } from '../../save/Reason.tsx';
import { Restored } from '../../save/Restored.tsx';
import { SaveButtons } from '../../save/SaveButtons.tsx';
import { useQuickWrite, useWrite } from '../../save/use-write.ts';
import { feature as words } from '../../words/en/flags/feature.ts';
import { archive as archiveWords } from '../../words/en/flags/feature-more.ts';
import { parts } from '../../words/en/parts.ts';
import styles from './Feature.module.css';

function ArchiveDialog({ flag, onClose }: { readonly flag: Feature; readonly onClose: () => void }) {
  const form = useFormKey();
  const [reason, setReason] = useKept('reason', '', form);
  const { run, isPending, failure } = useWrite();
  const mayNot = useMay('DELETE_FEATURE', flag.project);
  const isNeeded = flag.children.length > 0;
  const done = () => {
    forget(form);
    onClose();
  };
  const saving = () => archiveFlag(flag, reason);
  const archive = () => run(saving, { text: archiveWords.done(flag.name), isDelivered: true, onDone: done });
  return (
    <Dialog
      open
      size="small"
      onClose={onClose}
      hasDraft={reason !== ''}
      title={archiveWords.title(flag.name)}
      footer={
        <SaveButtons
          label={archiveWords.run}
          kind="danger"
          isPending={isPending}
          saving={saving}
          blocked={mayNot ?? (isNeeded ? archiveWords.blocked(flag.children.join(', ')) : undefined)}
          onSave={() => void archive()}
          onCancel={done}
        />
      }
    >
      <div className={styles.form}>
        <Restored form={form} />
        {isNeeded ? (
          <Banner tone="warn">
            {archiveWords.blocked('')}{' '}
            {flag.children.map((child) => (
              <Link
                key={child}
                className={styles.link}
                href={path('feature', { projectId: flag.project, featureId: child })}
              >
                {child}{' '}
              </Link>
            ))}
          </Banner>
        ) : (
          <p>{archiveWords.text}</p>
        )}
        <Reason value={reason} onChange={setReason} />
        <FailureText failure={failure} />
      </div>
    </Dialog>
  );
}

/** What concerns the flag as a whole. */
export function FeatureActions({ flag }: { readonly flag: Feature }) {
  const [panel, setPanel] = useOpened('panel');
  const mayNotUpdate = useMay('UPDATE_FEATURE', flag.project);
  const mayNotCreate = useMay('CREATE_FEATURE', flag.project);
  const mayNotArchive = useMay('DELETE_FEATURE', flag.project);
  const { run } = useQuickWrite();
  const favorite = () =>
    run(() => setFavorite(flag, !flag.favorite), {
      // Favorites are personal, so the stream of changes does not name them.
      refresh: [keys.feature(flag.project, flag.name)],
      onDone: () => flagRows.patch(flag.name, { favorite: !flag.favorite }),
    });
  const revive = () => run(() => reviveFlag(flag), { text: archiveWords.revived(flag.name), isDelivered: true });
  const markStale = () =>
    run(() => setStale(flag, !flag.stale), {
      text: `${flag.name}: ${flag.stale ? words.markActive : words.markStale}`,
      isDelivered: true,
    });
  return (
    <>
      <IconButton
        icon={<Star aria-hidden fill={flag.favorite ? 'currentColor' : 'none'} />}
        label={flag.favorite ? words.unfavorite : words.favorite}
        aria-pressed={flag.favorite}
        onClick={() => void favorite()}
      />
      {flag.archived ? (
        <Button reason={mayNotUpdate} onClick={() => void revive()}>
          {words.revive}
        </Button>
      ) : (
        <Menu
          label={words.actions}
          icon={<Ellipsis aria-hidden />}
          kind="secondary"
          align="end"
          entries={[
            { label: words.clone, icon: <Copy aria-hidden />, reason: mayNotCreate, onSelect: () => setPanel('clone') },
            {
              label: flag.stale ? words.markActive : words.markStale,
              reason: mayNotUpdate,
              onSelect: () => void markStale(),
            },
            'line',
            {
              label: parts.archiveMenu,
              icon: <Archive aria-hidden />,
              danger: true,
              reason: mayNotArchive,
              onSelect: () => setPanel('archive'),
            },
          ]}
        />
      )}
      {panel === 'archive' && <ArchiveDialog flag={flag} onClose={() => setPanel('')} />}
    </>
  );
}
