import { withTextCache } from '../../base/text-cache.ts';

/** The weight of each coding in `Accept-Encoding`, in lower case. A coding without a valid weight has 1 (RFC 9110, 12.4.2). */
function weightsOf(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters
      .map((parameter) => /^q=(0(?:\.\d*)?)$/.exec(parameter)?.[1])
      .find((text) => text !== undefined);
    if (!weights.has(coding)) weights.set(coding, weight === undefined ? 1 : Number(weight));
  }
  return weights;
}

/**
 * Returns a function that returns true if `Accept-Encoding` allows the coding with one of these names, and does not prefer a body that is not compressed
 * (`identity`).
 */
function acceptsCoding(...names: readonly string[]): (acceptEncoding: string) => boolean {
  return withTextCache((text): boolean => {
    const weights = weightsOf(text);
    const name = names.find((one) => weights.has(one)) ?? '*';
    const weight = weights.get(name) ?? 0;
    return weight > 0 && weight >= (weights.get('identity') ?? 0);
  });
}

export const acceptsGzip = acceptsCoding('gzip', 'x-gzip');
export const acceptsBrotli = acceptsCoding('br');
