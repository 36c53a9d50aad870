import type { WhenRemoved } from '../../engine/command.ts';
import { takeEnvironmentFromRoles } from './roles/commands.ts';

export const whenRemoved: WhenRemoved = { environment: takeEnvironmentFromRoles };
