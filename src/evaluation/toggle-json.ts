import type { CompiledFlag } from './compile.ts';
import { OFF, ON, type Resolution } from './variant.ts';

/**
 * A comma, then the JSON of a flag that is on: an item of the list in frontend answers. Created once for each flag and variant. The caller removes
 * the comma of the first item.
 */
export function toggleAfterComma(flag: CompiledFlag, resolution: Resolution): string {
  const known = resolution === ON ? flag.plainToggle : resolution.toggle;
  return known ?? createToggle(flag, resolution);
}

/** JSON of a flag that is off, for answers that include all flags. It is not cached, because few clients request such answers. */
export function toggleOffJson(flag: CompiledFlag): string {
  return toggleOffAfterComma(flag).slice(1);
}

/** Same as `toggleOffJson`, with a comma before it. */
export function toggleOffAfterComma({ name, impressionData }: CompiledFlag): string {
  return `,{"name":${JSON.stringify(name)},"enabled":false,"variant":${OFF.variantJson},"impressionData":${impressionData}}`;
}

/** Same as `toggleAfterComma`, without the comma. */
export function toggleJson(flag: CompiledFlag, resolution: Resolution): string {
  return toggleAfterComma(flag, resolution).slice(1);
}

function createToggle(flag: CompiledFlag, resolution: Resolution): string {
  const { name, impressionData } = flag;
  const { variant } = resolution;
  const text = `,${JSON.stringify({ name, enabled: true, variant, impressionData })}`;
  // The text is copied many times: this round trip gives a flat string instead of V8's concatenated or sliced string.
  const toggle = Buffer.from(text).toString();
  if (resolution === ON) flag.plainToggle = toggle;
  else resolution.cacheToggle(toggle);
  return toggle;
}

/** Length of a toggle without the flag's name and the variant's content, in characters. */
const TOGGLE_FRAME_CHARS = 100;

/** Estimated length of the flag's longest toggle, in characters. */
export function longestToggle({ name, active, variants: flagVariants }: CompiledFlag): number {
  let longest = flagVariants === null ? 0 : flagVariants.longestAnswer;
  for (const { variants } of active) {
    if (variants !== null && variants.longestAnswer > longest) longest = variants.longestAnswer;
  }
  return TOGGLE_FRAME_CHARS + name.length + longest;
}
