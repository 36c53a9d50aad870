import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { contrast, type Rgb, rgbOf } from './oklch.ts';

const SOURCE = fileURLToPath(new URL('../../../console/src/', import.meta.url));
const TOKENS = readFileSync(`${SOURCE}styles/tokens.css`, 'utf8');

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const TEXT = 4.5;
const PART = 3;

const SURFACES = ['sunken', 'canvas', 'surface', 'raised', 'hover', 'selected', 'field'];
const TONES = ['accent', 'good', 'warn', 'bad', 'production'];

/** What is shown on what, with the contrast that WCAG 2.2 AA asks for. */
const PAIRS: readonly (readonly [front: string, behind: readonly string[], least: number])[] = [
  ['text', [...SURFACES, 'accent-soft', 'good-soft', 'warn-soft', 'bad-soft', 'production-soft'], TEXT],
  ['text-quiet', SURFACES, TEXT],
  ['on-ink', ['ink', 'ink-hover'], TEXT],
  ['on-mark', ['good', 'bad', 'production'], TEXT],
  ...TONES.map((tone) => [tone, [...SURFACES.filter((name) => name !== 'selected'), `${tone}-soft`], TEXT] as const),
  // The edges of what is typed into or checked, the ring of the focus, and a button's own surface.
  ['line-control', ['canvas', 'surface', 'raised', 'sunken', 'field'], PART],
  ['accent', ['selected', 'hover'], PART],
  ['production', ['selected'], PART],
  ['good', ['selected'], PART],
  ['ink', ['canvas', 'surface', 'raised', 'sunken', 'selected', 'hover'], PART],
];

function tokensOf(css: string, theme: Theme): ReadonlyMap<string, Rgb> {
  const tokens = new Map<string, Rgb>();
  const colour = 'oklch\\([^)]*\\)';
  const declared = new RegExp(`--([\\w-]+): light-dark\\((${colour}), (${colour})\\);`, 'g');
  for (const [, name = '', light = '', dark = ''] of css.matchAll(declared)) {
    tokens.set(name, rgbOf(theme === 'light' ? light : dark));
  }
  return tokens;
}

/** The contrast of each pair that has too little, as a text. */
function failures(css: string, theme: Theme): string[] {
  const tokens = tokensOf(css, theme);
  const rgb = (name: string) => {
    const found = tokens.get(name);
    if (!found) throw new Error(`There is no token ${name}.`);
    return found;
  };
  return PAIRS.flatMap(([front, behind, least]) =>
    behind.flatMap((name) => {
      const found = contrast(rgb(front), rgb(name));
      return found >= least ? [] : [`${theme}: ${front} on ${name} has ${found.toFixed(2)}, needs ${least}`];
    }),
  );
}

const stylesheets = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.css'));

describe('the tokens of the console', () => {
  it.each(THEMES)('have enough contrast in the %s theme', (theme) => {
    expect(failures(TOKENS, theme)).toEqual([]);
  });

  it('are all read by this test', () => {
    const declared = [...TOKENS.matchAll(/--([\w-]+):[^;]*oklch/g)].map(([, name]) => name);
    expect(declared.length).toBeGreaterThan(20);
    expect([...tokensOf(TOKENS, 'dark').keys()].sort()).toEqual(declared.sort());
  });

  it('are the only colours in style sheets', () => {
    const offenders = stylesheets
      .filter((name) => name !== 'styles/tokens.css')
      .filter((name) =>
        /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch|oklab|lab|lch)a?\(\d/i.test(readFileSync(SOURCE + name, 'utf8')),
      );
    expect(offenders).toEqual([]);
  });

  it('are declared where a style sheet uses them', () => {
    const declares = (css: string) => [...css.matchAll(/(--[\w-]+):/g)].map(([, name]) => name);
    const everywhere = new Set(declares(TOKENS));
    // Set by Base UI on its popups, and by components on their own elements.
    for (const name of ['--available-width', '--available-height', '--anchor-width', '--transform-origin'])
      everywhere.add(name);
    for (const name of ['--narrow', '--medium', '--wide', '--lines', '--least']) everywhere.add(name);
    const offenders = stylesheets.flatMap((name) => {
      const css = readFileSync(SOURCE + name, 'utf8');
      const known = new Set([...everywhere, ...declares(css)]);
      return [...css.matchAll(/var\((--[\w-]+)\)/g)].flatMap(([, used = '']) =>
        known.has(used) ? [] : [`${name}: ${used}`],
      );
    });
    expect(offenders).toEqual([]);
  });

  it('are in a layer, as every rule of every style sheet is', () => {
    const outside = stylesheets.filter((name) => {
      const css = readFileSync(SOURCE + name, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return css.split('\n').some((line) => /^[^\s@}]/.test(line));
    });
    expect(outside).toEqual([]);
  });
});

describe('this measure', () => {
  it('knows the contrast of known colours', () => {
    expect(contrast(rgbOf('oklch(1 0 0)'), rgbOf('oklch(0 0 0)'))).toBeCloseTo(21, 1);
    // #767676 on white is the grey that just passes.
    expect(contrast(rgbOf('oklch(0.5649 0 0)'), rgbOf('oklch(1 0 0)'))).toBeCloseTo(4.54, 1);
    // sRGB blue.
    const blue = rgbOf('oklch(0.45201 0.313214 264.052)');
    expect(blue[0]).toBeCloseTo(0, 2);
    expect(blue[2]).toBeCloseTo(1, 2);
  });

  it('fails for a pair without contrast', () => {
    const faint = TOKENS.replace(/--text-quiet: light-dark\(oklch\([\d.]+/, '--text-quiet: light-dark(oklch(0.7');
    expect(failures(faint, 'light').join()).toContain('text-quiet on canvas');
  });
});
