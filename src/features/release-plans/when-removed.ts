import type { WhenRemoved } from '../../engine/command.ts';
import { removeTemplatesOf } from './templates/commands.ts';

export const whenRemoved: WhenRemoved = { project: removeTemplatesOf };
