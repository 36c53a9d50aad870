import type { components } from '../../../api/schema.d.ts';
import { Badge, type Tone } from '../../../kit/texts/Badge.tsx';
import { actions as words } from '../../../words/en/actions.ts';

type State = components['schemas']['actionSetEventSchema']['state'];

const TONES: Readonly<Record<State, Tone>> = { started: 'accent', success: 'good', failed: 'bad' };

/** How an execution of an action set ended. */
export function ExecutionBadge({ state }: { readonly state: State }) {
  return (
    <Badge dot tone={TONES[state]}>
      {words.executionStates[state]}
    </Badge>
  );
}
