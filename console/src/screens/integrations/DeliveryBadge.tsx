import { Badge, type Tone } from '../../kit/texts/Badge.tsx';
import { integrations as words } from '../../words/en/admin/integrations.ts';
import type { DeliveryState } from './integration-data.ts';

const TONES: Readonly<Record<DeliveryState, Tone>> = {
  delivering: 'good',
  failing: 'warn',
  parked: 'bad',
  off: 'neutral',
};

export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  return (
    <Badge dot tone={TONES[state]}>
      {words.states[state]}
    </Badge>
  );
}
