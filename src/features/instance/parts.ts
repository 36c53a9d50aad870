import type { Services } from '../services.ts';
import { Backups } from './backups/backups.ts';
import { FrontendOriginView } from './frontend-origins.ts';
import { LoopDelay } from './operations/loop-delay.ts';
import { UiErrors } from './ui-errors.ts';

interface InstanceParts {
  readonly backups: Backups;
  readonly uiErrors: UiErrors;
  readonly loopDelay: LoopDelay;
  /** The origins whose pages may call the frontend API. */
  readonly frontendOrigins: FrontendOriginView;
}

declare module '../services.ts' {
  interface FeatureParts extends InstanceParts {}
}

export function instanceParts({ config, clock, logger, state, replica, store, components }: Services): InstanceParts {
  const loopDelay = new LoopDelay();
  components.add({ name: 'loop delay', close: () => loopDelay.close() });
  return {
    backups: new Backups(replica, store, { directory: config.dataDirectory }),
    uiErrors: new UiErrors(logger, clock),
    loopDelay,
    frontendOrigins: new FrontendOriginView(state, config.frontendOrigins),
  };
}
