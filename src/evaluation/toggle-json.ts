import type { CompiledFlag } from './compile.ts';
import { OFF, ON, type Resolution } from './variant.ts';

/**
 * JSON of a flag that is on, as the next item of a list in frontend answers: a comma and the object. Created once for each flag and variant. The
 * caller removes the comma for the first item.
 */
export function nextToggle(flag: CompiledFlag, resolution: Resolution): string {
  const known = resolution === ON ? flag.plainToggle : resolution.toggle;
  return known ?? make(flag, resolution);
}

/** JSON of a flag that is off, for answers that include all flags. It is not cached: few clients request it. */
export function toggleOffJson(flag: CompiledFlag): string {
  return nextToggleOff(flag).slice(1);
}

/** Same as `toggleOffJson`, with a comma before it, as the next item of a list. */
export function nextToggleOff({ name, impressionData }: CompiledFlag): string {
  return `,{"name":${JSON.stringify(name)},"enabled":false,"variant":${OFF.variantJson},"impressionData":${impressionData}}`;
}

/** Same as `nextToggle`, without the comma. */
export function toggleJson(flag: CompiledFlag, resolution: Resolution): string {
  return nextToggle(flag, resolution).slice(1);
}

function make(flag: CompiledFlag, resolution: Resolution): string {
  const { name, impressionData } = flag;
  const { variant } = resolution;
  const text = `,${JSON.stringify({ name, enabled: true, variant, impressionData })}`;
  // The text is copied many times: this round trip gives a flat string instead of V8's concatenated or sliced string.
  const toggle = Buffer.from(text).toString();
  if (resolution === ON) flag.plainToggle = toggle;
  else resolution.keepToggle(toggle);
  return toggle;
}

/** Length of a toggle without the flag's name and the variant's content, in characters. */
const TOGGLE_FRAME = 100;

/** Estimated length of the flag's longest toggle, in characters. */
export function longestToggle({ name, active, variants: ofFlag }: CompiledFlag): number {
  let longest = ofFlag === null ? 0 : ofFlag.longestAnswer;
  for (const { variants } of active) {
    if (variants !== null && variants.longestAnswer > longest) longest = variants.longestAnswer;
  }
  return TOGGLE_FRAME + name.length + longest;
}
