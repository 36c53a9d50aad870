import type { Services } from '../services.ts';
import { PushKeys } from './push-keys.ts';
import { PushStreams } from './push-streams.ts';

interface OfrepParts {
  readonly pushStreams: PushStreams;
}

declare module '../services.ts' {
  interface FeatureParts extends OfrepParts {}
}

export function ofrepParts({ tokens, clock, config, frontendStreams, components }: Services): OfrepParts {
  const pushStreams = new PushStreams(new PushKeys(tokens, clock, config.secretsKey), frontendStreams);
  components.add({ name: 'push streams', close: () => pushStreams.close() });
  return { pushStreams };
}
