import type { Services } from '../services.ts';
import { ChangeStreams } from './change-streams.ts';

interface ChangeStreamParts {
  readonly changeStreams: ChangeStreams;
}

declare module '../services.ts' {
  interface FeatureParts extends ChangeStreamParts {}
}

export function changeStreamParts({ replica }: Services): ChangeStreamParts {
  return { changeStreams: new ChangeStreams(replica) };
}
