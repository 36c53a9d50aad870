import type { Imported } from '../../features/import-export/instance/input.ts';
import { Unkeepable } from './conditions.ts';
import type { Note } from './holdings.ts';
import { isRounded, type RuleFlag, strategiesOf } from './rule-flag.ts';

type ImportedFeature = Imported<'features'>;
type Location = Omit<ImportedFeature['environments'][number], 'environment'>;

/** A flag of another vendor's file. Such a file describes one environment. */
interface OtherFlag {
  readonly name: string;
  readonly description: string | null;
  /** The project of the flag. Undefined if the file does not contain it. */
  readonly project: string | undefined;
  readonly location: Location;
}

/** Collects the flags of another vendor's file. A flag that cannot be represented here is reported by name and reason, never approximated. */
export class OtherFile {
  readonly flags: OtherFlag[] = [];
  readonly notes: Note[] = [];
  /** The flags that are left out, with the reasons. */
  readonly untaken: Note[] = [];

  /** Adds a flag, or adds it to `untaken` if it cannot be represented here. */
  take(name: string, read: () => RuleFlag, project?: string): void {
    const noted = this.notes.length;
    try {
      const flag = read();
      const strategies = strategiesOf(flag);
      if (isRounded(flag.branches))
        this.note(name, 'its percentages are rounded: rollouts to hundredths, variants to thousandths');
      // A flag without strategies would be on for every context.
      const enabled = flag.enabled && strategies.length > 0;
      this.flags.push({
        name,
        description: flag.description,
        project,
        location: { enabled, strategies, variants: [] },
      });
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
    this.note(name, 'its percentages stay the same, but the hash here assigns contexts differently');
  }
}
