import type { WhenRemoved } from '../../engine/command.ts';
import { takeEnvironmentFromAddons, takeProjectFromAddons } from './commands.ts';

export const whenRemoved: WhenRemoved = { project: takeProjectFromAddons, environment: takeEnvironmentFromAddons };
