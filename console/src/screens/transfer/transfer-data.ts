import type { components } from '../../api/schema.d.ts';
import { api, read, stated, write } from '../../data/client.ts';
import { jsonProblem } from '../../domain/json-problem.ts';
import { transfer as words } from '../../words/en/admin/transfer.ts';
import { invalidJson } from '../../words/en/json.ts';

type Schemas = components['schemas'];
export type ImportData = Schemas['importData'];
export type Validation = Schemas['importValidation'];
export type Problem = Validation['errors'][number];

/** Where an import goes. */
export interface Target {
  readonly project: string;
  readonly environment: string;
}

export type Parsed = { readonly data: ImportData } | { readonly problem: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Only what is needed to speak of the file is looked at: the check of the server says what is wrong in it. */
export function parseExport(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The messages of browsers differ, and some name no line.
    const problem = jsonProblem(text);
    return { problem: problem ? invalidJson(problem.line, problem.expected, problem.found) : words.notExport };
  }
  if (!isObject(value) || !Array.isArray(value.features)) return { problem: words.notExport };
  return { data: value as unknown as ImportData };
}

export type Part = keyof typeof words.contents;
export const PARTS = Object.keys(words.contents) as readonly Part[];

/** How many of each kind the file has. */
export function countsOf(data: ImportData): readonly (readonly [Part, number])[] {
  return PARTS.map((part): [Part, number] => [
    part,
    (data[part] as readonly unknown[] | undefined)?.length ?? 0,
  ]).filter(([, count]) => count > 0);
}

export const validate = ({ project, environment }: Target, data: ImportData) =>
  write(api.POST('/api/admin/features-batch/validate', { body: { project, environment, data } }));

export const importAll = ({ project, environment }: Target, data: ImportData, reason: string) =>
  write(
    api.POST('/api/admin/features-batch/import', {
      body: { project, environment, data },
      headers: stated({ reason }),
    }),
  );

export interface Comparison {
  readonly flags: number;
  readonly on: number;
  readonly strategies: number;
}

/** The same three numbers of the file and of the project, so that they can be compared. */
export interface Compared {
  readonly file: Comparison;
  readonly now: Comparison;
}

/** A flag whose switch and strategies the file does not have keeps those that it had, so only the others are compared. */
export async function compare({ project, environment }: Target, data: ImportData): Promise<Compared> {
  const params = { path: { projectId: project } };
  const { features } = await read(api.GET('/api/admin/projects/{projectId}/features', { params, cache: 'no-store' }));
  const names = new Set(data.features.map(({ name }) => name));
  const found = features.filter(({ name }) => names.has(name));
  const switches = data.featureEnvironments?.filter(({ featureName }) => names.has(featureName)) ?? [];
  const strategies = data.featureStrategies.filter(({ featureName }) => names.has(featureName));
  const switched = new Set(switches.map(({ featureName }) => featureName));
  const replaced = new Set([...switched, ...strategies.map(({ featureName }) => featureName)]);
  const settings = found.flatMap(({ name: flag, environments }) => {
    const there = environments?.find(({ name }) => name === environment);
    return there ? [{ flag, ...there }] : [];
  });
  return {
    file: {
      flags: names.size,
      on: switches.filter(({ enabled }) => enabled).length,
      strategies: strategies.length,
    },
    now: {
      flags: found.length,
      on: settings.filter(({ flag, enabled }) => enabled && switched.has(flag)).length,
      strategies: settings
        .filter(({ flag }) => replaced.has(flag))
        .reduce((sum, one) => sum + one.strategies.length, 0),
    },
  };
}

export interface Selection {
  readonly environment: string;
  readonly features?: string[];
  readonly tag?: string;
  readonly project?: string;
}

export const exportFlags = (selection: Selection) =>
  write(api.POST('/api/admin/features-batch/export', { body: { ...selection } }));

/** Lets the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
