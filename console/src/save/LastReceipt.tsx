import { useState } from 'react';
import { closeReceipt, receipt } from '../data/receipts.ts';
import { useStore } from '../data/store.ts';
import { ReceiptBar } from '../kit/changes/ReceiptBar.tsx';
import { receiptWords as words } from '../words/en/receipt.ts';
import styles from './LastReceipt.module.css';
import { undoSaved } from './use-write.ts';

/** How far the last save has come, live, with its undo. It stays until it is closed or another save follows. */
export function LastReceipt() {
  const shown = useStore(receipt);
  const [isUndoing, setUndoing] = useState(false);
  if (!shown) return null;
  const { text, revisions, delivery, left } = shown;

  const undoIt = async () => {
    setUndoing(true);
    await undoSaved(revisions, text, true);
    setUndoing(false);
  };

  return (
    <section className={styles.receipt} aria-label={words.last} title={words.honest}>
      <p className={styles.what}>{text}</p>
      {left.map((reason) => (
        <p key={reason} className={styles.left}>
          {reason}
        </p>
      ))}
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
        onUndo={isUndoing ? undefined : () => void undoIt()}
        onDismiss={closeReceipt}
      />
    </section>
  );
}
