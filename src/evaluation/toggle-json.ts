import type { CompiledFlag } from './compile.ts';
import { OFF, ON, type Resolution } from './variant.ts';

/** A flag that is on, as frontend answers tell it. The text is made once for each flag and variant. */
export function toggleJson(flag: CompiledFlag, resolution: Resolution): string {
  if (resolution !== ON) return resolution.toggleJson(() => write(flag, resolution));
  flag.plainToggle ??= write(flag, resolution);
  return flag.plainToggle;
}

/** A flag that is off, as the answers tell it that tell all flags. Nothing of it is kept: few ask. */
export function toggleOffJson({ name, impressionData }: CompiledFlag): string {
  return `{"name":${JSON.stringify(name)},"enabled":false,"variant":${OFF.variantJson},"impressionData":${impressionData}}`;
}

/** In one go, so that the text is flat: it is copied many times. */
function write({ name, impressionData }: CompiledFlag, { variant }: Resolution): string {
  return JSON.stringify({ name, enabled: true, variant, impressionData });
}
