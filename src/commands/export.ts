import type { Command } from './command.ts';

export interface ExportRecord {
  readonly environment: string;
  readonly features: readonly string[];
}

/** Writes down who took which flags out. Changes nothing else. */
export const recordExport: Command<ExportRecord, void> = ({ emit }, { environment, features }) => {
  emit({ type: 'features-exported', environment, data: { features } });
};
