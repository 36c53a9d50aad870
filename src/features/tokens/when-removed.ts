import type { WhenRemoved } from '../../engine/command.ts';
import { removeTokensOfEnvironment, takeProjectFromTokens } from './commands.ts';

export const whenRemoved: WhenRemoved = { project: takeProjectFromTokens, environment: removeTokensOfEnvironment };
