import { getOrMake } from '../../base/get-or-make.ts';
import type { Holdings, Protection } from './holdings.ts';
import type { MigratedItem, MigrationResult } from './importer.ts';
import type { InstanceClient } from './instance-client.ts';
import { integer, isTrue, list, reasonOf, text, texts } from './loose-json.ts';

/** The path of a project in the admin API. */
const pathOf = (project: string) => `/api/admin/projects/${encodeURIComponent(project)}`;

/**
 * Reads the environments of a project in which changes need a review, and the required number of approvals. `sent` is the project's list of
 * environments. Further requests are sent only if this list shows that the project may have reviews. Open change requests are reported, not imported.
 */
export async function readProtections(
  client: InstanceClient,
  holdings: Pick<Holdings, 'protections' | 'notes'>,
  { project, sent }: { readonly project: string; readonly sent: unknown },
): Promise<void> {
  const environmentsWithReviews = list(sent)
    .filter(({ changeRequestsEnabled }) => isTrue(changeRequestsEnabled))
    .map(({ environment, name }) => text(environment) || text(name));
  // Version 4 sends only names.
  if (environmentsWithReviews.length === 0 && texts(sent).length === 0) return;
  const approvals = await readApprovals(client, project);
  for (const environment of environmentsWithReviews) {
    if (approvals.has(environment)) continue;
    approvals.set(environment, 1);
    const about = `reviews of ${nameOfProtection({ project, environment })}`;
    holdings.notes.push({ about, text: 'the source does not show the number of approvals: imported as one' });
  }
  for (const [environment, requiredApprovals] of approvals)
    holdings.protections.push({ project, environment, requiredApprovals });
  if (approvals.size > 0) await noteOpenRequests(client, holdings, project);
}

/** The number of required approvals for each environment in which changes need a review. */
async function readApprovals(client: InstanceClient, project: string): Promise<Map<string, number>> {
  const answer = await client.getOptional(`${pathOf(project)}/change-requests/config`);
  const withReviews = list(answer).filter(({ changeRequestEnabled }) => isTrue(changeRequestEnabled));
  return new Map(
    withReviews.map(({ environment, requiredApprovals }) => [
      text(environment),
      Math.max(1, integer(requiredApprovals, 1)),
    ]),
  );
}

/** States in which a change request can no longer be applied. */
const FINAL_STATES: ReadonlySet<string> = new Set(['Applied', 'Cancelled', 'Rejected']);

async function noteOpenRequests(
  client: InstanceClient,
  { notes }: Pick<Holdings, 'notes'>,
  project: string,
): Promise<void> {
  const path = `${pathOf(project)}/change-requests`;
  const about = `open change requests of ${project}`;
  const reply = await client.ask('GET', path);
  if (reply.status !== 200) return void notes.push({ about, text: 'they cannot be read: check them in the source' });
  const ids = list(client.parse('GET', path, reply))
    .filter(({ state }) => !FINAL_STATES.has(text(state)))
    .map(({ id }) => text(id));
  if (ids.length > 0)
    notes.push({ about, text: `decide them in the source, or create them again in this service: ${ids.join(', ')}` });
}

/**
 * Sets up the same reviews in the target as in the source, with the same number of approvals. Call it after the import of the flags: otherwise the
 * import would need reviews. Reviews that exist only in the target stay.
 */
export async function importProtections(
  target: InstanceClient,
  protections: readonly Protection[],
  result: MigrationResult,
): Promise<void> {
  for (const [project, wanted] of byProject(protections)) {
    const here = await readApprovals(target, project);
    for (const { environment, requiredApprovals } of wanted) {
      const name = nameOfProtection({ project, environment });
      const approvalsHere = here.get(environment);
      if (approvalsHere === requiredApprovals) {
        result.unchanged++;
        continue;
      }
      const path = `${pathOf(project)}/environments/${encodeURIComponent(environment)}/change-requests/config`;
      const { status, text: sent } = await target.ask('PUT', path, { changeRequestsEnabled: true, requiredApprovals });
      const item = { kind: 'protections', name } as const;
      if (status >= 300) result.items.push({ ...item, outcome: 'refused', reason: reasonOf({ status, text: sent }) });
      else if (approvalsHere === undefined) result.items.push({ ...item, outcome: 'created' });
      else result.items.push({ ...item, outcome: 'changed', changed: ['requiredApprovals'] });
    }
  }
}

/** The environments that have reviews in the target but no longer in the source. They are reported: a user must decide whether the reviews end. */
export function remainingProtections(before: Holdings, after: Holdings): MigratedItem[] {
  const current = new Set(after.protections.map(nameOfProtection));
  const ended = before.protections.map(nameOfProtection).filter((name) => !current.has(name));
  const reason = 'the source no longer requires reviews; in this service they stay until a user disables them';
  return ended.map((name) => ({ kind: 'protections', name, outcome: 'refused', reason }));
}

/** Differences between the reviews of source and target, as text. */
export async function protectionDifferences(
  target: InstanceClient,
  protections: readonly Protection[],
): Promise<string[]> {
  const differences: string[] = [];
  for (const [project, wanted] of byProject(protections)) {
    const here = await readApprovals(target, project);
    for (const { environment, requiredApprovals } of wanted) {
      const approvalsHere = here.get(environment);
      if (approvalsHere === requiredApprovals) continue;
      const name = nameOfProtection({ project, environment });
      differences.push(
        `reviews of ${name}: ${requiredApprovals} approvals in the source, ${approvalsHere ?? 'none'} in the target`,
      );
    }
  }
  return differences;
}

export function nameOfProtection({ project, environment }: Pick<Protection, 'project' | 'environment'>): string {
  return `${environment} of ${project}`;
}

function byProject(protections: readonly Protection[]): Map<string, Protection[]> {
  const projects = new Map<string, Protection[]>();
  for (const protection of protections) getOrMake(projects, protection.project, () => []).push(protection);
  return projects;
}
