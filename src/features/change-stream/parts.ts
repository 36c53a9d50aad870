import type { Services } from '../services.ts';
import { ChangeStreams } from './change-streams.ts';

interface ChangeStreamParts {
  readonly changeStreams: ChangeStreams;
}

declare module '../services.ts' {
  interface FeatureParts extends ChangeStreamParts {}
}

export function changeStreamParts({ replica, clock, components }: Services): ChangeStreamParts {
  const changeStreams = new ChangeStreams(replica, clock);
  components.add({ name: 'presence', close: () => changeStreams.presence.close() });
  return { changeStreams };
}
