import { CalendarClock, Check, CircleDashed, CircleDot, CircleSlash, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import type { components } from '../api/schema.d.ts';
import { Badge, type Tone } from '../kit/texts/Badge.tsx';
import { requests as words } from '../words/en/change-requests.ts';

type State = components['schemas']['changeRequest']['state'];

const LOOKS: Readonly<Record<State, readonly [Tone, ReactNode]>> = {
  Draft: ['neutral', <CircleDashed key="icon" aria-hidden />],
  'In review': ['accent', <CircleDot key="icon" aria-hidden />],
  Approved: ['good', <Check key="icon" aria-hidden />],
  Scheduled: ['warn', <CalendarClock key="icon" aria-hidden />],
  Applied: ['good', <Check key="icon" aria-hidden />],
  Cancelled: ['neutral', <CircleSlash key="icon" aria-hidden />],
  Rejected: ['bad', <CircleX key="icon" aria-hidden />],
};

export function StateBadge({ state }: { readonly state: State }) {
  const [tone, icon] = LOOKS[state];
  return (
    <Badge tone={tone} icon={icon}>
      {words.states[state]}
    </Badge>
  );
}
