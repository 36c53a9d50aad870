import { randomUUID } from 'node:crypto';
import { isShared } from '../../stores/shared-store.ts';
import type { Services } from '../services.ts';
import { CounterRecorder } from '../usage/counter-recorder.ts';
import { ConnectionExchange } from './exchange.ts';
import { Propagation } from './propagation.ts';
import { PropagationStreams } from './streams.ts';

interface PropagationParts {
  /** Which SDKs are connected, and which revision they have. */
  readonly propagation: Propagation;
  /** Sends to people how far the newest commits have come. */
  readonly propagationStreams: PropagationStreams;
}

declare module '../services.ts' {
  interface FeatureParts extends PropagationParts {}
}

export function propagationParts(services: Services): PropagationParts {
  const { clock, logger, replica, components } = services;
  const propagation = propagationOf(services);
  const propagationStreams = new PropagationStreams({ propagation, state: replica.state, clock, logger });
  replica.onReplaced(() => propagationStreams.reset());
  components.add({
    name: 'propagation streams',
    dependsOn: ['propagation'],
    close: () => propagationStreams.close(),
  });
  return { propagation, propagationStreams };
}

/** Creates the part that tracks which SDKs have which revision. With a shared store, it exchanges this information with other replicas. */
function propagationOf({ store, clock, logger, replica, components }: Services): Propagation {
  const { counters } = store;
  const recorder = () => new CounterRecorder(counters, clock, logger, { recorder: randomUUID() });
  const exchange = isShared(store)
    ? new ConnectionExchange({ counters, recorder: recorder(), clock, mark: () => replica.mark })
    : null;
  const propagation = new Propagation({ state: replica.state, clock, exchange });
  replica.onApplied((applied) => propagation.apply(applied));
  replica.onReplaced(() => propagation.reset());
  const [start, close] = [() => propagation.start(), () => propagation.close()];
  components.add({ name: 'propagation', dependsOn: ['counts'], start, close });
  return propagation;
}
