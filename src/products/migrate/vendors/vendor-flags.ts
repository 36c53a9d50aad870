import type { Imported } from '../../../features/import-export/instance/input.ts';
import type { Note, Omission } from '../holdings.ts';
import { UnsupportedFlag } from './conditions.ts';
import { isRounded, type RuleFlag, strategiesOf } from './rule-flag.ts';

type ImportedFeature = Imported<'features'>;
type Configuration = Omit<ImportedFeature['environments'][number], 'environment'>;

/** A flag in a file of another vendor. Such a file describes one environment. */
interface VendorFlag {
  readonly name: string;
  readonly description: string | null;
  /** The project of the flag. Undefined if the file does not contain it. */
  readonly project: string | undefined;
  readonly configuration: Configuration;
}

/** Collects the flags of a file of another vendor. A flag that Burgee cannot represent is reported by name and reason, never approximated. */
export class VendorFlags {
  readonly flags: VendorFlag[] = [];
  readonly notes: Note[] = [];
  /** The flags that are left out, with the reasons. */
  readonly omissions: Omission[] = [];

  /** Adds a flag to `flags`, or to `omissions` if Burgee cannot represent it. */
  add(name: string, read: () => RuleFlag, project?: string): void {
    const noteCount = this.notes.length;
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
        configuration: { enabled, strategies, variants: [] },
      });
    } catch (error) {
      if (!(error instanceof UnsupportedFlag)) throw error;
      this.notes.length = noteCount;
      this.omissions.push({ kind: 'features', name, reason: error.message });
    }
  }

  note(name: string, text: string): void {
    this.notes.push({ about: `flag ${name}`, text });
  }

  notePercentages(name: string): void {
    this.note(
      name,
      'its percentages stay the same, but Burgee hashes differently, so another part of the users gets each result',
    );
  }
}
