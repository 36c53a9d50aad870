import type { WhenRemoved } from '../../engine/command.ts';
import { removeActionSetsOf } from './actions/commands.ts';

export const whenRemoved: WhenRemoved = { project: removeActionSetsOf };
