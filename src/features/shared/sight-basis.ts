import { type Sight, sightOf } from '../../access/visibility.ts';
import type { Basis } from '../../http/endpoint.ts';
import type { Caller } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';

/** The basis of answers that depend only on which projects the caller sees. */
export interface SightBasis extends Basis {
  readonly visible: Sight;
}

/** `personal`: what else of the caller the answers depend on. Equal texts mean equal answers. */
export function basisOf(state: State, caller: Caller, personal = ''): SightBasis {
  const visible = sightOf(state, caller);
  return { moment: `${state.generation}.${state.seq}`, key: `${visible.key}\n${personal}`, visible };
}
