/** Linear sRGB, each from 0 to 1. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** Converts `oklch(lightness chroma hue)` to linear sRGB, cut off at what a screen can show. */
export function rgbOf(text: string): Rgb {
  const match = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)/.exec(text);
  if (!match) throw new Error(`Not a colour in OKLCH: ${text}`);
  const [lightness = 0, chroma = 0, hue = 0] = match.slice(1).map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const shown = (value: number) => Math.min(1, Math.max(0, value));
  return [
    shown(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    shown(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    shown(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

/** The contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
