import { useCallback, useState } from 'react';
import { api, stated, write } from '../data/client.ts';
import { Failure } from '../data/failure.ts';
import { flagRows } from '../data/flag-rows.ts';
import { showReceipt } from '../data/receipts.ts';
import { readSettings, type Target } from '../data/save.ts';
import { type FlagRow, statesWith } from '../domain/flag-row.ts';
import type { Conflict } from '../domain/merge.ts';
import type { EnvironmentSettings } from '../domain/model.ts';
import { toast } from '../kit/notices/toast.ts';
import { features as words } from '../words/en/flags/features.ts';

/** A switch that asks first: what it would save. */
interface AskedSwitch {
  readonly target: Target;
  readonly base: EnvironmentSettings;
  readonly mine: EnvironmentSettings;
  readonly conflicts: readonly Conflict[];
}

const ENVIRONMENT = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';

/** Saves at once, and shows it before the server confirms it. Returns the refusal, if there is one. */
async function switchNow(row: FlagRow, environment: string, on: boolean): Promise<Failure | null> {
  const takeBack = flagRows.patch(row.name, { states: statesWith(row, environment, on) });
  const path = { projectId: row.project, featureName: row.name, environment };
  const headers = stated({});
  const answer = on
    ? await write(api.POST(`${ENVIRONMENT}/on`, { params: { path }, headers }))
    : await write(api.POST(`${ENVIRONMENT}/off`, { params: { path }, headers }));
  if (!answer.ok) {
    takeBack();
    return answer.failure;
  }
  const text = on ? words.switchedOn(row.name, environment) : words.switchedOff(row.name, environment);
  showReceipt(text, answer.revision === null ? [] : [answer.revision]);
  return null;
}

/** The switches of the list. Where it is guarded, or where the server demands a reason or a review, a dialog asks first. */
export function useFlagSwitch(isGuarded: (project: string, environment: string) => boolean) {
  const [asked, setAsked] = useState<AskedSwitch | null>(null);
  const ask = useCallback(async (row: FlagRow, environment: string, on: boolean) => {
    const target = { project: row.project, feature: row.name, environment };
    try {
      const { settings } = await readSettings(target);
      setAsked({ target, base: settings, mine: { ...settings, enabled: on }, conflicts: [] });
    } catch (error) {
      toast({ tone: 'bad', text: error instanceof Failure ? error.message : String(error) });
    }
  }, []);
  const onSwitch = useCallback(
    async (row: FlagRow, environment: string, on: boolean) => {
      if (isGuarded(row.project, environment)) return ask(row, environment, on);
      const failure = await switchNow(row, environment, on);
      if (!failure) return;
      if (failure.status === 400 || failure.status === 403) return ask(row, environment, on);
      toast({ tone: 'bad', text: failure.message });
    },
    [ask, isGuarded],
  );
  return { asked, setAsked, onSwitch };
}
