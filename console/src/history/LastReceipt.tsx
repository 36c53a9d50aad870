import { Suspense, useLayoutEffect, useRef, useState } from 'react';
import { lazyScreen } from '../data/new-version.ts';
import { closeReceipt, isIncomplete, type Receipt, receipt } from '../data/receipts.ts';
import { useStore } from '../data/store.ts';
import { ReceiptBar } from '../kit/changes/ReceiptBar.tsx';
import { Skeleton } from '../kit/notices/Skeleton.tsx';
import { useFading } from '../kit/notices/use-fading.ts';
import { receiptWords as words } from '../words/en/receipt.ts';
import styles from './LastReceipt.module.css';

/** A receipt with nothing missing stays for so long: an undo is offered for at least ten seconds. */
const STAYS_MS = 12_000;

/** The height of the receipt. What is fixed at the lower edge of the window ends above it. */
const SPACE = '--receipt-space';

/** Keeps `SPACE` at the height of the element while it is shown. */
function useSpace() {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty(SPACE, `${element.current?.offsetHeight ?? 0}px`));
    if (element.current) observer.observe(element.current);
    return () => {
      observer.disconnect();
      style.removeProperty(SPACE);
    };
  }, []);
  return element;
}

/** How far the last save has come. It is closed by itself when all SDKs have it; "Recent changes" then has it, with its undo. */
export function LastReceipt() {
  const shown = useStore(receipt);
  return shown && <Shown key={shown.revisions.join()} shown={shown} />;
}

const UndoInPlace = lazyScreen(() => import('./UndoInPlace.tsx'), 'UndoInPlace');

function Shown({ shown }: { readonly shown: Receipt }) {
  const { text, revisions, delivery, isLost, left } = shown;
  const [isUndoing, setUndoing] = useState(false);
  const [wasUndoing, setWasUndoing] = useState(false);
  const element = useSpace();
  const held = useFading(isIncomplete(shown) || isUndoing ? undefined : STAYS_MS, closeReceipt);

  const openUndo = () => {
    setUndoing(true);
    setWasUndoing(true);
  };

  return (
    <section ref={element} className={styles.receipt} aria-label={words.last} title={words.honest} {...held}>
      <p className={styles.what}>{text}</p>
      {isLost && <p className={styles.left}>{words.lost}</p>}
      {left.map((reason) => (
        <p key={reason} className={styles.left}>
          {reason}
        </p>
      ))}
      {isUndoing && (
        <Suspense fallback={<Skeleton shape="rows" rows={2} />}>
          <UndoInPlace revisions={revisions} text={text} onClose={() => setUndoing(false)} />
        </Suspense>
      )}
      <ReceiptBar
        receipt={
          delivery
            ? {
                revision: delivery.revision,
                followed: delivery.concerned,
                given: delivery.have,
                unknown: delivery.unknown,
                ...(delivery.tookMs ? { medianMs: delivery.tookMs.p50 } : {}),
                ...(delivery.slowest
                  ? { slowest: { name: delivery.slowest.appName, environment: delivery.slowest.environment } }
                  : {}),
                isStalled: delivery.final && delivery.share < 1,
              }
            : undefined
        }
        onUndo={isUndoing ? undefined : openUndo}
        isUndoFocused={wasUndoing}
        onDismiss={closeReceipt}
      />
    </section>
  );
}
