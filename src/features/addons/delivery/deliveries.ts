import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { AppliedCommit, State } from '../../../state/state.ts';
import type { Addon, DeliveryState } from '../addon.ts';
import { Courier, type CourierParts } from './courier.ts';

/** New events wake the couriers at most this often: a burst of changes must not wake every courier for each of them. */
const WAKE_MS = 20;
/** How long a stop waits for the attempts in progress, and then for the last deliveries to be stored. */
const GRACE_MS = 1_000;
const CLOSE_MS = 2_000;
/** The name under which a process delivers that shares its store with no other process. The next process continues under the same name. */
const ALONE = 'alone';

type Parts = Omit<CourierParts, 'state' | 'holder' | 'count'> & { readonly replica: Replica; readonly clock: Clock };

/** The events that were not sent yet, and whether attempts fail, for one add-on. */
interface AddonStatus {
  readonly addon: Addon;
  /** Events after the last one that needs no attempt; some of them may be events that the add-on does not send. */
  readonly waiting: number;
  readonly isFailing: boolean;
  readonly isParked: boolean;
}

/** A courier for each add-on. Each one sends one event at a time, so a slow destination delays no other add-on. */
export class Deliveries {
  readonly #parts: CourierParts;
  readonly #state: State;
  readonly #couriers = new Map<string, Courier>();
  readonly #counts = { success: 0, failed: 0, successWithErrors: 0 } satisfies Record<DeliveryState, number>;
  readonly #closing = new AbortController();
  /** Couriers of deleted add-ons whose last attempt has not ended. */
  readonly #ending = new Set<Promise<void>>();
  #isStarted = false;
  #isWaking = false;

  constructor({ replica, ...parts }: Parts) {
    this.#state = replica.state;
    this.#parts = {
      ...parts,
      state: replica.state,
      holder: parts.isShared ? randomUUID() : ALONE,
      count: (_addon, { state }) => void this.#counts[state]++,
    };
    replica.onApplied((applied) => {
      if (!this.#isStarted) return;
      if (concernsAddons(applied)) this.#match();
      if (this.#couriers.size > 0 && applied.commit.events.count > 0) this.#wakeSoon();
    });
    replica.onReplaced(() => {
      if (!this.#isStarted) return;
      this.#match();
      for (const courier of this.#couriers.values()) courier.replaced();
    });
  }

  /** Attempts of this process, by their result. */
  get counts(): Readonly<Record<DeliveryState, number>> {
    return this.#counts;
  }

  /** The status of each add-on, in constant time for each. */
  statuses(): AddonStatus[] {
    const { lastEventId } = this.#state;
    return Array.from(this.#state.values('addons'), (addon) => {
      const key = String(addon.id);
      const delivery = this.#state.get('addonDeliveries', key);
      const position = this.#couriers.get(key)?.position ?? delivery?.cursor ?? lastEventId;
      return {
        addon,
        waiting: addon.enabled ? Math.max(0, lastEventId - position) : 0,
        isFailing: addon.enabled && (delivery?.failures ?? 0) > 0,
        isParked: addon.enabled && (delivery?.parkedAt ?? null) !== null,
      };
    });
  }

  /** Starts to send. The state must be loaded. */
  start(): void {
    this.#isStarted = true;
    this.#match();
  }

  async close(): Promise<void> {
    this.#isStarted = false;
    this.#closing.abort();
    const closings = Array.from(this.#couriers.values(), (courier) => courier.close(GRACE_MS));
    // While the store cannot be written to, a courier waits for it. What it did not store is sent again after the next start.
    const late = new Promise<void>((resolve) => {
      AbortSignal.timeout(GRACE_MS + CLOSE_MS).addEventListener('abort', () => resolve());
    });
    await Promise.race([Promise.all([...closings, ...this.#ending]), late]);
  }

  /** Starts couriers of new add-ons, ends those of deleted ones, and wakes all others. */
  #match(): void {
    for (const { id } of this.#state.values('addons')) {
      const key = String(id);
      if (this.#couriers.has(key)) continue;
      const courier = new Courier(id, this.#parts);
      this.#couriers.set(key, courier);
      courier.start();
    }
    for (const [key, courier] of this.#couriers) {
      if (this.#state.get('addons', key)) {
        courier.wake();
        continue;
      }
      this.#couriers.delete(key);
      const ending = courier.close(0).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
  }

  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    void this.#parts.clock.sleep(WAKE_MS, this.#closing.signal).then(() => {
      this.#isWaking = false;
      for (const courier of this.#couriers.values()) courier.wake();
    });
  }
}

/** Whether the commit changes add-ons. Deliveries change with every attempt; only their courier and a resumed add-on need to know. */
function concernsAddons({ changes, bulk }: AppliedCommit): boolean {
  for (const { collection } of bulk?.changesExceptFlags ?? changes) if (collection === 'addons') return true;
  return false;
}
