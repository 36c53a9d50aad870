import type { Taken } from '../../features/import-export/instance/input.ts';
import { Unkeepable } from './conditions.ts';
import type { Note } from './holdings.ts';
import { isRounded, type RuleFlag, strategiesOf } from './rule-flag.ts';

type TakenFeature = Taken<'features'>;
type Place = Omit<TakenFeature['environments'][number], 'environment'>;

/** A flag of another vendor's file, in the one environment that the file is about. */
interface OtherFlag {
  readonly name: string;
  readonly description: string | null;
  /** Where it says so itself. */
  readonly project: string | undefined;
  readonly place: Place;
}

/** What is taken of another vendor's file; what cannot be expressed here is reported by name and reason, never guessed. */
export class OtherFile {
  readonly flags: OtherFlag[] = [];
  readonly notes: Note[] = [];
  /** Flags that are left out, and why. */
  readonly untaken: Note[] = [];

  /** Takes what a flag comes to; leaves the flag out when that cannot be said here. */
  take(name: string, read: () => RuleFlag, project?: string): void {
    const noted = this.notes.length;
    try {
      const flag = read();
      const strategies = strategiesOf(flag);
      if (isRounded(flag.branches))
        this.note(name, 'its shares are rounded: to hundredths of who is on, to thousandths of a variant');
      // A flag without strategies would be on for every context.
      const enabled = flag.enabled && strategies.length > 0;
      this.flags.push({ name, description: flag.description, project, place: { enabled, strategies, variants: [] } });
    } catch (error) {
      if (!(error instanceof Unkeepable)) throw error;
      this.notes.length = noted;
      this.untaken.push({ about: name, text: error.message });
    }
  }

  note(name: string, text: string): void {
    this.notes.push({ about: `flag ${name}`, text });
  }

  noteShares(name: string): void {
    this.note(name, 'shares stay as large as they are, but who is in which is drawn otherwise here');
  }
}
