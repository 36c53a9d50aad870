import type { CompiledFlag } from './compile.ts';
import type { Resolution } from './variant.ts';

/** A resolution belongs to one flag, the shared "off" aside, which is never told; so its text can be kept beside it. */
const texts = new WeakMap<Resolution, string>();

/** A flag that is on, as frontend answers tell it. The text is made once for each flag and variant. */
export function toggleJson(flag: CompiledFlag, resolution: Resolution): string {
  let text = texts.get(resolution);
  if (text === undefined) {
    text = `{"name":${JSON.stringify(flag.name)},"enabled":true,"variant":${resolution.variantJson},"impressionData":${flag.impressionData}}`;
    texts.set(resolution, text);
  }
  return text;
}
