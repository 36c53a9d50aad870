import { headText, labelText, sampleText } from '../../base/prometheus-text.ts';
import { shortened } from '../../base/shortened.ts';
import type { AppliedCommit } from '../../state/state.ts';
import { sdkVersionOf } from './sdk-version.ts';

/** Maximum number of names of each kind. Changes and uses under further names are not shown: `dropped` counts them. */
const NAMES_MAX = 2_000;
const LABEL_LENGTH_MAX = 100;
/** Maximum length of the text in which an SDK reports its name and version. */
const SDK_LENGTH_MAX = 2 * LABEL_LENGTH_MAX + 1;

type Labels = readonly (readonly [name: string, value: string])[];

/** Decides which projects and flags the metrics may show. */
export interface ShownNames {
  showsProject(id: string): boolean;
  showsFlag(name: string): boolean;
  /** Whether names that applications choose may be shown: they may be those of applications of private projects. */
  readonly showsApplications: boolean;
}

/** How often each flag was changed. `add` runs for every commit and must be cheap, so labels are built only when the metrics are read. */
class FlagUpdates {
  readonly #projects = new Map<string, Map<string, number>>();
  #size = 0;
  dropped = 0;

  add(project: string, flag: string): void {
    let counts = this.#projects.get(project);
    const before = counts?.get(flag);
    if (before === undefined && this.#size >= NAMES_MAX) {
      this.dropped++;
      return;
    }
    if (!counts) {
      counts = new Map();
      this.#projects.set(project, counts);
    }
    if (before === undefined) this.#size++;
    counts.set(flag, (before ?? 0) + 1);
  }

  /** Call it when a project was deleted: whether it was private is no longer known, so its names must not be shown. */
  forget(project: string): void {
    this.#size -= this.#projects.get(project)?.size ?? 0;
    this.#projects.delete(project);
  }

  /** The metrics as text, in parts; each part is one step of a time slice. */
  *texts(names: ShownNames): Generator<string, void, void> {
    const name = 'feature_toggle_update_total';
    yield headText(name, 'How often flags were changed', 'counter');
    for (const [project, counts] of this.#projects) {
      if (!names.showsProject(project)) continue;
      for (const [toggle, count] of counts)
        yield sampleText(name, labelText(Object.entries({ toggle, project })), count);
    }
  }
}

/** How often something happened, by labels. */
class LabeledCounts {
  readonly #name: string;
  readonly #help: string;
  readonly #counts = new Map<string, { readonly flag: string | null; times: number }>();
  dropped = 0;

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** `flag`: the flag whose name the labels contain, or null. */
  add(labels: Labels, times: number, flag: string | null = null): void {
    const key = labelText(labels.map(([name, value]) => [name, shortened(value, LABEL_LENGTH_MAX)]));
    const before = this.#counts.get(key);
    if (before) before.times += times;
    else if (this.#counts.size >= NAMES_MAX) this.dropped++;
    else this.#counts.set(key, { flag: flag === null ? null : shortened(flag, LABEL_LENGTH_MAX), times });
  }

  /** The metrics as text, in parts; each part is one step of a time slice. */
  *texts(names: ShownNames): Generator<string, void, void> {
    yield headText(this.#name, this.#help, 'counter');
    for (const [labels, { flag, times }] of this.#counts)
      if (flag === null || names.showsFlag(flag)) yield sampleText(this.#name, labels, times);
  }
}

/** How often flags were changed and used since the process started, and by which SDKs, under the metric names that users of Unleash know. Bounded. */
export class FlagStats {
  readonly #updates = new FlagUpdates();
  readonly #uses = new LabeledCounts(
    'feature_toggle_usage_total',
    'How often flags were on and off, as reported to this process',
  );
  readonly #sdks = new LabeledCounts('client_sdk_versions', 'SDKs that registered with this process');

  /** How often a change, a use or a registration was not counted because there are too many names. */
  get dropped(): number {
    return this.#updates.dropped + this.#uses.dropped + this.#sdks.dropped;
  }

  /** Called for every applied commit. A commit that changes very many flags does not list them, so these changes are not counted. */
  apply({ changes, bulk }: AppliedCommit): void {
    for (const change of bulk?.changesExceptFlags ?? changes) {
      if (change.collection === 'projects' && !change.after) this.#updates.forget(change.key);
      if (change.collection !== 'features') continue;
      const feature = change.after ?? change.before;
      if (!feature) continue;
      this.#updates.add(feature.project, feature.name);
    }
  }

  /** Adds an application's uses of a flag. */
  addUse(
    flag: string,
    appName: string,
    environment: string,
    times: { readonly yes: number; readonly no: number },
  ): void {
    const labels = (active: string): Labels => [
      ['toggle', flag],
      ['active', active],
      ['appName', appName],
      ['environment', environment],
    ];
    if (times.yes > 0) this.#uses.add(labels('true'), times.yes, flag);
    if (times.no > 0) this.#uses.add(labels('false'), times.no, flag);
  }

  /** Adds an SDK that registered: `<name>:<version>`, as it reported. */
  addRegistration(sdk: string): void {
    if (sdk === '') return;
    const { name, version } = sdkVersionOf(shortened(sdk, SDK_LENGTH_MAX));
    this.#sdks.add(
      [
        ['sdk_name', name],
        ['sdk_version', version],
      ],
      1,
    );
  }

  *texts(names: ShownNames): Generator<string, void, void> {
    yield* this.#updates.texts(names);
    yield* this.#uses.texts(names);
    if (names.showsApplications) yield* this.#sdks.texts(names);
  }
}
