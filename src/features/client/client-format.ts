import { withTextCache } from '../../base/text-cache.ts';
import type { ClientFormat } from '../../views/client/fragment.ts';

/** The format for a value of `Unleash-Client-Spec`: version 2 of the list from 4.2.0 on, otherwise version 1. */
export const clientFormat = withTextCache((text): ClientFormat => {
  const match = /^(\d{1,6})\.(\d{1,6})/.exec(text);
  if (!match) return 1;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > 4 || (major === 4 && minor >= 2) ? 2 : 1;
});
