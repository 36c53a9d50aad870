import type { Services } from '../services.ts';
import { StreamInvitations } from './stream-invitations.ts';

interface ClientParts {
  /** The SDKs that were asked to open a stream instead of polling. */
  readonly streamInvitations: StreamInvitations;
}

declare module '../services.ts' {
  interface FeatureParts extends ClientParts {}
}

export function clientParts({ http }: Services): ClientParts {
  return {
    streamInvitations: new StreamInvitations(
      () => performance.now(),
      (caller) => http().roomForStreams(caller),
    ),
  };
}
