import { ConfigError } from '../../base/options.ts';
import type { Config } from '../../config.ts';
import { storeClock } from '../../engine/store-clock.ts';
import { isShared } from '../../stores/shared-store.ts';
import type { Services } from '../services.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { Destinations } from './delivery/destinations.ts';
import { EventFeed } from './delivery/event-feed.ts';

interface AddonParts {
  /** Sends the events of add-ons. */
  readonly deliveries: Deliveries;
}

declare module '../services.ts' {
  interface FeatureParts extends AddonParts {}
}

/** If the flags come from a source, the source sends the events. */
export function addonParts(services: Services): AddonParts {
  const { replica, store, writer, clock, logger, random, config, source, signOn, components } = services;
  const deliveries = new Deliveries({
    replica,
    writer,
    logger,
    random,
    config,
    sealer: signOn.sealer,
    isShared: isShared(store),
    clock: storeClock(store, clock),
    feed: new EventFeed(replica, store),
    destinations: destinationsOf(config),
  });
  components.add({
    name: 'add-ons',
    // They store their last deliveries when they close.
    dependsOn: ['store', 'writer'],
    ...(!source && { start: () => deliveries.start() }),
    close: () => deliveries.close(),
  });
  return { deliveries };
}

/** The addresses to which events may be sent. @throws ConfigError */
export function destinationsOf({ addonAllowPrivate }: Config): Destinations {
  try {
    return new Destinations(addonAllowPrivate);
  } catch (error) {
    throw new ConfigError(`ADDON_ALLOW_PRIVATE: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
