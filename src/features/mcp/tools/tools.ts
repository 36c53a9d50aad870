import { createFlag } from './create-flag.ts';
import { explain } from './explain.ts';
import { getFlag } from './get-flag.ts';
import { history } from './history.ts';
import { preview } from './preview.ts';
import { proposeChange } from './propose-change.ts';
import { searchFlags } from './search-flags.ts';
import type { Tool } from './tool.ts';

/** All tools, in the order in which clients list them. */
export const TOOLS: readonly Tool[] = [searchFlags, getFlag, explain, history, preview, createFlag, proposeChange];
