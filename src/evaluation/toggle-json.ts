import type { CompiledFlag } from './compile.ts';
import { OFF, ON, type Resolution } from './variant.ts';

/**
 * A flag that is on, as frontend answers tell it behind another: a comma and the object. Made once for each flag and variant; whoever tells it
 * first leaves the comma out.
 */
export function nextToggle(flag: CompiledFlag, resolution: Resolution): string {
  const known = resolution === ON ? flag.plainToggle : resolution.toggle;
  return known ?? make(flag, resolution);
}

/** A flag that is off, as the answers tell it that tell all flags. Nothing of it is kept: few ask. */
export function toggleOffJson(flag: CompiledFlag): string {
  return nextToggleOff(flag).slice(1);
}

/** The same behind another flag. */
export function nextToggleOff({ name, impressionData }: CompiledFlag): string {
  return `,{"name":${JSON.stringify(name)},"enabled":false,"variant":${OFF.variantJson},"impressionData":${impressionData}}`;
}

/** The object alone. */
export function toggleJson(flag: CompiledFlag, resolution: Resolution): string {
  return nextToggle(flag, resolution).slice(1);
}

function make(flag: CompiledFlag, resolution: Resolution): string {
  const { name, impressionData } = flag;
  const { variant } = resolution;
  const text = `,${JSON.stringify({ name, enabled: true, variant, impressionData })}`;
  // It is copied many times: read back, it is one run of characters, and not two that V8 put together or a part of a longer one.
  const toggle = Buffer.from(text).toString();
  if (resolution === ON) flag.plainToggle = toggle;
  else resolution.keepToggle(toggle);
  return toggle;
}

/** Characters of a toggle beside the flag's name and what its variant carries. */
const TOGGLE_FRAME = 100;

/** Characters of the longest of the flag's toggles, about. */
export function longestToggle({ name, active, variants: ofFlag }: CompiledFlag): number {
  let longest = ofFlag === null ? 0 : ofFlag.longestAnswer;
  for (const { variants } of active) {
    if (variants !== null && variants.longestAnswer > longest) longest = variants.longestAnswer;
  }
  return TOGGLE_FRAME + name.length + longest;
}
