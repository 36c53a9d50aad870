import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useCallback, useSyncExternalStore } from 'react';
import { kit as words } from '../../words/en/kit.ts';
import { Button } from '../inputs/Button.tsx';
import { IconButton } from '../inputs/IconButton.tsx';
import { announced, subscribeToAnnouncements } from './live-region.ts';
import styles from './Toasts.module.css';
import { dismissToast, type ShownToast, shownToasts, subscribeToToasts } from './toast.ts';
import { useFading } from './use-fading.ts';

const ICONS = { good: CircleCheck, bad: CircleAlert, neutral: Info } as const;

/** The toasts and the live region. Once in the shell. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribeToToasts, shownToasts);
  const text = useSyncExternalStore(subscribeToAnnouncements, announced);
  return (
    <>
      <div role="status" aria-live="polite" className="visually-hidden">
        {text}
      </div>
      <section aria-label={words.notices} className={styles.list}>
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </section>
    </>
  );
}

function ToastCard({ toast }: { readonly toast: ShownToast }) {
  const { id, tone, text, action, lastsMs } = toast;
  const dismiss = useCallback(() => dismissToast(id), [id]);
  const held = useFading(lastsMs, dismiss);
  const Icon = ICONS[tone];
  return (
    // It stays while the pointer or the focus is on it.
    <div data-tone={tone} className={styles.toast} {...held}>
      <Icon size={16} aria-hidden />
      <p className={styles.text}>{text}</p>
      {action && (
        <Button
          size="small"
          onClick={() => {
            dismiss();
            action.onSelect();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton size="small" icon={<X aria-hidden />} label={words.dismiss} onClick={dismiss} />
    </div>
  );
}
