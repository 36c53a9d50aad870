import { describeTarget } from './connection-string.ts';
import { decodeHint, isFrom } from './hint.ts';
import { type HistoryParts, linkTo } from './history-parts.ts';
import type { Link } from './link.ts';
import { Signal } from './signal.ts';

interface SubscriptionListener {
  hint(hint: NonNullable<ReturnType<typeof decodeHint>>): void;
  /** Called after the subscription was renewed: hints may have been missed. */
  resubscribed(): void;
}

/**
 * The connection that receives hints of other replicas' commits. The poll finds the commits whose hints are lost. The heartbeat detects a half-open
 * connection, which would otherwise be silent for ever.
 */
export function subscribe(parts: HistoryParts, listener: SubscriptionListener): Link {
  const { target, keys, timeouts, clock, logger, replicaId } = parts;
  const heartbeat = new Signal(clock);
  let isDown = false;
  return linkTo(parts, {
    async serve(session, onProven) {
      let hasEnded = false;
      void session.endReason.then(() => {
        hasEnded = true;
      });
      await session.subscribe(keys.hints, (message) => {
        if (isFrom(replicaId, message)) return;
        const hint = decodeHint(message);
        if (hint) listener.hint(hint);
      });
      onProven();
      isDown = false;
      listener.resubscribed();
      while (!hasEnded) {
        await heartbeat.wait(timeouts.heartbeatMs, session);
        if (!hasEnded) await session.command('ping');
      }
    },
    onDown(reason) {
      if (!isDown)
        logger.warn(
          { server: describeTarget(target), reason },
          'the connection for hints of Redis was lost: until it is back, this replica finds new commits by polling',
        );
      isDown = true;
    },
  });
}
