import { SourceFlag, SourceSegment } from '../mirror/mirror-input.ts';
import { type Bootstrap, BootstrapError, type Content, checkShape, isObject, quoted } from './bootstrap-shape.ts';
import { parseJson } from './located-json.ts';

/**
 * Maximum number of flags in a file. More flags need a service with a store: each flag costs some kilobytes and some tens of microseconds at every
 * start.
 */
const FLAGS_MAX = 100_000;

/** Maximum number of warnings about a file. A warning may repeat for every flag, so further warnings are only counted. */
const WARNINGS_MAX = 20;

const NO_FLAGS =
  'it contains no flags: it must be an answer of GET /api/client/features, an export of flags, or {"<flag>": {"enabled": true, "variant": "<name>"}}';

/**
 * Reads a bootstrap file in any of its forms: an answer of `GET /api/client/features` (SDKs also store it as their backup), an export of Burgee or
 * Unleash, or the simplified form. Content that is not understood is an error, so that no file is served in part.
 * @throws BootstrapError
 */
export async function readBootstrap(bytes: Uint8Array): Promise<Bootstrap> {
  const value = parseJson(textOf(bytes));
  if (!isObject(value)) throw new BootstrapError(NO_FLAGS);
  if (!Array.isArray(value.features)) return readSimplified(value);
  checkCount(value.features.length, 'flags');
  if (Array.isArray(value.featureStrategies)) {
    // This module is loaded only for exports, because loading it delays the start.
    const { readExport } = await import('./export-file.ts');
    return toBootstrap('export', readExport(value));
  }
  return readClientFeatures(value.features, value.segments ?? []);
}

/** Checks the number of flags or segments before they are parsed. @throws BootstrapError */
function checkCount(count: number, what: string): void {
  if (count <= FLAGS_MAX) return;
  throw new BootstrapError(
    `it contains ${count} ${what}, and the maximum is ${FLAGS_MAX}: use a service with a store for more`,
  );
}

function readClientFeatures(features: readonly unknown[], segments: unknown): Bootstrap {
  if (!Array.isArray(segments)) throw new BootstrapError('its "segments" are not a list');
  checkCount(segments.length, 'segments');
  const flags = features.map((flag, index) => checkShape<SourceFlag>(SourceFlag, flag, `features[${index}]`));
  return toBootstrap('client features', {
    flags,
    segments: segments.map((segment, index) => checkShape<SourceSegment>(SourceSegment, segment, `segments[${index}]`)),
    warnings: [],
  });
}

function readSimplified(value: Readonly<Record<string, unknown>>): Bootstrap {
  const entries = Object.entries(value);
  if (entries.length > 0 && !entries.some(([, flag]) => isObject(flag) && 'enabled' in flag))
    throw new BootstrapError(NO_FLAGS);
  checkCount(entries.length, 'flags');
  return toBootstrap('simplified', {
    flags: entries.map(([name, flag]) => simplifiedFlag(name, flag)),
    segments: [],
    warnings: [],
  });
}

/** A flag that is on or off for every context, with at most one variant for all contexts. */
function simplifiedFlag(name: string, value: unknown): SourceFlag {
  const { enabled, variant = null, ...rest } = isObject(value) ? value : {};
  const where = `the flag ${quoted(name)}`;
  if (name === '') throw new BootstrapError('it contains a flag without a name');
  if (typeof enabled !== 'boolean') throw new BootstrapError(`${where} must have "enabled": true or "enabled": false`);
  if (variant !== null && (typeof variant !== 'string' || variant === ''))
    throw new BootstrapError(`the "variant" of ${where} must be the name of a variant`);
  const [unknownProperty] = Object.keys(rest);
  if (unknownProperty !== undefined)
    throw new BootstrapError(
      `${where} has ${quoted(unknownProperty)}: in the simplified form a flag has "enabled" and "variant"`,
    );
  const variants = variant === null ? [] : [{ name: variant, weight: 1000, weightType: 'fix', stickiness: 'default' }];
  const flag = { name, enabled, strategies: [{ name: 'default', parameters: {}, constraints: [] }], variants };
  return checkShape<SourceFlag>(SourceFlag, flag, 'the flag');
}

function toBootstrap(form: Bootstrap['form'], { flags, segments, warnings }: Content): Bootstrap {
  checkUnique(
    flags.map(({ name }) => name),
    'flags are called',
  );
  checkUnique(
    segments.map(({ id }) => id),
    'segments have the id',
  );
  return { form, flags, segments, warnings: shortened([...warnings, ...missingSegments(flags, segments)]) };
}

function checkUnique(names: readonly (string | number)[], what: string): void {
  const earlierNames = new Set<string | number>();
  for (const name of names) {
    if (earlierNames.has(name)) throw new BootstrapError(`two ${what} ${JSON.stringify(name)}`);
    earlierNames.add(name);
  }
}

/** Warnings about segments that flags use but the file does not contain. A strategy with such a segment is off for every context, as in any SDK. */
function missingSegments(flags: readonly SourceFlag[], segments: Content['segments']): string[] {
  const segmentIds = new Set(segments.map(({ id }) => id));
  const warnings: string[] = [];
  for (const { name, strategies } of flags) {
    const missing = new Set(
      (strategies ?? []).flatMap((strategy) => strategy.segments ?? []).filter((id) => !segmentIds.has(id)),
    );
    for (const id of missing)
      warnings.push(
        `the flag ${JSON.stringify(name)} uses the segment ${id}, whose conditions the file does not contain: a strategy with it is off for every context`,
      );
  }
  return warnings;
}

function shortened(warnings: readonly string[]): readonly string[] {
  if (warnings.length <= WARNINGS_MAX) return warnings;
  return [...warnings.slice(0, WARNINGS_MAX), `and ${warnings.length - WARNINGS_MAX} more warnings`];
}

/** Decodes the encodings that shells and editors write: UTF-8, and UTF-16 if the file begins with its byte order mark. */
function textOf(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BootstrapError('it is not text in UTF-8');
  }
}
