import { type EnvironmentUse, slotText } from '../../../flags/use-data.ts';
import { use as words } from '../../../words/en/flags/use.ts';
import { numberText } from '../../../words/number-text.ts';
import styles from './Use.module.css';

const HEIGHT = 64;
const STEP = 10;
const GAP = 2;

interface UseChartProps {
  readonly environment: string;
  readonly use: EnvironmentUse;
  readonly hoursBack: number;
}

/** A number that is easy to read and not below the highest bar: an even digit or a one, and zeros, so that its half is whole, too. */
export function topOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((top) => top >= most) ?? most;
}

/** The slots whose times are below the bars: the first, the one in the middle and the last. */
const labelled = (count: number) => [...new Set([0, 0.5, 1].map((part) => Math.round(part * (count - 1))))];

/**
 * Bars of equal widths: what was on, and what was off above it. The numbers are in its name, in the titles of the bars and, roughly, at the axes, which
 * screen readers leave out.
 */
export function UseChart({ environment, use, hoursBack }: UseChartProps) {
  const { slots, yes, no } = use;
  const top = topOf(slots.reduce((max, slot) => Math.max(max, slot.yes + slot.no), 0));
  const scale = HEIGHT / top;
  const width = slots.length * STEP;
  const heights = top === 1 ? [1, 0] : [top, top / 2, 0];
  return (
    <figure className={styles.chart}>
      <span className={styles.counts} aria-hidden>
        {heights.map((count) => (
          <span key={count}>{numberText(count, 'compact')}</span>
        ))}
      </span>
      <svg
        role="img"
        aria-label={words.chart(environment, yes, no)}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.bars}
      >
        {heights.map((count) => (
          <line
            key={count}
            className={styles.line}
            x1={0}
            x2={width}
            y1={HEIGHT - count * scale}
            y2={HEIGHT - count * scale}
          />
        ))}
        {slots.map((slot, index) => (
          <g key={slot.startMs}>
            <title>{words.bar(slotText(slot.startMs, hoursBack), slot.yes, slot.no)}</title>
            <rect className={styles.ground} x={index * STEP} y={0} width={STEP} height={HEIGHT} />
            <rect
              className={styles.off}
              x={index * STEP}
              y={HEIGHT - (slot.yes + slot.no) * scale}
              width={STEP - GAP}
              height={slot.no * scale}
            />
            <rect
              className={styles.on}
              x={index * STEP}
              y={HEIGHT - slot.yes * scale}
              width={STEP - GAP}
              height={slot.yes * scale}
            />
          </g>
        ))}
      </svg>
      <span className={styles.times} aria-hidden>
        {labelled(slots.length).map((index) => (
          <span key={index}>{slotText(slots[index]?.startMs ?? 0, hoursBack)}</span>
        ))}
      </span>
    </figure>
  );
}
