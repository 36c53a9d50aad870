import { use as words } from '../../words/en/flags/use.ts';
import styles from './Use.module.css';
import { type EnvironmentUse, slotText } from './use-data.ts';

const HEIGHT = 64;
const STEP = 10;
const GAP = 2;

interface UseChartProps {
  readonly environment: string;
  readonly use: EnvironmentUse;
  readonly hoursBack: number;
}

/** Bars of equal widths: what was on, and what was off above it. The numbers are in its name and in the titles of the bars. */
export function UseChart({ environment, use, hoursBack }: UseChartProps) {
  const { slots, yes, no } = use;
  const most = slots.reduce((max, slot) => Math.max(max, slot.yes + slot.no), 0);
  const scale = most === 0 ? 0 : HEIGHT / most;
  const [first, last] = [slots[0], slots.at(-1)];
  return (
    <figure className={styles.chart}>
      <svg
        role="img"
        aria-label={words.chart(environment, yes, no)}
        viewBox={`0 0 ${slots.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.bars}
      >
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
      <figcaption className={styles.axis}>
        <span>{first && slotText(first.startMs, hoursBack)}</span>
        <span>{words.most(most)}</span>
        <span>{last && slotText(last.startMs, hoursBack)}</span>
      </figcaption>
    </figure>
  );
}
